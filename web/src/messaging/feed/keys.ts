import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { prefs } from '../../app/prefs';
import { inText } from '../../app/regions';
import { useMessaging } from '../context';
import type { Message } from '../types';

interface Feed {
  box: RefObject<HTMLDivElement | null>;
  messages: Message[];
  active: string;
  setActive: (ts: string) => void;
  focusOn: (ts: string) => void;
  /** Goes to the first message. */
  first: () => void;
  /** Goes to the newest message. */
  newest: () => void;
}

/** Part of a view's height that Page Up and Page Down move. */
const screenful = 0.9;

function scrollBy(box: HTMLElement | null, screens: number): void {
  box?.scrollBy({ top: screens * screenful * box.clientHeight });
}

/** Handles the composer's events: edit the last message, and scroll. */
export function useComposerRequests(channel: string, feed: Feed, edit: (ts: string) => void): void {
  const { store } = useMessaging();
  const { box, messages } = feed;
  useEffect(() => {
    const ofThis = (f: () => void) => (e: Event) => (e as CustomEvent<string>).detail === channel && f();
    const editLast = ofThis(() => {
      const mine = messages.findLast((m) => m.user === store.me && !m.state && !m.subtype && !m.is_ephemeral);
      if (mine) {
        edit(mine.ts);
      }
    });
    const up = ofThis(() => scrollBy(box.current, -1));
    addEventListener('us-edit-last', editLast);
    addEventListener('us-page-up', up);
    return () => {
      removeEventListener('us-edit-last', editLast);
      removeEventListener('us-page-up', up);
    };
  });
}

/**
 * Returns the keyboard handler of a feed. If the focused message is removed, the next one gets the focus; if its ts
 * changes, because the service has stored it, it keeps the focus.
 */
export function useFeedKeys(feed: Feed): (e: KeyboardEvent) => void {
  const { box, messages, active, setActive, focusOn } = feed;
  const place = useRef(-1);
  useEffect(() => {
    const at = messages.findIndex((m) => m.ts === active);
    const lost = document.activeElement === document.body || document.activeElement === null;
    const focused = document.activeElement?.closest<HTMLElement>('[data-ts]');
    if (at < 0 && focused && box.current?.contains(focused)) {
      setActive(focused.dataset.ts ?? '');
    } else if (at < 0 && place.current >= 0 && active && lost) {
      const next = messages[Math.min(place.current, messages.length - 1)];
      if (next) {
        focusOn(next.ts);
      }
    }
    place.current = at;
  });

  return (e) => {
    if (inText(e.target) || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const letters: Record<string, number> = prefs().letters ? { k: -1, j: 1 } : {};
    const step = { ArrowUp: -1, ArrowDown: 1, ...letters }[e.key];
    const act = {
      End: feed.newest,
      Home: feed.first,
      PageUp: () => scrollBy(box.current, -1),
      PageDown: () => scrollBy(box.current, 1),
    }[e.key];
    if (act) {
      e.preventDefault();
      act();
    } else if (step !== undefined) {
      e.preventDefault();
      if (!scrollsWithin(box.current, active, step)) {
        const at = messages.findIndex((m) => m.ts === active);
        const next = messages[at < 0 ? messages.length - 1 : Math.min(Math.max(at + step, 0), messages.length - 1)];
        if (next) {
          focusOn(next.ts);
        }
      }
    }
  };
}

/** Scrolls within a message that is taller than the window, and reports whether it could. */
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
