import type { Message } from './types';

/** The part of a conversation that is in memory, oldest message first. */
export interface Window {
  messages: Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}

/** The most messages that a window holds. */
export const maxHeld = 1000;

export const empty: Window = { messages: [], hasOlder: true, hasNewer: false };

/** Compares two ts; both have six digits after the dot. */
export function compareTs(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function place(messages: Message[], ts: string): { at: number; found: boolean } {
  let low = 0;
  let high = messages.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const order = compareTs(messages[mid]?.ts ?? '', ts);
    if (order === 0) {
      return { at: mid, found: true };
    }
    if (order < 0) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  return { at: low, found: false };
}

/** Inserts a message by its ts, or replaces the one with the same ts. */
export function put(w: Window, m: Message): Window {
  const { at, found } = place(w.messages, m.ts);
  if (!found && at === w.messages.length && w.hasNewer) {
    return w; // newer than the window, with a gap between
  }
  if (!found && at === 0 && w.hasOlder && w.messages.length > 0) {
    return w;
  }
  const messages = w.messages.slice();
  messages.splice(at, found ? 1 : 0, m);
  return { ...w, messages };
}

export function remove(w: Window, ts: string): Window {
  const { at, found } = place(w.messages, ts);
  return found ? { ...w, messages: w.messages.toSpliced(at, 1) } : w;
}

export function find(w: Window, ts: string): Message | undefined {
  const { at, found } = place(w.messages, ts);
  return found ? w.messages[at] : undefined;
}

export interface Page {
  messages: Message[];
  has_older: boolean;
  has_newer: boolean;
}

/** Drops messages beyond maxHeld at one end. */
export function trim(w: Window, end: 'oldest' | 'newest'): Window {
  if (w.messages.length <= maxHeld) {
    return w;
  }
  return end === 'oldest'
    ? { ...w, messages: w.messages.slice(-maxHeld), hasOlder: true }
    : { ...w, messages: w.messages.slice(0, maxHeld), hasNewer: true };
}

/** Adds a page of older messages, and drops the newest beyond maxHeld. */
export function addOlder(w: Window, page: Page): Window {
  return trim({ ...w, messages: [...page.messages, ...w.messages], hasOlder: page.has_older }, 'newest');
}

/** Adds a page of newer messages, and drops the oldest beyond maxHeld. */
export function addNewer(w: Window, page: Page): Window {
  const known = new Set(w.messages.map((m) => m.ts));
  const messages = [...w.messages, ...page.messages.filter((m) => !known.has(m.ts))];
  messages.sort((a, b) => compareTs(a.ts, b.ts));
  return trim({ ...w, messages, hasNewer: page.has_newer }, 'oldest');
}

/** Returns the window of a page. */
export function of(page: Page): Window {
  return { messages: page.messages, hasOlder: page.has_older, hasNewer: page.has_newer };
}

/** Shows drafts in a window that reaches the end of its conversation, each once. */
export const withDrafts = (w: Window, drafts: Message[]): Window => drafts.reduce(put, w);

/**
 * Replaces the end of the window by the newest page. If more messages were posted during a break than fit in the page, a
 * window at the end becomes the page, and one further back keeps its messages from before the break. last is the newest
 * ts before the break, or undefined if nothing has arrived since.
 */
export function merge(w: Window, page: Page, atEnd: boolean, last?: string): Window {
  const oldest = page.messages[0]?.ts ?? '';
  const sent = w.messages.filter((m) => !m.state);
  const before = sent.filter((m) => compareTs(m.ts, oldest) < 0);
  const held = last ?? sent.at(-1)?.ts;
  const gap = page.has_older && held !== undefined && compareTs(held, oldest) < 0;
  if (gap && !atEnd) {
    return { ...w, messages: sent.filter((m) => compareTs(m.ts, held) <= 0), hasNewer: true };
  }
  const kept = gap ? [] : before;
  // Messages that arrived during the request come after the page. Older ones that are not in the page were deleted.
  const newest = page.messages.at(-1)?.ts ?? '';
  const behind = sent.filter((m) => last !== undefined && compareTs(m.ts, last) > 0 && compareTs(m.ts, newest) > 0);
  const messages = [...kept, ...page.messages, ...behind];
  return trim({ messages, hasOlder: kept.length > 0 ? w.hasOlder : page.has_older, hasNewer: false }, 'oldest');
}
