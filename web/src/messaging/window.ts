import type { Message } from './types';

/** A piece of a conversation that is held in memory: oldest first, by ts. */
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

/** Puts a message where its ts belongs, or in place of the one with that ts. */
export function put(w: Window, m: Message): Window {
  const { at, found } = place(w.messages, m.ts);
  if (!found && at === w.messages.length && w.hasNewer) {
    return w; // newer than what is held, with a gap between
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

/** Adds a page of older messages and drops the newest beyond what is held. */
export function addOlder(w: Window, page: Page): Window {
  const messages = [...page.messages, ...w.messages];
  const over = messages.length > maxHeld;
  return {
    messages: over ? messages.slice(0, maxHeld) : messages,
    hasOlder: page.has_older,
    hasNewer: w.hasNewer || over,
  };
}

/** Adds a page of newer messages and drops the oldest beyond what is held. */
export function addNewer(w: Window, page: Page): Window {
  const known = new Set(w.messages.map((m) => m.ts));
  const messages = [...w.messages, ...page.messages.filter((m) => !known.has(m.ts))];
  messages.sort((a, b) => compareTs(a.ts, b.ts));
  const over = messages.length > maxHeld;
  return {
    messages: over ? messages.slice(messages.length - maxHeld) : messages,
    hasOlder: w.hasOlder || over,
    hasNewer: page.has_newer,
  };
}

/** Replaces what is held by a page. */
export function of(page: Page): Window {
  return { messages: page.messages, hasOlder: page.has_older, hasNewer: page.has_newer };
}
