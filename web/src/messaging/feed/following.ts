import type { Virtualizer } from '@tanstack/react-virtual';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useMessaging } from '../context';
import type { Window } from '../window';
import { type Row, rowOf } from './rows';

/** The distance to the end of the loaded messages at which the next page is loaded, in pixels. */
const readAhead = 1500;
/** The distance at which the end counts as visible, in pixels. */
const nearEnd = 40;

interface Following {
  /** Whether the view stays at the end when messages arrive. */
  following: boolean;
  /** The ts of the newest message when the end was last visible. */
  leftAt: string;
  /** Starts or stops following the end. */
  follow: (on: boolean) => void;
  onScroll: () => void;
}

/** Sets the initial scroll position of a feed, follows its end, and loads pages during scrolling. */
export function useFollowing(
  channel: string,
  held: Window | undefined,
  rows: Row[],
  at: string | undefined,
  box: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
): Following {
  const { store } = useMessaging();
  const { pages } = store;
  // A ref, not state, so that a scroll takes effect before the next render.
  const now = useRef({ following: !at, top: 0 });
  const [following, setFollowing] = useState(!at);
  const [leftAt, setLeftAt] = useState('');
  const newest = held?.messages.at(-1)?.ts ?? '';

  const follow = useCallback(
    (on: boolean): void => {
      now.current.following = on;
      setFollowing(on);
      pages.setScrolledUp(channel, !on);
      if (on && box.current) {
        box.current.scrollTop = box.current.scrollHeight;
      }
    },
    [pages, channel, box],
  );
  useEffect(() => () => pages.setScrolledUp(channel, false), [pages, channel]);

  const placed = useRef('');
  useLayoutEffect(() => {
    const want = at ?? 'end';
    if (!held || rows.length === 0 || placed.current === want) {
      return;
    }
    const i = at ? rowOf(rows, at) : rows.findIndex((r) => r.kind === 'new');
    if (at && i < 0) {
      return;
    }
    follow(i < 0);
    if (i >= 0) {
      virtual.scrollToIndex(i, { align: at ? 'center' : 'start' });
    }
    placed.current = want;
  }, [held, rows, at, virtual, follow]);

  const onScroll = useCallback((): void => {
    const el = box.current;
    if (!el || !held) {
      return;
    }
    const below = el.scrollHeight - el.scrollTop - el.clientHeight;
    // Only scrolling up leaves the end. A feed that has just grown has not been scrolled yet.
    const still = now.current.following && el.scrollTop >= now.current.top - 1;
    now.current.top = el.scrollTop;
    const on = !held.hasNewer && (below < nearEnd || still);
    if (on !== now.current.following) {
      now.current.following = on;
      setFollowing(on);
      pages.setScrolledUp(channel, !on);
    }
    if (on) {
      setLeftAt(newest);
    }
    if (el.scrollTop < readAhead && held.hasOlder) {
      void pages.older(channel).catch(() => undefined);
    }
    if (below < readAhead && held.hasNewer) {
      void pages.newer(channel).catch(() => undefined);
    }
  }, [held, newest, pages, channel, box]);
  useEffect(onScroll, [onScroll]);

  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is appended or measured changes the height
  useLayoutEffect(() => {
    if (now.current.following && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
    }
  }, [height, rows, box]);

  // The composer grows with its text and shrinks the feed.
  useEffect(() => {
    const el = box.current;
    if (!el) {
      return;
    }
    const resized = new ResizeObserver(() => {
      if (now.current.following) {
        el.scrollTop = el.scrollHeight;
      }
    });
    resized.observe(el);
    return () => resized.disconnect();
  }, [box]);

  return { following, leftAt, follow, onScroll };
}
