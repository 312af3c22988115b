import { useRef } from 'react';

/** A rendered row, and the key of its element. */
export interface Slot<T> {
  item: T;
  slot: number;
}

/**
 * Assigns rows to DOM elements. A row keeps its element while it is rendered, and a row that becomes visible reuses the
 * element of a row that is no longer visible: changing an element takes half the time of creating one. During scrolling
 * elements keep their order, because moving one is as slow as creating it. At rest they have the order of the rows, in
 * which screen readers read them.
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

/** Returns the rows to render, each with the key of its element. */
export function useSlots<T>(items: T[], id: (item: T) => string, moving: boolean): Slot<T>[] {
  const held = useRef<ReadonlyMap<string, number>>(new Map());
  const { next, slots } = assignSlots(held.current, items, id, moving);
  held.current = next;
  return slots;
}
