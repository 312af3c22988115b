import type { EventSummary } from '../api';

/** What the page of live events shows. */
export interface Tail {
  events: EventSummary[]; // the newest first
  shown: number; // in the last second
  dropped: number; // left out by the server in the last second
}

export const most = 500;

/** Returns the tail with new events in front. They are passed oldest first. */
export function grow(list: EventSummary[], fresh: EventSummary[]): EventSummary[] {
  if (fresh.length === 0) {
    return list;
  }
  const known = new Set(list.map((e) => e.event_id));
  const added = fresh.filter((e) => !known.has(e.event_id)).reverse();
  return [...added, ...list].slice(0, most);
}

/** Returns n if one of n events is shown; 1 if all are. */
export const oneIn = (shown: number, dropped: number): number =>
  dropped === 0 ? 1 : Math.max(2, Math.round((shown + dropped) / Math.max(shown, 1)));
