import type { EventSummary, TraceEvent } from '../api';

/** One event of a trace as a row, with its position in the tree and in time. */
export interface Row {
  event: TraceEvent;
  level: number;
  position: number; // among its siblings, from 1
  siblings: number;
  offset: number; // milliseconds from the begin of the session
  parent: number; // the row of its parent, -1 for none
  failedBelow: boolean;
  outside: boolean; // begins before its parent or ends after it
}

/** The number of rows up to which a trace is shown fully expanded. */
export const openUpTo = 200;

/** Returns all events of a trace, parents before children, children by start. It does not recurse, because traces may be deep. */
export function flatten(roots: TraceEvent[]): Row[] {
  const rows: Row[] = [];
  const begin = roots.reduce((least, e) => Math.min(least, e.start), Number.POSITIVE_INFINITY);
  const byStart = (list: TraceEvent[]): TraceEvent[] => list.toSorted((a, b) => a.start - b.start);
  const waiting = byStart(roots)
    .map((event, i, all) => ({ event, level: 1, position: i + 1, siblings: all.length, parent: -1 }))
    .reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const at = rows.length;
    rows.push({ ...next, offset: next.event.start - begin, failedBelow: false, outside: isOutside(next, rows) });
    const { level } = next;
    const children = byStart(next.event.children);
    for (let i = children.length - 1; i >= 0; i--) {
      const event = children[i];
      if (event) {
        waiting.push({ event, level: level + 1, position: i + 1, siblings: children.length, parent: at });
      }
    }
  }
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    const parent = row && rows[row.parent];
    if (row && parent && (row.failedBelow || row.event.success === false)) {
      parent.failedBelow = true;
    }
  }
  return rows;
}

/**
 * Reports whether an event is the origin of a failure. An event that failed because of a child is not: none of its
 * children succeeded after another had failed.
 */
export function isCause(e: TraceEvent): boolean {
  if (e.success) {
    return false;
  }
  let failedUntil = Number.NEGATIVE_INFINITY;
  let succeededFrom = Number.NEGATIVE_INFINITY;
  for (const c of e.children) {
    if (c.success) {
      succeededFrom = Math.max(succeededFrom, c.start);
    } else {
      failedUntil = Math.max(failedUntil, c.start + (c.latency ?? 0));
    }
  }
  return failedUntil === Number.NEGATIVE_INFINITY || succeededFrom >= failedUntil;
}

/** Returns the events that are collapsed at first: in a large trace, all but those that lead to a failure. */
export function closedAtFirst(rows: Row[]): ReadonlySet<string> {
  if (rows.length <= openUpTo) {
    return new Set();
  }
  return new Set(rows.filter((r) => r.event.children.length > 0 && !r.failedBelow).map((r) => r.event.event_id));
}

/** Returns the indexes of the visible rows while some events are collapsed. */
export function shownRows(rows: Row[], closed: ReadonlySet<string>): number[] {
  const shown: number[] = [];
  let hiddenBelow = 0; // the level of a collapsed event whose descendants are skipped; 0 for none
  rows.forEach((r, i) => {
    if (hiddenBelow > 0 && r.level > hiddenBelow) {
      return;
    }
    hiddenBelow = closed.has(r.event.event_id) ? r.level : 0;
    shown.push(i);
  });
  return shown;
}

/** Returns the index of the next row that satisfies `is`, wrapping around the end; -1 if there is none. */
export function nextRow(rows: Row[], from: number, step: 1 | -1, is: (r: Row) => boolean): number {
  for (let n = 1; n <= rows.length; n++) {
    const i = (from + step * n + rows.length * 2) % rows.length;
    const row = rows[i];
    if (row && is(row)) {
      return i;
    }
  }
  return -1;
}

/** Returns the events that must be expanded to show a row. */
export function pathTo(rows: Row[], i: number): string[] {
  const path: string[] = [];
  for (let at = rows[i]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1) {
    path.push(rows[at]?.event.event_id ?? '');
  }
  return path;
}

/** Returns the duration of the trace, in milliseconds; at least 1. */
export const lengthOf = (rows: Row[]): number =>
  rows.reduce((most, r) => Math.max(most, r.offset + (r.event.latency ?? 0)), 1);

/** Reports whether an event is outside of its parent's time. */
function isOutside({ event: e, parent }: { event: TraceEvent; parent: number }, rows: Row[]): boolean {
  const p = rows[parent]?.event;
  if (!p || p.latency === null) {
    return false;
  }
  return e.start < p.start || e.start + (e.latency ?? 0) > p.start + p.latency;
}

/** Collects the events of a session as they arrive: pages of its tree, then single events. */
export class Forest {
  readonly roots: TraceEvent[] = [];
  readonly #byID = new Map<string, TraceEvent>();

  get size(): number {
    return this.#byID.size;
  }

  /** Adds a page of the tree. A root whose parent was added before becomes its child. */
  add(page: TraceEvent[]): void {
    for (const root of page) {
      this.#place(root);
      const waiting = [root];
      for (let e = waiting.pop(); e; e = waiting.pop()) {
        this.#byID.set(e.event_id, e);
        waiting.push(...e.children);
      }
    }
  }

  /** Adds an event that was stored after the tree was read. It reports whether it is new. */
  grow(e: EventSummary): boolean {
    if (this.#byID.has(e.event_id)) {
      return false;
    }
    const event: TraceEvent = { ...e, children: [] };
    this.#byID.set(e.event_id, event);
    this.#place(event);
    for (let i = this.roots.length - 1; i >= 0; i--) {
      const root = this.roots[i];
      if (root && root !== event && root.parent_id === e.event_id && root.parent_missing) {
        this.roots.splice(i, 1);
        root.parent_missing = undefined;
        event.children.push(root);
      }
    }
    return true;
  }

  #place(e: TraceEvent): void {
    const parent = e.parent_id === null || e.cycle ? undefined : this.#byID.get(e.parent_id);
    if (parent) {
      parent.children.push(e);
      return;
    }
    if (e.parent_id !== null && !e.cycle) {
      e.parent_missing = true;
    }
    this.roots.push(e);
  }
}
