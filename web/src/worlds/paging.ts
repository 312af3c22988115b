import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Search } from '../app/address';
import { adminCall } from '../app/admin';

/** Returns the filters of the URL, and a function that changes them. */
export function useFilters(): [search: Search, patch: (change: Search) => void] {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const patch = useCallback(
    (change: Search) => void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true }),
    [navigate],
  );
  return [search, patch];
}

/** Returns the parameters of the URL that are set, for a query of the API. */
export function chosenOf(search: Search, names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((n) => (search[n] ? [[n, search[n]]] : []))) as Record<string, string>;
}

type Page<T> = Record<string, T[]> & { next_cursor: string };

/** Reads a list of the admin plane page by page. `key` begins with what a change invalidates. */
export function useList<T>(key: unknown[], path: string, noun: string, query: Record<string, string>) {
  const found = useInfiniteQuery({
    queryKey: [...key, query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      adminCall<Page<T>>(`${path}?${new URLSearchParams({ limit: '100', ...query, cursor: pageParam })}`, { signal }),
    getNextPageParam: (last) => (last as { next_cursor: string }).next_cursor || undefined,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isPending, refetch } = found;
  const rows = useMemo(() => found.data?.pages.flatMap((p) => p[noun] ?? []), [found.data, noun]);
  const more = useCallback(() => {
    if (!isFetchingNextPage) {
      void fetchNextPage();
    }
  }, [isFetchingNextPage, fetchNextPage]);
  // The first read is not restarted, but it lacks what arrived since it began.
  const readAgain = useCallback(async () => {
    if (isPending) {
      await refetch();
    }
    return refetch();
  }, [isPending, refetch]);
  return { rows, error: found.error, refetch: readAgain, more: hasNextPage ? more : undefined };
}
