import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Search } from '../app/address';
import { useWorldClock } from '../app/worldClock';
import { ask } from './api';
import { queryIn, type Range, rangeBefore, rangeOf } from './filters';

export interface Filtered {
  env: string;
  search: Search;
  patch: (change: Search, replace?: boolean) => void;
  now: number; // when the URL was read
  range: Range;
  before?: Range; // the period before
  q: URLSearchParams;
  /** Returns the query options for a route of ingestion, with the filters. */
  get: <T>(
    path: string,
    more?: Record<string, string>,
    range?: Range,
  ) => {
    queryKey: unknown[];
    queryFn: (context: { signal: AbortSignal }) => Promise<T>;
  };
}

/** Returns the filters of the URL, and a function that reads with them. */
export function useFilters(): Filtered {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const world = useWorldClock(env);
  const key = JSON.stringify(search);
  const stamp = world.clock?.now;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address and the clock decide; the time is taken when they change
  const taken = useMemo(() => {
    const now = world.now();
    const range = rangeOf(search, now);
    return { now, range, before: rangeBefore(range, now), q: queryIn(search, range) };
  }, [key, stamp]);
  return {
    env,
    search,
    ...taken,
    patch: (change, replace = false) =>
      void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace }),
    get: <T>(path: string, more: Record<string, string> = {}, range = taken.range) => {
      const q = new URLSearchParams(queryIn(search, range));
      for (const [name, value] of Object.entries(more)) {
        q.set(name, value);
      }
      return {
        queryKey: ['traces', env, path, q.toString()],
        queryFn: ({ signal }) => ask<T>(env, q.size > 0 ? `${path}?${q}` : path, signal),
      };
    },
  };
}

/** Returns the URL of a page of the area, with the current filters and some changes. */
export function pageOf(f: Filtered, page: string, change: Search = {}): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...f.search, ...change })) {
    if (value !== undefined && value !== '') {
      q.set(name, value);
    }
  }
  return `/e/${encodeURIComponent(f.env)}/traces/${page}${q.size > 0 ? `?${q}` : ''}`;
}
