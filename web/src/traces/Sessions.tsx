import { Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { formatNumber } from '../app/locale';
import { Go } from '../ui/Go';
import { Page, Refused } from '../ui/Page';
import { SearchBox } from '../ui/SearchBox';
import { Stamp } from '../ui/Stamp';
import { Table } from '../ui/Table';
import { ask, type Session, tokensOf } from './api';
import { FilterBar } from './FilterBar';
import { FirstEvent } from './FirstEvent';
import { formatDuration } from './format';
import { type Filtered, pageOf, useFilters } from './useFilters';

interface SessionPage {
  sessions: Session[];
  next_cursor: string;
}

/** Reads sessions by the filters, newest first. */
export function useSessions(f: Filtered, more: Record<string, string> = {}) {
  const q = new URLSearchParams(f.q);
  for (const [name, value] of Object.entries({ ...more, limit: '100' })) {
    q.set(name, value);
  }
  return useInfiniteQuery({
    queryKey: ['traces', f.env, 'sessions', q.toString()],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const page = new URLSearchParams(q);
      if (pageParam) {
        page.set('cursor', pageParam);
      }
      return ask<SessionPage>(f.env, `sessions?${page}`, signal);
    },
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
}

/** All sessions, the newest first. */
export function Sessions() {
  const f = useFilters();
  const { search, patch } = f;
  const found = useSessions(f, {
    ...(search.errors === 'true' ? { errors: 'true' } : {}),
    ...(search.q ? { find: search.q } : {}),
  });
  const narrowed = search.q !== undefined || search.errors !== undefined;
  return (
    <Page title="Sessions" env={f.env}>
      <FilterBar />
      <div className="filters">
        <SearchBox
          size="xs"
          label="Find session"
          value={search.q ?? ''}
          change={(q) => patch({ q: q || undefined }, true)}
        />
        <Checkbox
          label="Errors only"
          checked={search.errors === 'true'}
          onChange={(e) => patch({ errors: e.currentTarget.checked ? 'true' : undefined })}
        />
      </div>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      <SessionTable
        f={f}
        rows={found.data?.pages.flatMap((p) => p.sessions) ?? (found.error ? [] : undefined)}
        more={found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined}
      />
      {found.isSuccess &&
        found.data.pages[0]?.sessions.length === 0 &&
        (narrowed ? <p className="dimmed">No session matches.</p> : <FirstEvent f={f} />)}
    </Page>
  );
}

interface TableProps {
  f: Filtered;
  rows: Session[] | undefined;
  more?: () => void;
  user?: boolean; // whether the user has a column
}

export function SessionTable({ f, rows, more, user = true }: TableProps) {
  const navigate = useNavigate();
  const to = (s: Session): string =>
    pageOf(f, `sessions/${encodeURIComponent(s.session_id)}`, {
      event: undefined,
      q: undefined,
      errors: undefined,
      sort: undefined,
    });
  return (
    <Table
      label="Sessions"
      rows={rows}
      more={more}
      id={(s) => s.session_id}
      open={(s) => void navigate({ href: to(s) })}
      mark={(s) => (s.errors > 0 ? 'has-errors' : undefined)}
      columns={[
        { key: 'start', title: 'Start', width: 124, cell: (s) => <Stamp at={s.timestamp} /> },
        {
          key: 'id',
          title: 'Id',
          width: 140,
          grow: 3,
          cell: (s) => (
            <Go href={to(s)} title={s.session_id}>
              {s.session_id}
            </Go>
          ),
        },
        ...(user
          ? [
              {
                key: 'user',
                title: 'User',
                width: 120,
                grow: 2,
                cell: (s: Session) => <span title={s.user_id ?? ''}>{s.user_id ?? '–'}</span>,
              },
            ]
          : []),
        {
          key: 'client',
          title: 'Client',
          width: 90,
          grow: 1,
          cell: (s) => <span title={s.client_config ?? ''}>{s.client_config ?? '–'}</span>,
        },
        { key: 'events', title: 'Events', width: 60, number: true, cell: (s) => formatNumber(s.event_count) },
        {
          key: 'errors',
          title: 'Errors',
          width: 60,
          number: true,
          cell: (s) => <span className={s.errors > 0 ? 'problem' : ''}>{formatNumber(s.errors)}</span>,
        },
        { key: 'tokens', title: 'Tokens', width: 72, number: true, cell: (s) => formatNumber(tokensOf(s)) },
        {
          key: 'duration',
          title: 'Duration',
          width: 90,
          number: true,
          cell: (s) => formatDuration(s.last_event_at === null ? null : Math.max(s.last_event_at - s.timestamp, 0)),
        },
      ]}
    />
  );
}
