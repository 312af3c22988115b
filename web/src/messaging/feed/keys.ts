import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { prefs } from '../../app/prefs';
import { inText } from '../../app/regions';
import { useMessaging } from '../context';
import type { Message } from '../types';

interface Feed {
  channel: string;
  box: RefObject<HTMLDivElement | null>;
  messages: Message[];
  active: string;
  editing: boolean;
  focusOn: (ts: string) => void;
  edit: (ts: string) => void;
  first: () => Promise<void>;
  newest: () => Promise<void>;
}

/** Part of a view's height that Page Up and Page Down move. */
const screenful = 0.9;

/** Returns what the keys of a feed do; the composer asks by events to edit the last message and to scroll. */
export function useFeedKeys(feed: Feed): (e: KeyboardEvent) => void {
  const { store } = useMessaging();
  const { channel, box, messages, active, focusOn } = feed;

  const scroll = (screens: number): void =>
    box.current?.scrollBy({ top: screens * screenful * box.current.clientHeight });

  useEffect(() => {
    const ofThis = (f: () => void) => (e: Event) => (e as CustomEvent<string>).detail === channel && f();
    const edit = ofThis(() => {
      const mine = messages.findLast((m) => m.user === store.me && !m.state && !m.subtype && !m.is_ephemeral);
      if (mine) {
        feed.edit(mine.ts);
      }
    });
    const up = ofThis(() => scroll(-1));
    addEventListener('us-edit-last', edit);
    addEventListener('us-page-up', up);
    return () => {
      removeEventListener('us-edit-last', edit);
      removeEventListener('us-page-up', up);
    };
  });

  // A message that goes while it has the focus gives it to the next one.
  const place = useRef(-1);
  useEffect(() => {
    const at = messages.findIndex((m) => m.ts === active);
    const lost = document.activeElement === document.body || document.activeElement === null;
    if (at < 0 && place.current >= 0 && active && lost) {
      const next = messages[Math.min(place.current, messages.length - 1)];
      if (next) {
        focusOn(next.ts);
      }
    }
    place.current = at;
  });

  return (e) => {
    const newest = messages.findLast((m) => !m.state)?.ts;
    if (e.key === 'Escape' && newest && !feed.editing) {
      void store.marks.set(channel, newest);
      return;
    }
    if (inText(e.target) || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const letters: Record<string, number> = prefs().letters ? { k: -1, j: 1 } : {};
    const step = { ArrowUp: -1, ArrowDown: 1, ...letters }[e.key];
    const act = {
      End: () => void feed.newest(),
      Home: () => void feed.first(),
      PageUp: () => scroll(-1),
      PageDown: () => scroll(1),
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
