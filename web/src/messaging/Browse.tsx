import { Button, Checkbox, Skeleton, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Search } from '../app/address';
import { call, method } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { Page, Refused } from '../ui/Page';
import { Avatar } from './Avatar';
import { useMessaging } from './context';
import { LeavePrivate } from './LeavePrivate';
import { byName, nameOf, type User } from './types';

interface FoundChannel {
  id: string;
  name: string;
  kind: string;
  purpose: string;
  members: number;
  is_member: boolean;
  archived: boolean;
}

function useFilter() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  return {
    search,
    patch: (change: Search) =>
      void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true }),
  };
}

/** How many channels or people are read at once. The service lists them by id: what is read is put in order of names. */
const page = '200';

/** All channels that the person can see. */
export function BrowseChannels() {
  const { store, hrefOf, go } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const { search, patch } = useFilter();
  const toasts = useToasts();
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<FoundChannel>();
  const key = ['browse', env, search.q ?? '', search.archived ?? ''];
  const found = useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<{ channels: FoundChannel[]; next_cursor: string }>(
        env,
        `/api/client/channels?${new URLSearchParams({ q: search.q ?? '', archived: search.archived ?? 'false', limit: page, cursor: pageParam })}`,
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const act = (name: string, channel: string): void => {
    method(env, name, { channel })
      .then(() => Promise.all([store.reload(), queries.invalidateQueries({ queryKey: key })]))
      .catch((e) => toasts.failed(e));
  };
  const channels = byName(found.data?.pages.flatMap((p) => p.channels) ?? [], (c) => c.name);
  return (
    <Page title="Browse channels" env={env}>
      <TextInput
        type="search"
        role="searchbox"
        aria-label="Find channels"
        placeholder="Find channels"
        value={search.q ?? ''}
        onChange={(e) => patch({ q: e.currentTarget.value || undefined })}
      />
      <Checkbox
        mt="xs"
        label="Show archived"
        checked={search.archived === 'true'}
        onChange={(e) => patch({ archived: e.currentTarget.checked ? 'true' : undefined })}
      />
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={200} mt="md" />}
      <ul aria-label="Channels" className="cards">
        {channels.map((c) => (
          <li key={c.id}>
            <div>
              <a
                href={hrefOf(c.id)}
                onClick={(e) => {
                  e.preventDefault();
                  go(c.id);
                }}
              >
                #{c.name}
              </a>
              <span className="dimmed">
                {' '}
                {c.members} {c.members === 1 ? 'member' : 'members'}
                {c.kind === 'private' && ', private'}
                {c.archived && ', archived'}
              </span>
              <p>{c.purpose}</p>
            </div>
            {!c.archived &&
              !store.snapshot().channels.get(c.id)?.is_general && // everybody is in it
              (c.is_member ? (
                <Button
                  size="compact-md"
                  variant="default"
                  aria-label={`Leave ${c.name}`}
                  onClick={() => (c.kind === 'private' ? setLeaving(c) : act('conversations.leave', c.id))}
                >
                  Leave
                </Button>
              ) : (
                <Button size="compact-md" aria-label={`Join ${c.name}`} onClick={() => act('conversations.join', c.id)}>
                  Join
                </Button>
              ))}
          </li>
        ))}
      </ul>
      {found.isSuccess && channels.length === 0 && (
        <p className="dimmed">No channel matches. Create one from the list of conversations.</p>
      )}
      {found.hasNextPage && (
        <Button variant="default" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
      {leaving && (
        <LeavePrivate
          name={leaving.name}
          close={() => setLeaving(undefined)}
          confirm={() => act('conversations.leave', leaving.id)}
        />
      )}
    </Page>
  );
}

interface FoundPerson extends User {
  presence: string;
}

/** All people of the workspace. */
export function People() {
  const { openProfile } = useMessaging();
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const { search, patch } = useFilter();
  const found = useInfiniteQuery({
    queryKey: ['people', env, search.q ?? ''],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<{ people: FoundPerson[]; next_cursor: string }>(
        env,
        `/api/client/people?${new URLSearchParams({ q: search.q ?? '', limit: page, cursor: pageParam })}`,
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const people = byName(found.data?.pages.flatMap((p) => p.people) ?? [], nameOf);
  return (
    <Page title="People" env={env}>
      <TextInput
        type="search"
        role="searchbox"
        aria-label="Find people"
        placeholder="Find people"
        value={search.q ?? ''}
        onChange={(e) => patch({ q: e.currentTarget.value || undefined })}
      />
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={200} mt="md" />}
      <ul aria-label="People" className="cards">
        {people.map((u) => (
          <li key={u.id}>
            <Avatar id={u.id} name={nameOf(u)} />
            <div>
              <button type="button" className="author" onClick={() => openProfile(u.id)}>
                {nameOf(u)}
              </button>
              <span className="dimmed"> @{u.name}</span> {u.is_bot && <span className="tag">app</span>}
              <p>{u.profile.title}</p>
            </div>
            <span className="dimmed">{u.presence}</span>
          </li>
        ))}
      </ul>
      {found.isSuccess && people.length === 0 && <p className="dimmed">Nobody by that name is in this workspace.</p>}
      {found.hasNextPage && (
        <Button variant="default" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}
