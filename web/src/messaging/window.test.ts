import { describe, expect, it } from 'vitest';
import type { Message } from './types';
import { addNewer, addOlder, empty, find, maxHeld, merge, put, remove, trim, type Window, withDrafts } from './window';

const message = (n: number): Message => ({
  type: 'message',
  ts: `1772442000.${String(n).padStart(6, '0')}`,
  text: String(n),
});
const window = (from: number, to: number, rest: Partial<Window> = {}): Window => ({
  messages: Array.from({ length: to - from }, (_, i) => message(from + i)),
  hasOlder: false,
  hasNewer: false,
  ...rest,
});
const numbers = (w: Window): number[] => w.messages.map((m) => Number(m.text));

describe('a window of messages', () => {
  it('puts messages where their ts belongs, once', () => {
    let w = put(put(put({ ...empty, hasOlder: false }, message(5)), message(9)), message(7));
    expect(numbers(w)).toEqual([5, 7, 9]);
    w = put(w, { ...message(7), text: '70' });
    expect(numbers(w)).toEqual([5, 70, 9]);
    expect(find(w, message(9).ts)?.text).toBe('9');
    expect(numbers(remove(w, message(5).ts))).toEqual([70, 9]);
    expect(remove(w, message(6).ts)).toBe(w);
  });

  it('does not show what lies beyond a gap', () => {
    const w = window(100, 110, { hasOlder: true, hasNewer: true });
    expect(put(w, message(500))).toBe(w);
    expect(put(w, message(1))).toBe(w);
    expect(numbers(put(w, { ...message(105), text: '1' }))).toContain(1);
  });

  it('orders by seconds before digits', () => {
    const w = put(put({ ...empty, hasOlder: false }, { ...message(1), ts: '999.000001' }), {
      ...message(2),
      ts: '1000.000001',
    });
    expect(numbers(w)).toEqual([1, 2]);
  });

  it('holds at most so many, and says on which side more are', () => {
    const page = (from: number, to: number) => ({
      messages: window(from, to).messages,
      has_older: true,
      has_newer: false,
    });
    let w = addOlder(window(1000, 1900), page(800, 1000));
    expect(w.messages.length).toBe(maxHeld);
    expect([w.hasOlder, w.hasNewer, numbers(w)[0]]).toEqual([true, true, 800]);
    w = addNewer(w, page(1800, 2000));
    expect([w.messages.length, w.hasOlder, w.hasNewer]).toEqual([maxHeld, true, false]);
    expect(new Set(numbers(w)).size).toBe(maxHeld);
    expect(numbers(w).at(-1)).toBe(1999);
  });

  it('drops what live messages add beyond its size, at the end that is not read', () => {
    const w = window(0, maxHeld + 50);
    expect(trim(w, 'oldest')).toMatchObject({ hasOlder: true, hasNewer: false });
    expect(numbers(trim(w, 'oldest'))[0]).toBe(50);
    expect(trim(w, 'newest')).toMatchObject({ hasOlder: false, hasNewer: true });
    expect(numbers(trim(w, 'newest')).at(-1)).toBe(maxHeld - 1);
    const small = window(0, 3);
    expect(trim(small, 'oldest')).toBe(small);
  });

  it('leaves no gap after a break, however much was said', () => {
    const page = (from: number, to: number) => ({
      messages: window(from, to).messages,
      has_older: from > 0,
      has_newer: false,
    });
    expect(numbers(merge(window(0, 10), page(5, 15), true))).toEqual(Array.from({ length: 15 }, (_, i) => i));
    // More than a page: the window at the end continues alone; one further back stays, with hasNewer.
    expect(merge(window(0, 10), page(500, 700), true)).toMatchObject({ hasOlder: true, hasNewer: false });
    expect(numbers(merge(window(0, 10), page(500, 700), true))[0]).toBe(500);
    expect(merge(window(0, 10), page(500, 700), false)).toMatchObject({ hasNewer: true });
    expect(numbers(merge(window(0, 10), page(500, 700), false)).at(-1)).toBe(9);
    // Deletions during the break are applied, drafts are kept.
    const held = window(0, 10);
    const draft: Message = { ...message(99), state: 'failed' };
    held.messages.push(draft);
    const merged = withDrafts(merge(held, { ...page(0, 9), has_older: false }, true), [draft]);
    expect(numbers(merged)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 99]);
    // Live messages that arrive before the page do not close the gap, and are not lost.
    const spoke = { ...window(0, 10), messages: [...window(0, 10).messages, message(699), message(700)] };
    expect(numbers(merge(spoke, page(500, 700), true, message(9).ts))[0]).toBe(500);
    expect(numbers(merge(spoke, page(500, 700), true, message(9).ts)).at(-1)).toBe(700);
    expect(numbers(merge(spoke, page(500, 700), false, message(9).ts)).at(-1)).toBe(9);
  });
});
