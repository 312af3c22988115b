import type { Search } from '../app/address';

/** The lengths of named periods, in milliseconds. */
export const periods: Record<string, { label: string; length: number }> = {
  '1h': { label: '1 h', length: 3_600_000 },
  '24h': { label: '24 h', length: 86_400_000 },
  '7d': { label: '7 d', length: 7 * 86_400_000 },
  '30d': { label: '30 d', length: 30 * 86_400_000 },
  all: { label: 'All', length: 0 },
};

const names = ['tool', 'user_id', 'customer_id', 'model', 'success', 'type', 'client_config'];

/** A period in epoch milliseconds; `to` is exclusive. An absent bound is open. */
export interface Range {
  from?: number;
  to?: number;
}

/** Returns the filters of the URL, in a fixed order. */
export function chosen(search: Search): [name: string, value: string][] {
  const known = names.flatMap((n): [string, string][] => (search[n] ? [[n, search[n]]] : []));
  const open = Object.entries(search).filter(
    (e): e is [string, string] => /^(trait|metadata)\../.test(e[0]) && e[1] !== undefined && e[1] !== '',
  );
  return [...known, ...open.sort(([a], [b]) => a.localeCompare(b))];
}

/** The latest moment that Date can represent, in any time zone. */
const furthest = 8.64e15 - 86_400_000;

/** Parses a moment of the URL, epoch milliseconds or a date, as epoch milliseconds. */
export function momentOf(text: string | undefined): number | undefined {
  if (!text) {
    return undefined;
  }
  const at = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  return Math.abs(at) <= furthest ? at : undefined;
}

/** Returns the name of the period of a URL. */
export const periodOf = (search: Search): string =>
  search.period && (Object.hasOwn(periods, search.period) || search.period === 'custom')
    ? search.period
    : search.from || search.to
      ? 'custom'
      : 'all';

/** Returns the period of an address; `now` is the time of the environment. */
export function rangeOf(search: Search, now: number): Range {
  const period = periodOf(search);
  if (period === 'custom') {
    return { from: momentOf(search.from), to: momentOf(search.to) };
  }
  const length = periods[period]?.length ?? 0;
  return length > 0 ? { from: now - length } : {};
}

/** Returns the period of the same length before one; undefined for one without a beginning. */
export function rangeBefore(range: Range, now: number): Range | undefined {
  if (range.from === undefined) {
    return undefined;
  }
  const length = (range.to ?? now) - range.from;
  return length > 0 ? { from: Math.max(range.from - length, 0), to: range.from } : undefined;
}

/** Returns the query of the API for the filters of an address in a period. */
export function queryIn(search: Search, range: Range): URLSearchParams {
  const q = new URLSearchParams(chosen(search));
  if (search.project_id) {
    q.set('project_id', search.project_id);
  }
  if (range.from !== undefined) {
    q.set('from', String(range.from));
  }
  if (range.to !== undefined) {
    q.set('to', String(range.to));
  }
  return q;
}

/** Returns the query of the API for an address. */
export const queryOf = (search: Search, now: number): URLSearchParams => queryIn(search, rangeOf(search, now));

export const intervals = { minute: 60_000, '5m': 300_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

export type Interval = keyof typeof intervals;

const mostPoints = 200;

/** Returns the shortest interval that divides a time into at most 200 parts. */
export function intervalOf(length: number): Interval {
  for (const [name, step] of Object.entries(intervals)) {
    if (length / step <= mostPoints) {
      return name as Interval;
    }
  }
  return 'week';
}

/** Returns the parameters that are kept when another page of the area is opened: filters and period. */
export function kept(search: Search): Search {
  const { period, from, to, project_id } = search;
  return { ...Object.fromEntries(chosen(search)), period, from, to, project_id };
}
