import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Search } from '../../app/address';
import { counted, formatNumber } from '../../app/locale';
import { Copy } from '../../ui/Copy';
import { Page, Refused } from '../../ui/Page';
import { Radios } from '../../ui/Radios';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import { ask, type EventSummary, nameOf } from '../api';
import { FilterBar } from '../FilterBar';
import { chosen } from '../filters';
import { formatDuration } from '../format';
import { useFilters } from '../useFilters';
import { Traits } from '../users/Traits';
import { EventDetails, wholeEvent } from './EventDetails';
import { MiniMap } from './MiniMap';
import { Tree } from './Tree';
import { closedAtFirst, isCause, lengthOf, nextRow, pathTo, type Row } from './tree';
import { useNeighbours } from './useNeighbours';
import { useTrace } from './useTrace';
import { type Window, whole, zoomed } from './window';

const views = { tree: 'Tree', timeline: 'Timeline', both: 'Both' };

/** Returns the loaded texts of an event, in lower case. */
const textOf = (r: Row): string => `${nameOf(r.event)} ${r.event.args ?? ''} ${r.event.result ?? ''}`.toLowerCase();

const failed = (r: Row): boolean => isCause(r.event);

/** The trace of a session: a tree of events with a timeline. */
export function Trace() {
  const { session = '' } = useParams({ strict: false }) as { session?: string };
  const f = useFilters();
  const { env, search } = f;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const box = useRef<HTMLDivElement>(null);
  const patch = (change: Search): void => f.patch(change, true);
  const marking = chosen(search).length > 0;
  const filters = useMemo(() => {
    const q = new URLSearchParams(chosen(search));
    if (search.project_id) {
      q.set('project_id', search.project_id);
    }
    return q.toString();
  }, [search]);
  const trace = useTrace(env, session, filters, f.now);
  const { rows } = trace;

  // The collapsed rows are computed once for a session. Later rows are expanded.
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const decided = useRef('');
  if (rows.length > 0 && decided.current !== session) {
    decided.current = session;
    setClosed(closedAtFirst(rows));
  }

  // The event of the current row. Rows move while a session runs.
  const [current, setCurrent] = useState<string>();
  const [tab, setTab] = useState('output');
  const at = useMemo(() => {
    const id = search.event ?? current;
    return id === undefined ? -1 : rows.findIndex((r) => r.event.event_id === id);
  }, [rows, search.event, current]);
  const shownEvent = search.event === undefined ? undefined : rows[at];

  const reveal = (i: number): void => {
    const path = pathTo(rows, i);
    if (path.some((id) => closed.has(id))) {
      setClosed(new Set([...closed].filter((id) => !path.includes(id))));
    }
  };
  const open = (i: number): void => {
    reveal(i);
    setCurrent(rows[i]?.event.event_id);
    patch({ event: rows[i]?.event.event_id });
  };
  const select = (i: number): void => {
    if (search.event !== undefined) {
      open(i);
      return;
    }
    reveal(i);
    setCurrent(rows[i]?.event.event_id);
  };
  const jump = (step: 1 | -1, is: (r: Row) => boolean): void => {
    const i = nextRow(rows, at, step, is);
    if (i >= 0) {
      open(i);
    }
  };
  const begun = useRef('');
  useEffect(() => {
    if (search.errors === 'true' && search.event === undefined && rows.length > 0 && begun.current !== session) {
      begun.current = session; // a link to what failed
      jump(1, failed);
    }
  });
  const closeDetails = (): void => {
    patch({ event: undefined });
    box.current?.focus();
  };
  const shownOnce = useRef('');
  if (search.event && at >= 0 && shownOnce.current !== search.event) {
    shownOnce.current = search.event;
    reveal(at);
  }

  // The payloads of the current event and of the next one are prefetched.
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const row of [rows[at], rows[at + 1]]) {
        if (row) {
          void queries.prefetchQuery(wholeEvent(env, row.event.event_id, search.project_id));
        }
      }
    }, 100);
    return () => clearTimeout(timer);
  }, [rows, at, env, queries, search.project_id]);

  const length = useMemo(() => lengthOf(rows), [rows]);
  const [part, setPart] = useState<Window>();
  const shownPart = part ?? whole(length);
  const zoom = (factor: number): void => {
    const row = rows[at];
    const middle = (shownPart.from + shownPart.to) / 2;
    const near = row ? row.offset + (row.event.latency ?? 0) / 2 : middle;
    const next = zoomed(shownPart, length, factor, near >= shownPart.from && near <= shownPart.to ? near : middle);
    setPart(next.to - next.from >= length ? undefined : next);
  };

  const hits = useHits(env, session, search, rows);
  const matches = (r: Row): boolean => hits.has(r.event.event_id);
  const meant = (r: Row): boolean => r.event.matches === true;
  const view = search.view === 'tree' || search.view === 'timeline' ? search.view : 'both';
  const goTo = useNeighbours(env, f.q.toString(), trace.session, (id) =>
    navigate({
      to: '/e/$env/traces/sessions/$session',
      params: { env, session: id },
      search: ((old: Search) => ({ ...old, event: undefined, q: undefined })) as never,
    }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session begins anew
  useEffect(() => {
    setPart(undefined);
    setCurrent(undefined);
  }, [session]);
  const s = trace.session;
  const button = (name: string, act: () => void, disabled = false) => (
    <Button size="compact-sm" variant="default" disabled={disabled} onClick={act}>
      {name}
    </Button>
  );
  return (
    <>
      <Page title={`Session ${session.slice(0, 8)}`} env={env}>
        {trace.error && <Refused error={trace.error} again={() => void trace.refetch()} />}
        {trace.pending && <Skeleton h={240} className="late" />}
        {s && (
          <>
            <div className="session-head">
              <code className="session-id">{s.session_id}</code>
              <Copy text={s.session_id}>Copy session id</Copy>
              {s.user_id && (
                <Link to="/e/$env/traces/users/$user" params={{ env, user: s.user_id }} className="session-user">
                  {s.user_id.slice(0, 120)}
                </Link>
              )}
              <Traits of={s.traits} most={6} />
            </div>
            <p className="dimmed session-counts">
              <Stamp at={s.timestamp} />, {s.client_config?.slice(0, 120) ?? 'no client'}.{' '}
              {counted(s.event_count, 'event')},{' '}
              <span className={s.errors > 0 ? 'problem' : ''}>{formatNumber(s.errors)} failed</span>,{' '}
              {counted(s.input_tokens + s.output_tokens, 'token')}, {formatDuration(length)}.
              {trace.running && ' New events appear by themselves.'}
              {trace.cut && ` Only the first ${formatNumber(rows.length)} events are shown.`}
            </p>
            <details className="marking" open={marking}>
              <summary>Mark events by filters</summary>
              <FilterBar />
              {marking && <p role="status">Marked: {formatNumber(rows.filter(meant).length)}</p>}
            </details>
            <div className="filters one-line">
              <Radios
                label="View"
                options={Object.entries(views)}
                value={view}
                change={(v) => patch({ view: v === 'both' ? undefined : v })}
              />
              <SearchBox
                size="xs"
                label="Find in trace"
                value={search.q ?? ''}
                change={(q) => patch({ q: q || undefined })}
                onKeyDown={(e) => {
                  if (e.key === 'Enter') {
                    jump(e.shiftKey ? -1 : 1, matches);
                  } else if (e.key === 'Escape') {
                    box.current?.focus();
                  }
                }}
              />
              {search.q && <span role="status">Matches: {formatNumber(hits.size)}</span>}
              {search.q && (
                <>
                  {button('Previous match', () => jump(-1, matches), hits.size === 0)}
                  {button('Next match', () => jump(1, matches), hits.size === 0)}
                </>
              )}
              {button('Next error', () => jump(1, failed), !rows.some(failed))}
              {button('Expand all', () => setClosed(new Set()))}
              {button('Collapse all', () =>
                setClosed(new Set(rows.filter((r) => r.event.children.length > 0).map((r) => r.event.event_id))),
              )}
              {view !== 'tree' && (
                <>
                  {button('Zoom in', () => zoom(2))}
                  {button('Zoom out', () => zoom(0.5), part === undefined)}
                  {button('Fit', () => setPart(undefined), part === undefined)}
                </>
              )}
            </div>
            {view !== 'tree' && <MiniMap rows={rows} length={length} window={shownPart} show={setPart} />}
            {rows.length === 0 && <p className="dimmed">This session has no events yet.</p>}
            {rows.length > 0 && (
              <Tree
                box={box}
                rows={rows}
                closed={closed}
                setClosed={setClosed}
                selected={at}
                select={select}
                open={open}
                view={view}
                window={shownPart}
                marking={marking}
                keys={{
                  n: () => jump(1, failed),
                  p: () => jump(-1, failed),
                  f: () => document.querySelector<HTMLInputElement>('input[aria-label="Find in trace"]')?.focus(),
                  '+': () => zoom(2),
                  '=': () => zoom(2),
                  '-': () => zoom(0.5),
                  '0': () => setPart(undefined),
                  '[': () => goTo('newer'),
                  ']': () => goTo('older'),
                  Escape: closeDetails,
                }}
              />
            )}
          </>
        )}
      </Page>
      {shownEvent && (
        <EventDetails
          key={search.event}
          env={env}
          project={search.project_id}
          row={shownEvent}
          size={rows.length}
          tab={tab}
          setTab={setTab}
          close={closeDetails}
        />
      )}
    </>
  );
}

/** Returns the events that contain a text: names and previews are searched here, payloads by the service. */
function useHits(env: string, session: string, search: Search, rows: Row[]): ReadonlySet<string> {
  const wanted = (search.q ?? '').trim().toLowerCase();
  const searchable = /[\p{L}\p{N}]/u.test(wanted);
  const found = useQuery({
    queryKey: ['traces', env, 'find', session, search.project_id, wanted],
    queryFn: ({ signal }) => {
      const q = new URLSearchParams({ session_id: session, q: wanted, view: 'summary', limit: '1000' });
      if (search.project_id) {
        q.set('project_id', search.project_id);
      }
      return ask<{ events: EventSummary[] }>(env, `events?${q}`, signal);
    },
    enabled: searchable,
  });
  return useMemo(() => {
    const hits = new Set<string>();
    if (wanted !== '') {
      for (const r of rows) {
        if (textOf(r).includes(wanted)) {
          hits.add(r.event.event_id);
        }
      }
      for (const e of searchable ? (found.data?.events ?? []) : []) {
        hits.add(e.event_id);
      }
    }
    return hits;
  }, [rows, wanted, searchable, found.data]);
}
