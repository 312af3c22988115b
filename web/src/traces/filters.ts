import type { Search } from '../routes';

/** Lengths of the periods that one chooses by name, in milliseconds. */
export const periods: Record<string, { label: string; length: number }> = {
  '1h': { label: '1 h', length: 3_600_000 },
  '24h': { label: '24 h', length: 86_400_000 },
  '7d': { label: '7 d', length: 7 * 86_400_000 },
  '30d': { label: '30 d', length: 30 * 86_400_000 },
  all: { label: 'All', length: 0 },
};

const names = ['tool', 'user_id', 'customer_id', 'model', 'success'];

/** Returns the filters of the address that narrow what is shown, in a fixed order. */
export function chosen(search: Search): [name: string, value: string][] {
  const known = names.flatMap((n): [string, string][] => (search[n] ? [[n, search[n]]] : []));
  const traits = Object.entries(search).filter(
    (e): e is [string, string] => e[0].startsWith('trait.') && e[1] !== undefined && e[1] !== '',
  );
  return [...known, ...traits.sort(([a], [b]) => a.localeCompare(b))];
}

/** Returns the query of the API for the filters of an address. */
export function queryOf(search: Search, now: number): URLSearchParams {
  const q = new URLSearchParams(chosen(search));
  const length = periods[search.period ?? 'all']?.length ?? 0;
  const from = search.from ?? (length > 0 ? String(now - length) : undefined);
  if (from) {
    q.set('from', from);
  }
  if (search.to) {
    q.set('to', search.to);
  }
  return q;
}
