import { ActionIcon, Button, Skeleton } from '@mantine/core';
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { CalendarDays } from 'lucide-react';
import {
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { formatDay } from '../app/locale';
import { prefs } from '../app/prefs';
import { inText } from '../app/regions';
import { useToasts } from '../app/Toasts';
import { useMessaging } from './context';
import { MessageRow } from './MessageRow';
import { dateOf, type Message } from './types';
import { compareTs, type Window } from './window';

const DateDialog = lazy(() => import('./DateDialog').then((m) => ({ default: m.DateDialog })));

type Row =
  | { kind: 'day'; key: string; at: Date }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; follows: boolean };

/** Returns the rows of a feed: dividers by day, a mark before what is unread, messages. */
export function rowsOf(messages: Message[], lastRead: string | undefined, me: string): Row[] {
  const rows: Row[] = [];
  let day = '';
  let marked = lastRead === undefined || lastRead === '0.000000';
  let before: Message | undefined;
  for (const m of messages) {
    const at = dateOf(m.ts);
    const of = at.toDateString();
    if (of !== day) {
      rows.push({ kind: 'day', key: `day ${of}`, at });
      day = of;
      before = undefined;
    }
    if (!marked && lastRead && compareTs(m.ts, lastRead) > 0 && m.user !== me) {
      rows.push({ kind: 'new', key: 'new' });
      marked = true;
      before = undefined;
    }
    const follows =
      before !== undefined &&
      before.user === m.user &&
      before.bot_id === m.bot_id &&
      !m.subtype &&
      !before.subtype &&
      Number(m.ts) - Number(before.ts) < 300;
    rows.push({ kind: 'message', key: m.client_msg_id || m.ts, message: m, follows });
    before = m;
  }
  return rows;
}

/** An estimate of a row's height from the length of its text, in pixels. */
function estimate(row: Row | undefined): number {
  if (row?.kind !== 'message') {
    return 32;
  }
  const m = row.message;
  const lines = Math.max(1, Math.ceil(m.text.length / 90), m.text.split('\n').length);
  return (
    (row.follows ? 8 : 28) +
    lines * 20 +
    (m.blocks?.length ?? 0) * 24 +
    (m.reactions?.length ? 32 : 0) +
    (m.reply_count ? 28 : 0)
  );
}

interface Props {
  channel: string;
  label: string;
  window: Window | undefined;
  at?: string;
  openThread: (ts: string) => void;
}

