import { useRef } from 'react';

/** A row that is drawn, and the key of the element that it is drawn in. */
export interface Slot<T> {
  item: T;
  slot: number;
}

/**
 * Assigns rows to elements: a row keeps its element while it is drawn, and a row that comes into view takes the
 * element of one that has left it. To change an element costs half of making one. While the rows are scrolled the
 * elements stay in their order, for moving them costs as much as making them; at rest they stand in the order of the
 * rows, which is the order in which they are read aloud.
 */
export function assignSlots<T>(
  held: ReadonlyMap<string, number>,
  items: T[],
  id: (item: T) => string,
  moving: boolean,
) {
  const next = new Map<string, number>();
  const taken = new Set<number>();
  const fresh: T[] = [];
  for (const item of items) {
    const slot = held.get(id(item));
    if (slot === undefined) {
      fresh.push(item);
    } else {
      next.set(id(item), slot);
      taken.add(slot);
    }
  }
  let free = 0;
  for (const item of fresh) {
    while (taken.has(free)) {
      free++;
    }
    taken.add(free);
    next.set(id(item), free);
  }
  const slots = items.map((item): Slot<T> => ({ item, slot: next.get(id(item)) as number }));
  return { next, slots: moving ? slots.sort((a, b) => a.slot - b.slot) : slots };
}

/** Returns the rows to draw, each with the element that it is drawn in. */
export function useSlots<T>(items: T[], id: (item: T) => string, moving: boolean): Slot<T>[] {
  const held = useRef<ReadonlyMap<string, number>>(new Map());
  const { next, slots } = assignSlots(held.current, items, id, moving);
  held.current = next;
  return slots;
}
