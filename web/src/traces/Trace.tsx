import { Button, Radio, Skeleton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { formatNumber, formatStamp } from '../app/locale';
import type { Search } from '../routes';
import { Page, Refused } from '../ui/Page';
import { ask, type Session, type TraceEvent } from './api';
import { EventDetails } from './EventDetails';
import { Tree } from './Tree';
import { closedAtFirst, flatten, nextRow, pathTo, type Row } from './tree';

const views = { both: 'Both', tree: 'Tree', timeline: 'Timeline' };

const textOf = (r: Row): string =>
  `${r.event.primitive_name} ${String(r.event.args)} ${String(r.event.result)}`.toLowerCase();

/** What happened in a session: a tree of events, each with its place in time. */
export function Trace() {
  const { env = 'default', session = '' } = useParams({ strict: false }) as Record<string, string | undefined>;
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: ['traces', env, 'session', session],
    queryFn: ({ signal }) =>
      ask<{ session: Session; tree: TraceEvent[] }>(env, `sessions/${encodeURIComponent(session)}`, signal),
  });
  const rows = useMemo(() => flatten(found.data?.tree ?? []), [found.data]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setClosed(closedAtFirst(rows)), [rows]);
  const view = search.view === 'tree' || search.view === 'timeline' ? search.view : 'both';
  const selected = rows.findIndex((r) => r.event.event_id === search.event);

  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true });
  const select = (i: number): void => {
    const path = pathTo(rows, i);
    if (path.some((id) => closed.has(id))) {
      setClosed(new Set([...closed].filter((id) => !path.includes(id))));
    }
    patch({ event: rows[i]?.event.event_id });
  };
  const jump = (step: 1 | -1, is: (r: Row) => boolean): void => {
    const i = nextRow(rows, selected, step, is);
    if (i >= 0) {
      select(i);
    }
  };
  const wanted = (search.q ?? '').toLowerCase();
  const hits = useMemo(
    () => new Set(wanted === '' ? [] : rows.filter((r) => textOf(r).includes(wanted))),
    [rows, wanted],
  );
  const matches = (r: Row): boolean => hits.has(r);
  const failed = (r: Row): boolean => r.event.success === false;
  const s = found.data?.session;
  return (
    <>
      <Page title={`Session ${session.slice(0, 8)}`} env={env}>
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {found.isPending && <Skeleton h={240} />}
        {s && (
          <>
            <p>
              {s.user_id ?? 'No user'}, {s.client_config ?? 'no client'}, {formatStamp(new Date(s.timestamp))}.{' '}
              {formatNumber(s.event_count)} events, {formatNumber(s.errors)} failed.{' '}
              <Button
                size="compact-sm"
                variant="subtle"
                onClick={() => void navigator.clipboard?.writeText(s.session_id)}
              >
                Copy session id
              </Button>
            </p>
            <div className="filters">
              <Radio.Group
                aria-label="View"
                value={view}
                onChange={(v) => patch({ view: v === 'both' ? undefined : v })}
              >
                <div className="inline">
                  {Object.entries(views).map(([value, label]) => (
                    <Radio key={value} value={value} label={label} />
                  ))}
                </div>
              </Radio.Group>
              <TextInput
                type="search"
                role="searchbox"
                size="xs"
                aria-label="Find in trace"
                placeholder="Find in trace"
                value={search.q ?? ''}
                onChange={(e) => patch({ q: e.currentTarget.value || undefined })}
                onKeyDown={(e) => e.key === 'Enter' && jump(e.shiftKey ? -1 : 1, matches)}
              />
              {wanted !== '' && <span role="status">Matches: {formatNumber(hits.size)}</span>}
              <Button size="compact-sm" variant="default" disabled={hits.size === 0} onClick={() => jump(-1, matches)}>
                Previous match
              </Button>
              <Button size="compact-sm" variant="default" disabled={hits.size === 0} onClick={() => jump(1, matches)}>
                Next match
              </Button>
              <Button size="compact-sm" variant="default" disabled={!rows.some(failed)} onClick={() => jump(1, failed)}>
                Next error
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setClosed(new Set())}>
                Expand all
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                onClick={() =>
                  setClosed(new Set(rows.filter((r) => r.event.children.length > 0).map((r) => r.event.event_id)))
                }
              >
                Collapse all
              </Button>
            </div>
            <Tree
              rows={rows}
              closed={closed}
              setClosed={setClosed}
              selected={selected}
              select={select}
              view={view}
              nextError={(step) => jump(step, failed)}
            />
          </>
        )}
      </Page>
      {rows[selected] && (
        <EventDetails key={search.event} event={rows[selected].event} close={() => patch({ event: undefined })} />
      )}
    </>
  );
}
