import { Button, Checkbox, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Search } from '../app/address';
import { call } from '../app/identity';
import { formatDay, formatTime } from '../app/locale';
import { useToasts } from '../app/Toasts';
import { Page, Refused } from '../ui/Page';
import { useMessaging, useShown } from './context';
import { MessageRow } from './MessageRow';
import { headingOf } from './state';
import { type Channel, dateOf, type Message } from './types';

function useHeading() {
  const { store } = useMessaging();
  return (c: Channel | undefined, id: string): string => (c ? headingOf(store.snapshot(), c) : id);
}

/** A message in a list of another screen. */
function Listed({ channel, message, open }: { channel: string; message: Message; open?: (ts: string) => void }) {
  const [editing, setEditing] = useState(false);
  return (
    <MessageRow
      channel={channel}
      message={message}
      follows={false}
      active
      editing={editing}
      setEditing={(ts) => setEditing(ts !== '')}
      onFocus={() => undefined}
      openThread={open}
    />
  );
}

/** Unread messages, by conversation. */
export function Unreads() {
  const { store, env, go } = useMessaging();
  const channels = useShown((s) => s.channels);
  const heading = useHeading();
  const toasts = useToasts();
  const unread = [...channels.values()]
    .filter((c) => c.unread_count > 0 && !c.archived)
    .sort((a, b) => b.mention_count - a.mention_count || Number(b.latest || 0) - Number(a.latest || 0));
  const read = (list: Channel[]): void => {
    Promise.all(list.map((c) => store.marks.set(c.id, c.latest))).catch((e) => toasts.failed(e));
  };
  return (
    <Page title="Unreads" env={env}>
      {unread.length === 0 ? (
        <p className="dimmed">Nothing is unread. What others write in your conversations is listed here.</p>
      ) : (
        <Button variant="default" size="compact-md" onClick={() => read(unread)}>
          Mark all as read
        </Button>
      )}
      {unread.slice(0, 30).map((c) => (
        <section key={c.id} aria-label={heading(c, c.id)} className="listed">
          <div className="listed-heading">
            <button type="button" className="author" onClick={() => go(c.id)}>
              {heading(c, c.id)}
            </button>
            <span className="dimmed">
              {c.unread_count >= 1000 ? '999+' : c.unread_count} unread
              {c.mention_count > 0 && `, ${c.mention_count} ${c.mention_count === 1 ? 'mention' : 'mentions'}`}
            </span>
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => read([c])}
              aria-label={`Mark ${heading(c, c.id)} as read`}
            >
              Mark as read
            </Button>
          </div>
          <UnreadMessages channel={c} />
        </section>
      ))}
      {unread.length > 30 && <p className="dimmed">{unread.length - 30} more conversations have something unread.</p>}
    </Page>
  );
}

function UnreadMessages({ channel: c }: { channel: Channel }) {
  const { env, go } = useMessaging();
  const found = useInfiniteQuery({
    queryKey: ['unread', env, c.id, c.last_read, c.latest],
    initialPageParam: c.last_read === '0.000000' ? '0.000001' : c.last_read,
    queryFn: ({ pageParam }) =>
      call<{ messages: Message[]; has_newer: boolean }>(
        env,
        `/api/client/messages?${new URLSearchParams({ channel: c.id, after: pageParam, limit: '20' })}`,
      ),
    getNextPageParam: (last) => (last.has_newer ? last.messages.at(-1)?.ts : undefined),
  });
  if (found.error) {
    return <Refused error={found.error} again={() => void found.refetch()} />;
  }
  if (!found.data) {
    return <Skeleton h={60} />;
  }
  const messages = found.data.pages.flatMap((p) => p.messages);
  return (
    <>
      {messages.map((m) => (
        <Listed key={m.ts} channel={c.id} message={m} open={(ts) => go(c.id, { thread: ts, at: m.ts })} />
      ))}
      {found.hasNextPage && (
        <Button size="compact-sm" variant="default" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

interface ListedThread {
  channel: string;
  message: Message;
  replies: Message[];
  latest_reply: string;
  unread_count: number;
}

/** The threads that the person takes part in, newest reply first. */
export function Threads() {
  const { store, env, go } = useMessaging();
  const channels = useShown((s) => s.channels);
  const heading = useHeading();
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const unread = search.unread === 'true';
  const found = useInfiniteQuery({
    queryKey: ['threads', env, store.me, unread],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<{ threads: ListedThread[]; next_cursor: string }>(
        env,
        `/api/client/threads?${new URLSearchParams({ limit: '20', unread: String(unread), cursor: pageParam })}`,
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const threads = found.data?.pages.flatMap((p) => p.threads) ?? [];
  return (
    <Page title="Threads" env={env}>
      <Checkbox
        label="Unread only"
        checked={unread}
        onChange={(e) =>
          void navigate({ search: (e.currentTarget.checked ? { unread: 'true' } : {}) as never, replace: true })
        }
      />
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton h={120} mt="md" />}
      {threads.map((t) => {
        const open = (): void => go(t.channel, { at: t.message.ts, thread: t.message.ts });
        const hidden = (t.message.reply_count ?? 0) - t.replies.length;
        return (
          <section
            key={`${t.channel} ${t.message.ts}`}
            className="listed"
            aria-label={`Thread in ${heading(channels.get(t.channel), t.channel)}`}
          >
            <div className="listed-heading">
              <button type="button" className="author" onClick={open}>
                {heading(channels.get(t.channel), t.channel)}
              </button>
              <span className="dimmed">
                last reply {formatDay(dateOf(t.latest_reply), new Date(0))}, {formatTime(dateOf(t.latest_reply))}
                {t.unread_count > 0 && `, ${t.unread_count} unread`}
              </span>
            </div>
            <Listed channel={t.channel} message={{ ...t.message, reply_count: 0 }} open={open} />
            {hidden > 0 && (
              <button type="button" className="replies" onClick={open}>
                {hidden} earlier {hidden === 1 ? 'reply' : 'replies'}
              </button>
            )}
            <div className="listed-replies">
              {t.replies.map((m) => (
                <Listed key={m.ts} channel={t.channel} message={m} />
              ))}
            </div>
            <Button size="compact-sm" variant="default" onClick={open}>
              Open thread
            </Button>
          </section>
        );
      })}
      {found.isSuccess && threads.length === 0 && (
        <p className="dimmed">
          {unread ? 'No thread of yours has something unread.' : 'Threads that you begin or answer are listed here.'}
        </p>
      )}
      {found.hasNextPage && (
        <Button variant="default" mt="sm" onClick={() => void found.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Page>
  );
}
