import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatNumber } from '../../app/locale';
import { Go } from '../../ui/Go';
import { Page, Refused } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import { Table } from '../../ui/Table';
import { ask, type User } from '../api';
import { FilterBar } from '../FilterBar';
import { FirstEvent } from '../FirstEvent';
import { pageOf, useFilters } from '../useFilters';
import { Traits } from './Traits';

interface UserPage {
  users: User[];
  next_cursor: string;
}

/** The end users of the agents, most recently seen first. */
export function Users() {
  const f = useFilters();
  const navigate = useNavigate();
  const q = new URLSearchParams(f.q);
  q.set('sums', 'true');
  q.set('limit', '100');
  if (f.search.q) {
    q.set('find', f.search.q);
  }
  const found = useInfiniteQuery({
    queryKey: ['traces', f.env, 'users', q.toString()],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const page = new URLSearchParams(q);
      if (pageParam) {
        page.set('cursor', pageParam);
      }
      return ask<UserPage>(f.env, `users?${page}`, signal);
    },
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const to = (u: User): string =>
    pageOf(f, `users/${encodeURIComponent(u.user_id)}`, { q: undefined, user_id: undefined });
  const rows = found.data?.pages.flatMap((p) => p.users);
  const number = (n: number | undefined): string => (n === undefined ? '–' : formatNumber(n));
  return (
    <Page title="Users" env={f.env}>
      <FilterBar />
      <SearchBox
        size="xs"
        className="narrow"
        label="Find user"
        value={f.search.q ?? ''}
        change={(text) => f.patch({ q: text || undefined }, true)}
      />
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      <Table
        label="Users"
        rows={rows ?? (found.error ? [] : undefined)}
        id={(u) => u.user_id}
        name={(u) => u.user_id}
        open={(u) => void navigate({ href: to(u) })}
        more={found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined}
        columns={[
          {
            key: 'user',
            title: 'User',
            width: 150,
            grow: 2,
            cell: (u) => (
              <Go href={to(u)} title={u.user_id}>
                {u.user_id}
              </Go>
            ),
          },
          { key: 'traits', title: 'Traits', width: 150, grow: 3, cell: (u) => <Traits of={u.traits} most={3} /> },
          { key: 'first', title: 'First seen', width: 108, cell: (u) => <Stamp at={u.first_seen} /> },
          { key: 'last', title: 'Last seen', width: 108, cell: (u) => <Stamp at={u.last_seen} /> },
          { key: 'sessions', title: 'Sessions', width: 60, number: true, cell: (u) => number(u.sessions) },
          { key: 'events', title: 'Events', width: 50, number: true, cell: (u) => number(u.events) },
          { key: 'errors', title: 'Errors', width: 46, number: true, cell: (u) => number(u.errors) },
          {
            key: 'tokens',
            title: 'Tokens',
            width: 64,
            number: true,
            cell: (u) => number(u.input_tokens === undefined ? undefined : u.input_tokens + (u.output_tokens ?? 0)),
          },
        ]}
        empty={f.search.q ? <p className="dimmed">No user matches.</p> : <FirstEvent f={f} />}
      />
    </Page>
  );
}