/** The messages of a conversation: a window around what is in view. */
export function Feed({ channel, label, window: held, at, openThread }: Props) {
  const { store, state, go } = useMessaging();
  const scroller = useRef<HTMLDivElement>(null);
  const c = state.channels.get(channel);
  const [readFrom] = useState(c?.last_read); // the mark as it was when the conversation was opened
  const rows = useMemo(() => rowsOf(held?.messages ?? [], readFrom, store.me), [held?.messages, readFrom, store.me]);
  const [atEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState(0); // messages that were there when the end was last in view
  const [active, setActive] = useState('');
  const [editing, setEditing] = useState('');

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => estimate(rows[i]),
    getItemKey: (i) => rows[i]?.key ?? i,
    overscan: 12,
    anchorTo: 'end',
    followOnAppend: true,
  });

  const placed = useRef('');
  const pinned = useRef(false); // the end is in view, and stays there whatever is appended
  const lastTop = useRef(0);
  useLayoutEffect(() => {
    const want = at ?? 'end';
    if (!held || rows.length === 0 || placed.current === want) {
      return;
    }
    if (at) {
      const i = rows.findIndex((r) => r.kind === 'message' && r.message.ts === at);
      if (i < 0) {
        return;
      }
      virtual.scrollToIndex(i, { align: 'center' });
      setActive(at);
      pinned.current = false;
    } else {
      const unread = rows.findIndex((r) => r.kind === 'new');
      pinned.current = unread < 0;
      virtual.scrollToIndex(unread >= 0 ? unread : rows.length - 1, { align: unread >= 0 ? 'start' : 'end' });
    }
    placed.current = want;
  }, [held, rows, at, virtual]);

  const onScroll = useCallback((): void => {
    const el = scroller.current;
    if (!el || !held) {
      return;
    }
    const end = el.scrollHeight - el.scrollTop - el.clientHeight < 40 && !held.hasNewer;
    // Only someone who scrolls up leaves the end: a feed that has just grown has not been scrolled yet.
    pinned.current = end || (pinned.current && el.scrollTop >= lastTop.current - 1 && !held.hasNewer);
    lastTop.current = el.scrollTop;
    setAtEnd(pinned.current);
    if (pinned.current) {
      setSeen(held.messages.length);
    }
    if (el.scrollTop < 1500 && held.hasOlder) {
      void store.older(channel).catch(() => undefined);
    }
    if (el.scrollHeight - el.scrollTop - el.clientHeight < 1500 && held.hasNewer) {
      void store.newer(channel).catch(() => undefined);
    }
  }, [held, store, channel]);

  useEffect(onScroll, [onScroll]);

  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is appended or measured changes the height
  useLayoutEffect(() => {
    if (pinned.current && scroller.current) {
      scroller.current.scrollTop = scroller.current.scrollHeight;
    }
  }, [height, rows]);

  // What is at the end of the view, in a focused window, is read.
  const newest = held?.messages.findLast((m) => !m.state)?.ts;
  useEffect(() => {
    const mark = (): void => {
      if (newest && atEnd && document.hasFocus()) {
        store.markRead(channel, newest);
      } else {
        store.cancelRead(channel);
      }
    };
    mark();
    addEventListener('focus', mark);
    addEventListener('blur', mark);
    return () => {
      removeEventListener('focus', mark);
      removeEventListener('blur', mark);
    };
  }, [store, channel, newest, atEnd]);

  const messages = held?.messages ?? [];
  const focusOn = (ts: string): void => {
    setActive(ts);
    const i = rows.findIndex((r) => r.kind === 'message' && r.message.ts === ts);
    virtual.scrollToIndex(i, { align: 'auto' });
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-ts="${ts}"]`)?.focus());
  };

  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === 'Escape' && newest && !editing) {
      void store.setMark(channel, newest);
      return;
    }
    if (inText(e.target) || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const i = messages.findIndex((m) => m.ts === active);
    const letters: Record<string, number> = prefs().letters ? { k: -1, j: 1 } : {};
    const step = { ArrowUp: -1, ArrowDown: 1, ...letters }[e.key];
    if (step !== undefined) {
      e.preventDefault();
      if (scrollsWithin(scroller.current, active, step)) {
        return;
      }
      const next = messages[i < 0 ? messages.length - 1 : Math.min(Math.max(i + step, 0), messages.length - 1)];
      if (next) {
        focusOn(next.ts);
      }
    } else if (e.key === 'End') {
      e.preventDefault();
      void jump();
    } else if (e.key === 'Home') {
      e.preventDefault();
      void store.first(channel).then(() => requestAnimationFrame(() => virtual.scrollToIndex(0)));
    } else if (e.key === 'PageUp' || e.key === 'PageDown') {
      e.preventDefault();
      scroller.current?.scrollBy({ top: (e.key === 'PageUp' ? -0.9 : 0.9) * (scroller.current?.clientHeight ?? 0) });
    }
  };

  const jump = async (): Promise<void> => {
    await store.newest(channel);
    requestAnimationFrame(() => virtual.scrollToIndex(rows.length - 1, { align: 'end' }));
    setTimeout(() => scroller.current?.scrollTo({ top: scroller.current.scrollHeight }), 50);
  };

  const editLast = (): boolean => {
    const mine = messages.findLast((m) => m.user === store.me && !m.state && !m.subtype);
    if (mine) {
      setEditing(mine.ts);
      focusOn(mine.ts);
    }
    return mine !== undefined;
  };
  useEffect(() => {
    const f = (e: Event): void => {
      if ((e as CustomEvent<string>).detail === channel) {
        editLast();
      }
    };
    const up = (e: Event): void => {
      if ((e as CustomEvent<string>).detail === channel) {
        scroller.current?.scrollBy({ top: -0.9 * (scroller.current?.clientHeight ?? 0) });
      }
    };
    addEventListener('us-edit-last', f);
    addEventListener('us-page-up', up);
    return () => {
      removeEventListener('us-edit-last', f);
      removeEventListener('us-page-up', up);
    };
  });

  const toasts = useToasts();
  const toDate = (at: Date): void => {
    store.firstFrom(channel, at).then(
      (ts) => (ts ? go(channel, { at: ts }) : toasts.done('Nothing was said from that day on.')),
      (e) => toasts.failed(e),
    );
  };
  const fresh = messages.length - seen;
  const items = virtual.getVirtualItems();
  const now = store.now();
  return (
    <div className="feed-box">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the articles inside */}
      <div className="scroller" ref={scroller} onScroll={onScroll} onKeyDown={onKeyDown}>
        {!held ? (
          <Skeletons />
        ) : (
          <>
            {rows.length === 0 && (
              <p className="dimmed pad">Nothing has been said here yet. What you write below is the first message.</p>
            )}
            <div style={{ height, position: 'relative' }}>
              <div role="feed" aria-label={label} aria-busy={state.loading.has(`${channel} older`)}>
                {items.map((item) => {
                  const row = rows[item.index];
                  return (
                    row?.kind === 'message' && (
                      <Place key={item.key} item={item} measure={virtual.measureElement}>
                        <MessageRow
                          channel={channel}
                          message={row.message}
                          follows={row.follows}
                          active={active ? active === row.message.ts : row.message.ts === messages.at(-1)?.ts}
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
      {held && !atEnd && (
        <Button className="jump" size="compact-md" onClick={() => void jump()}>
          {fresh > 0 && !held.hasNewer && seen > 0
            ? `${fresh} new ${fresh === 1 ? 'message' : 'messages'}`
            : 'Jump to newest'}
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

/** Where a row of the list stands. Dividers stand beside the feed, which may hold articles alone. */
function Place({ item, measure, children }: PlaceProps) {
  return (
    <div data-index={item.index} ref={measure} className="row" style={{ transform: `translateY(${item.start}px)` }}>
      {children}
    </div>
  );
}

/** Scrolls through a message that is taller than the window; reports whether there was more of it. */
function scrollsWithin(box: HTMLElement | null, ts: string, step: number): boolean {
  const row = box?.querySelector<HTMLElement>(`[data-ts="${ts}"]`);
  if (!box || !row || row.offsetHeight <= box.clientHeight) {
    return false;
  }
  const view = box.getBoundingClientRect();
  const at = row.getBoundingClientRect();
  const rest = step > 0 ? at.bottom - view.bottom : view.top - at.top;
  if (rest <= 1) {
    return false;
  }
  box.scrollBy({ top: step * Math.min(rest, box.clientHeight * 0.8) });
  return true;
}

interface DividerProps {
  text: string;
  fresh: boolean;
  jump?: { from: Date; to: (at: Date) => void };
}

function Divider({ text, fresh, jump }: DividerProps) {
  return (
    <div className={fresh ? 'divider new' : 'divider'}>
      {/* biome-ignore lint/a11y/useSemanticElements: an hr has no text */}
      <div role="separator" aria-label={text} className="divider-text">
        {text}
      </div>
      {jump && <JumpToDate {...jump} />}
    </div>
  );
}

function JumpToDate(jump: { from: Date; to: (at: Date) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label="Jump to date"
        title="Jump to date"
        onClick={() => setOpen(true)}
      >
        <CalendarDays size={14} />
      </ActionIcon>
      {open && (
        <Suspense>
          <DateDialog {...jump} close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
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
