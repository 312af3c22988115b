import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Search } from '../app/address';
import { formatNumber } from '../app/locale';
import { useToasts } from '../app/Toasts';
import { Go } from '../ui/Go';
import { Page, Refused } from '../ui/Page';
import { SearchBox } from '../ui/SearchBox';
import { Table } from '../ui/Table';
import { addressOf, ask, type EventSummary, nameOf, type Session, statusOf, tokensOf, traceKey } from './api';
import { FilterBar } from './FilterBar';
import { FirstEvent } from './FirstEvent';
import { kept } from './filters';
import { formatDuration, formatMoment } from './format';
import { type Filtered, pageOf, useFilters } from './useFilters';

interface EventPage {
  events: EventSummary[];
  next_cursor: string;
}

/** All events, the newest first. */
export function Events() {
  const f = useFilters();
  const { search, patch } = f;
  const navigate = useNavigate();
  const q = new URLSearchParams(f.q);
  if (search.q && /[\p{L}\p{N}]/u.test(search.q)) {
    q.set('q', search.q);
  }
  const found = useInfiniteQuery({
    queryKey: ['traces', f.env, 'events', q.toString()],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const page = new URLSearchParams(q);
      page.set('view', 'summary');
      page.set('limit', '200');
      if (pageParam) {
        page.set('cursor', pageParam);
      }
      return ask<EventPage>(f.env, `events?${page}`, signal);
    },
    getNextPageParam: (last) => last.next_cursor || undefined,
  });
  const to = (e: EventSummary): string =>
    pageOf(f, `sessions/${encodeURIComponent(e.session_id)}`, { event: e.event_id, q: undefined });
  const rows = useMemo(() => found.data?.pages.flatMap((p) => p.events), [found.data]);
  return (
    <Page title="Events" env={f.env}>
      <FilterBar />
      <div className="filters">
        <SearchBox
          size="xs"
          label="Find words"
          value={search.q ?? ''}
          change={(text) => patch({ q: text || undefined }, true)}
        />
        <Export f={f} q={q} format="ndjson" />
        <Export f={f} q={q} format="csv" />
      </div>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      <Table
        label="Events"
        rows={rows ?? (found.error ? [] : undefined)}
        id={(e) => e.event_id}
        open={(e) => void navigate({ href: to(e) })}
        more={found.hasNextPage && !found.isFetching ? () => void found.fetchNextPage() : undefined}
        mark={(e) => (e.success ? undefined : 'has-errors')}
        columns={[
          { key: 'time', title: 'Time', width: 122, cell: (e) => formatMoment(e.start) },
          {
            key: 'name',
            title: 'Name',
            width: 120,
            grow: 2,
            cell: (e) => (
              <Go href={to(e)} title={nameOf(e)}>
                {nameOf(e)}
              </Go>
            ),
          },
          { key: 'type', title: 'Type', width: 44, cell: (e) => e.primitive_type ?? 'turn' },
          {
            key: 'result',
            title: 'Output',
            width: 120,
            grow: 2,
            cell: (e) => <span className="dimmed">{e.result ?? ''}</span>,
          },
          { key: 'user', title: 'User', width: 110, grow: 1, cell: (e) => e.user_id ?? '–' },
          { key: 'model', title: 'Model', width: 76, cell: (e) => e.model ?? '–' },
          { key: 'duration', title: 'Duration', width: 62, number: true, cell: (e) => formatDuration(e.latency) },
          { key: 'tokens', title: 'Tokens', width: 54, number: true, cell: (e) => formatNumber(tokensOf(e)) },
          {
            key: 'status',
            title: 'Status',
            width: 70,
            cell: (e) => <span className={e.success ? '' : 'problem'}>{statusOf(e)}</span>,
          },
        ]}
      />
      {found.data?.pages[0]?.events.length === 0 &&
        (search.q ? <p className="dimmed">No event matches.</p> : <FirstEvent f={f} />)}
    </Page>
  );
}

/** Saves the filtered events as a file. A link cannot, because the key is sent in a header. */
function Export({ f, q, format }: { f: Filtered; q: URLSearchParams; format: 'ndjson' | 'csv' }) {
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      const all = new URLSearchParams(q);
      all.set('format', format);
      const reply = await fetch(addressOf(f.env, `export?${all}`), {
        headers: { Authorization: `Bearer ${traceKey(f.env) ?? ''}`, 'Understudy-Client': 'web' },
        credentials: 'omit',
      });
      if (!reply.ok) {
        throw new Error(((await reply.json()) as { error?: string }).error ?? 'The events could not be read.');
      }
      const address = URL.createObjectURL(await reply.blob());
      const link = document.createElement('a');
      link.href = address;
      link.download = `events-${f.env}.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      toasts.done('The events are saved.');
    } catch (e) {
      toasts.failed(e);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button size="compact-sm" variant="default" loading={busy} onClick={() => void save()}>
      Export as {format.toUpperCase()}
    </Button>
  );
}

/** Redirects to the first failed call of the latest session that has one. */
export function LatestError() {
  const f = useFilters();
  const found = useQuery(f.get<{ sessions: Session[] }>('sessions', { errors: 'true', limit: '1' }));
  const session = found.data?.sessions[0]?.session_id;
  if (session !== undefined) {
    return (
      <Navigate
        to="/e/$env/traces/sessions/$session"
        params={{ env: f.env, session }}
        search={{ ...kept(f.search), errors: 'true' } as never}
        replace
      />
    );
  }
  return (
    <Page title="Latest error" env={f.env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.data && <p className="dimmed">Nothing has failed.</p>}
    </Page>
  );
}

/** Redirects from an event's id to the event in its trace. */
export function EventById() {
  const { env = 'default', event = '' } = useParams({ strict: false }) as { env?: string; event?: string };
  const search = useSearch({ strict: false }) as Search;
  const q = search.project_id ? `?${new URLSearchParams({ project_id: search.project_id })}` : '';
  const found = useQuery({
    queryKey: ['traces', env, 'event', event],
    queryFn: ({ signal }) =>
      ask<{ event: EventSummary }>(env, `events/${encodeURIComponent(event)}${q}`, signal).then((r) => r.event),
  });
  if (found.data) {
    return (
      <Navigate
        to="/e/$env/traces/sessions/$session"
        params={{ env, session: found.data.session_id }}
        search={{ ...search, event } as never}
        replace
      />
    );
  }
  return (
    <Page title="Event" env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
    </Page>
  );
}
