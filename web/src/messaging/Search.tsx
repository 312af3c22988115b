import '@mantine/core/styles/Radio.layer.css';
import { Button, Radio, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Search } from '../app/address';
import { method } from '../app/identity';
import { formatDay, formatTime } from '../app/locale';
import { Page, Refused } from '../ui/Page';
import { useMessaging, useShown } from './context';
import { isDirect } from './state';
import { Text } from './text/Text';
import { dateOf, type Message, nameOf } from './types';

interface Match extends Message {
  channel: { id: string; name: string };
  username?: string;
  permalink: string;
}

interface Reply {
  messages: { total: number; matches: Match[]; paging: { page: number; pages: number } };
}

const chips = ['from:', 'in:', 'before:', 'after:', 'on:', 'during:', 'has:link', 'is:thread'];

/** Search in messages. */
export function SearchPage() {
  const { store, go } = useMessaging();
  const people = useShown((s) => s.people);
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [query, setQuery] = useState(search.q ?? '');
  useEffect(() => setQuery(search.q ?? ''), [search.q]);
  const box = useRef<HTMLInputElement>(null);
  const page = Number(search.page ?? '1');
  const sort = search.sort === 'timestamp' ? 'timestamp' : 'score';
  const found = useQuery({
    queryKey: ['search', env, search.q, sort, page],
    enabled: !!search.q,
    queryFn: () => method<Reply>(env, 'search.messages', { query: search.q, sort, count: 20, page }),
  });
  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never });
  useEffect(() => {
    for (const m of found.data?.messages.matches ?? []) {
      store.want(m.user ?? '');
    }
  }, [store, found.data]);
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    patch({ q: query.trim() || undefined, page: undefined });
  };
  const placeOf = ({ id, name }: Match['channel']): string => {
    const known = store.snapshot().channels.get(id);
    return known && isDirect(known)
      ? `a conversation with ${store.titleOf(known)}`
      : name
        ? `#${name}`
        : 'a direct conversation';
  };
  const open = (m: Match): void => {
    const thread = m.thread_ts ?? new URL(m.permalink).searchParams.get('thread_ts') ?? undefined;
    go(m.channel.id, thread && thread !== m.ts ? { at: thread, thread } : { at: m.ts });
  };
  return (
    <Page title="Search" env={env}>
      <form onSubmit={submit}>
        <TextInput
          ref={box}
          aria-label="Search query"
          value={query}
          onChange={(e) => setQuery(e.currentTarget.value)}
          placeholder="Words, and from: in: before: after: has: is:"
        />
      </form>
      <div className="chips">
        {chips.map((c) => (
          <Button
            key={c}
            size="compact-sm"
            variant="default"
            onClick={() => {
              setQuery(`${query} ${c}`.trim());
              box.current?.focus();
            }}
          >
            {c}
          </Button>
        ))}
      </div>
      <Radio.Group
        label="Sort"
        value={sort}
        onChange={(v) => patch({ sort: v === 'timestamp' ? v : undefined, page: undefined })}
      >
        <div className="inline">
          <Radio value="score" label="Most relevant" />
          <Radio value="timestamp" label="Newest" />
        </div>
      </Radio.Group>
      {!search.q && <p className="dimmed">What is searched for in the messages of your channels is listed here.</p>}
      {found.isLoading && <Skeleton h={200} mt="md" className="late" />}
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.data && (
        <>
          <p role="status">Matches: {found.data.messages.total}</p>
          <ul aria-label="Search results" className="cards">
            {found.data.messages.matches.map((m) => (
              <li key={m.channel.id + m.ts}>
                <div>
                  <button type="button" className="author" onClick={() => open(m)}>
                    {nameOf(people.get(m.user ?? '')) || m.username || m.user} in {placeOf(m.channel)}
                  </button>
                  <span className="dimmed">
                    {' '}
                    {formatDay(dateOf(m.ts), new Date(0))}, {formatTime(dateOf(m.ts))}
                  </span>
                  <Text text={m.text} />
                </div>
              </li>
            ))}
          </ul>
          {found.data.messages.total === 0 && (
            <p className="dimmed">Nothing matches. Fewer words or another modifier may find it.</p>
          )}
          <div className="buttons">
            {page > 1 && (
              <Button variant="default" onClick={() => patch({ page: String(page - 1) })}>
                Previous page
              </Button>
            )}
            {page < found.data.messages.paging.pages && (
              <Button variant="default" onClick={() => patch({ page: String(page + 1) })}>
                Next page
              </Button>
            )}
          </div>
        </>
      )}
    </Page>
  );
}
