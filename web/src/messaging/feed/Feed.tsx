import { Button, Skeleton } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { formatDay } from '../../app/locale';
import { useToasts } from '../../app/Toasts';
import { useMessaging, useShown } from '../context';
import { MessageRow } from '../MessageRow';
import type { Window } from '../window';
import { Divider } from './Divider';
import { useFollowing } from './following';
import { useComposerRequests, useFeedKeys } from './keys';
import { countAfter, estimate, rowOf, rowsOf } from './rows';

interface Props {
  channel: string;
  label: string;
  window: Window | undefined;
  at?: string;
  openThread: (ts: string) => void;
}

/** The messages of a conversation: a window around the visible ones. */
export function Feed({ channel, label, window: held, at, openThread }: Props) {
  const { store, go } = useMessaging();
  const toasts = useToasts();
  const box = useRef<HTMLDivElement>(null);
  // The read mark at the time the conversation was opened.
  const [readFrom] = useState(store.snapshot().channels.get(channel)?.last_read);
  const reading = useShown((s) => s.loading.has(`${channel} older`));
  const messages = held?.messages ?? [];
  const rows = useMemo(() => rowsOf(held?.messages ?? [], readFrom, store.me), [held?.messages, readFrom, store.me]);
  const [active, setActive] = useState(at ?? '');
  const [editing, setEditing] = useState('');
  const activeRow = active ? rowOf(rows, active) : -1;

  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: (i) => estimate(rows[i]),
    getItemKey: (i) => rows[i]?.key ?? i,
    overscan: 12,
    anchorTo: 'end',
    // The focused row stays rendered, however far it is scrolled out of view.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return activeRow < 0 || shown.includes(activeRow) ? shown : [...shown, activeRow].sort((a, b) => a - b);
    },
  });
  const { following, leftAt, follow, onScroll } = useFollowing(channel, held, rows, at, box, virtual);

  useEffect(() => {
    if (at) {
      setActive(at);
    }
  }, [at]);

  // The feed scrolls to the person's own new message.
  const last = messages.at(-1);
  const sending = last?.state === 'sending' ? last.client_msg_id : undefined;
  useLayoutEffect(() => {
    if (sending) {
      follow(true);
    }
  }, [sending, follow]);

  useEffect(() => store.marks.opened(channel), [store, channel]);

  // The last visible message counts as read while the window has the focus.
  const newest = messages.findLast((m) => !m.state && !m.is_ephemeral)?.ts;
  useEffect(() => {
    const mark = (): void => {
      if (newest && following && document.hasFocus()) {
        store.marks.read(channel, newest);
      } else {
        store.marks.cancel(channel);
      }
    };
    mark();
    addEventListener('focus', mark);
    addEventListener('blur', mark);
    return () => {
      removeEventListener('focus', mark);
      removeEventListener('blur', mark);
    };
  }, [store, channel, newest, following]);
  useEffect(() => () => store.marks.cancel(channel), [store, channel]);

  const jump = async (): Promise<void> => {
    await store.pages.newest(channel);
    follow(true);
  };
  const focusOn = (ts: string): void => {
    setActive(ts);
    virtual.scrollToIndex(rowOf(rows, ts), { align: 'auto' });
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-ts="${ts}"]`)?.focus());
  };
  const toFirst = async (): Promise<void> => {
    await store.pages.first(channel);
    follow(false);
    requestAnimationFrame(() => virtual.scrollToIndex(0));
  };
  const keyed = {
    box,
    messages,
    active,
    setActive,
    focusOn,
    first: () => void toFirst().catch((e) => toasts.failed(e)),
    newest: () => void jump().catch((e) => toasts.failed(e)),
  };
  const onKeys = useFeedKeys(keyed);
  useComposerRequests(channel, keyed, (ts) => {
    setEditing(ts);
    setActive(ts);
    virtual.scrollToIndex(rowOf(rows, ts), { align: 'auto' });
  });
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === 'Escape' && newest && !editing) {
      store.marks.set(channel, newest).catch((error) => toasts.failed(error));
    } else {
      onKeys(e);
    }
  };

  const toDate = (day: Date): void => {
    store.pages.firstFrom(channel, day).then(
      (ts) => (ts ? go(channel, { at: ts }) : toasts.done('Nothing was said from that day on.')),
      (e) => toasts.failed(e),
    );
  };
  const fresh = leftAt && !held?.hasNewer ? countAfter(messages, leftAt, store.me) : 0;
  const items = virtual.getVirtualItems();
  const now = store.now();
  return (
    <div className="feed-box">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the articles inside */}
      <div className="scroller" ref={box} onScroll={onScroll} onKeyDown={onKeyDown}>
        {!held ? (
          <Skeletons />
        ) : (
          <>
            {rows.length === 0 && (
              <p className="dimmed pad">Nothing has been said here yet. What you write below is the first message.</p>
            )}
            <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
              <div role="feed" aria-label={label} aria-busy={reading}>
                {items.map((item) => {
                  const row = rows[item.index];
                  return (
                    row?.kind === 'message' && (
                      <Place key={item.key} item={item} measure={virtual.measureElement}>
                        <MessageRow
                          channel={channel}
                          message={row.message}
                          follows={row.follows}
                          active={activeRow >= 0 ? item.index === activeRow : row.message === last}
                          marked={at === row.message.ts}
                          editing={editing === row.message.ts}
                          setEditing={setEditing}
                          onFocus={setActive}
                          openThread={openThread}
                        />
                      </Place>
                    )
                  );
                })}
              </div>
              {items.map((item) => {
                const row = rows[item.index];
                return (
                  row &&
                  row.kind !== 'message' && (
                    <Place key={item.key} item={item} measure={virtual.measureElement}>
                      <Divider
                        text={row.kind === 'new' ? 'New messages' : formatDay(row.at, now)}
                        fresh={row.kind === 'new'}
                        jump={row.kind === 'day' ? { from: row.at, to: toDate } : undefined}
                      />
                    </Place>
                  )
                );
              })}
            </div>
          </>
        )}
      </div>
      {held && !following && (
        <Button className="jump" size="compact-md" onClick={keyed.newest}>
          {fresh > 0 ? `${fresh} new ${fresh === 1 ? 'message' : 'messages'}` : 'Jump to newest'}
        </Button>
      )}
    </div>
  );
}

interface PlaceProps {
  item: VirtualItem;
  measure: (el: Element | null) => void;
  children: ReactNode;
}

/** Positions a row of the list. Dividers are outside of the feed, because a feed may contain only articles. */
function Place({ item, measure, children }: PlaceProps) {
  return (
    <div data-index={item.index} ref={measure} className="row" style={{ transform: `translateY(${item.start}px)` }}>
      {children}
    </div>
  );
}

function Skeletons() {
  return (
    <div className="pad skeletons">
      {['60%', '80%', '45%', '70%'].map((w) => (
        <Skeleton key={w} h={36} w={w} mb="sm" />
      ))}
    </div>
  );
}
