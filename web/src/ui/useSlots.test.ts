import { expect, test } from 'vitest';
import { assignSlots } from './useSlots';

const id = (item: string): string => item;
const drawn = (slots: { item: string; slot: number }[]): string => slots.map((s) => `${s.item}${s.slot}`).join(' ');

test('a row keeps its element while it is drawn, and one that comes takes the element of one that went', () => {
  const first = assignSlots(new Map(), ['a', 'b', 'c'], id, true);
  expect(drawn(first.slots)).toBe('a0 b1 c2');
  const second = assignSlots(first.next, ['b', 'c', 'd'], id, true);
  expect(drawn(second.slots)).toBe('d0 b1 c2');
  const third = assignSlots(second.next, ['b', 'c', 'd'], id, false);
  expect(drawn(third.slots)).toBe('b1 c2 d0');
});

test('a row that is put before others moves nobody to another element', () => {
  const { next } = assignSlots(new Map(), ['a', 'b'], id, false);
  expect(drawn(assignSlots(next, ['new', 'a', 'b'], id, false).slots)).toBe('new2 a0 b1');
});
