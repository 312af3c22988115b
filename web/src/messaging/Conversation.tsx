import { ActionIcon, Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Info, Star, Users } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { ApiError } from '../api/http';
import type { Search } from '../app/address';
import { method } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { useTitle } from '../app/title';
import { later } from '../ui/later';
import { Page } from '../ui/Page';
import { Composer } from './composer/Composer';
import { useMessaging, useShown } from './context';
import { Feed } from './feed/Feed';
import { headingOf } from './state';
import { Thread } from './Thread';
import type { Channel } from './types';
import { compareTs } from './window';

const Details = later(() => import('./Details'), 'Details');

interface Unjoined {
  name: string;
  archived: boolean;
}

/** Returns a channel that the person is not a member of: undefined for '', null if it is not visible. */
function useUnjoined(env: string, channel: string): Unjoined | null | undefined {
  const found = useQuery({
    queryKey: ['unjoined', env, channel],
    enabled: channel !== '',
    retry: false,
    queryFn: () => method<{ channel: { name: string; is_archived?: boolean } }>(env, 'conversations.info', { channel }),
  });
  if (found.error instanceof ApiError && /not_found/.test(found.error.code)) {
    return null;
  }
  return found.data && { name: found.data.channel.name, archived: found.data.channel.is_archived ?? false };
}

/** Returns the number of members of a channel, undefined until it is loaded. */
function useMemberCount(env: string, c: Channel | undefined): number | undefined {
  const many = c?.kind === 'public' || c?.kind === 'private';
  const found = useQuery({
    queryKey: ['channel', env, c?.id, 'count'],
    enabled: many,
    queryFn: () =>
      method<{ channel: { num_members?: number } }>(env, 'conversations.info', {
        channel: c?.id,
        include_num_members: true,
      }),
  });
  return c?.kind === 'mpim' ? c.members?.length : found.data?.channel.num_members;
}

/** One conversation: heading, messages, composer and side pane. */
export function Conversation() {
  const { store, goPage } = useMessaging();
  const {
    env = 'default',
    team = '',
    channel = '',
  } = useParams({ strict: false }) as Record<string, string | undefined>;
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const toasts = useToasts();
  const c = useShown((s) => s.channels.get(channel));
  const ready = useShown((s) => s.boot !== undefined);
  const away = useUnjoined(env, ready && !c ? channel : '');
  const heading = useShown((s) => c && headingOf(s, c)) ?? `#${away?.name ?? channel}`;
  const held = useShown((s) => s.windows.get(channel));
  const own = useShown((s) => s.ephemeral.get(channel));
  const window = useMemo(() => {
    const alone = own?.filter((m) => !m.thread_ts) ?? [];
    return held && alone.length > 0 && !held.hasNewer
      ? { ...held, messages: [...held.messages, ...alone].sort((a, b) => compareTs(a.ts, b.ts)) }
      : held;
  }, [held, own]);

  useEffect(() => {
    if (!ready || away === null) {
      return;
    }
    store.pages.open(channel, search.at).then(
      () => localStorage.setItem(`us.last.${env}.${team}`, channel),
      (e) => !(e instanceof ApiError && e.status === 404) && toasts.failed(e),
    );
  }, [store, ready, away, env, team, channel, search.at, toasts]);

  useTitle(heading, env);
  const members = useMemberCount(env, c);

  const patch = (change: Search): void => {
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never });
  };

  if (!ready) {
    return <Skeleton h={300} width="auto" m="md" />;
  }
  if (away === null) {
    return (
      <Page title="There is no such conversation" env={env}>
        <p>
          It is private, it was deleted, or the address is mistyped.{' '}
          <button type="button" className="link" onClick={() => goPage('channels')}>
            Browse channels
          </button>{' '}
          lists those that you can see.
        </p>
      </Page>
    );
  }
  const thread = search.thread;
  return (
    <>
      <main id="main" className="conversation" tabIndex={-1} aria-labelledby="heading" data-region>
        <div className="heading">
          <h1 id="heading" title={heading}>
            {heading}
          </h1>
          {c && (
            <>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label="Star"
                aria-pressed={c.starred}
                onClick={() => store.marks.star(channel, !c.starred).catch((e) => toasts.failed(e))}
              >
                <Star size={16} fill={c.starred ? 'currentColor' : 'none'} />
              </ActionIcon>
              <span className="topic" title={c.topic}>
                {c.topic}
              </span>
              {c.kind !== 'im' && (
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-md"
                  leftSection={<Users size={14} />}
                  onClick={() => patch({ pane: 'members', thread: undefined, user: undefined })}
                >
                  {members === undefined ? 'Members' : `Members: ${members}`}
                </Button>
              )}
              <ActionIcon
                variant="subtle"
                color="gray"
                size={32}
                aria-label="Channel details"
                onClick={() => patch({ pane: 'details', thread: undefined, user: undefined })}
              >
                <Info size={16} />
              </ActionIcon>
            </>
          )}
        </div>
        <Feed
          key={channel}
          channel={channel}
          label={`Messages in ${heading}`}
          window={window}
          at={search.at}
          openThread={(ts) => patch({ thread: ts, pane: undefined, user: undefined })}
        />
        {(c ?? away)?.archived ? (
          <p className="closed">This channel is archived</p>
        ) : c ? (
          <Composer key={`composer ${channel}`} channel={channel} label={`Message ${heading}`} />
        ) : (
          <p className="closed">
            You are not in {heading}{' '}
            <Button
              size="compact-md"
              onClick={() =>
                method(env, 'conversations.join', { channel })
                  .then(() => store.reload())
                  .catch((e) => toasts.failed(e))
              }
            >
              Join {heading}
            </Button>
          </p>
        )}
      </main>
      {thread && <Thread key={thread} channel={channel} ts={thread} close={() => patch({ thread: undefined })} />}
      {c && (search.pane === 'details' || search.pane === 'members') && !thread && (
        <Details
          channel={c}
          tab={search.pane}
          setTab={(pane) => patch({ pane })}
          close={() => patch({ pane: undefined })}
        />
      )}
    </>
  );
}
