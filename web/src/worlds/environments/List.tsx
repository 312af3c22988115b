import { Button, Checkbox } from '@mantine/core';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { Search } from '../../app/address';
import { adminCall, type Environment } from '../../app/admin';
import { Frame } from '../../app/Frame';
import { lastEnv } from '../../app/lastEnv';
import { formatBytes, formatStamp } from '../../app/locale';
import { Go } from '../../ui/Go';
import { Menu } from '../../ui/Menu';
import { Page, Refused } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import { type Column, Table } from '../../ui/Table';
import { placeOf } from '../api';
import { runsPlace } from '../verdict/runs';
import type { Act } from './act';
import { EnvironmentDialog } from './lazy';
import '../worlds.css';
import { countsOf } from './counts';
import { flatten } from './tree';

interface Reply {
  environments: Environment[];
  next_cursor: string;
}

/** The pause in scrolling before the details of visible rows are requested, in milliseconds. */
const rest = 80;

/** The number of rows whose details one request reads. */
const chunk = 25;

/** Returns the details of the visible rows. The list omits what would have to be read from each environment. */
function useDetails(rows: Environment[], [first, last]: [number, number]): Map<string, Environment> {
  const chunks: string[] = [];
  for (let i = Math.floor(first / chunk) * chunk; i <= last && i < rows.length; i += chunk) {
    chunks.push(
      rows
        .slice(i, i + chunk)
        .map((r) => r.id)
        .join(','),
    );
  }
  const found = useQueries({
    queries: chunks.map((ids) => ({
      queryKey: ['environments', 'details', ids],
      queryFn: () => adminCall<Reply>(`/environments?${new URLSearchParams({ ids, limit: '200' })}`),
    })),
  });
  return new Map(found.flatMap((f) => f.data?.environments ?? []).map((e) => [e.id, e]));
}

/** All environments, by the thousand. */
export function Environments() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const { q = '', sort, tree } = search;
  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true });
  const found = useInfiniteQuery({
    queryKey: ['environments', 'list', q, sort],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      adminCall<Reply>(
        `/environments?${new URLSearchParams({ q, cursor: pageParam, limit: '200', counts: 'false', ...(sort && { sort }) })}`,
        { signal },
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
    placeholderData: (old) => old,
  });
  const { hasNextPage, isFetching, fetchNextPage } = found;
  // Further pages are loaded automatically, because the end of the list and the tree need all environments.
  useEffect(() => {
    if (hasNextPage && !isFetching) {
      void fetchNextPage();
    }
  }, [hasNextPage, isFetching, fetchNextPage]);
  const list = useMemo(() => found.data?.pages.flatMap((p) => p.environments), [found.data]);

  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const nodes = useMemo(() => (tree && list ? flatten(list, closed) : undefined), [tree, list, closed]);
  const rows = nodes ? nodes.map((n) => n.environment) : list;
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [view, setView] = useState<[number, number]>([0, 0]);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const seen = useCallback((first: number, last: number) => {
    clearTimeout(resting.current);
    resting.current = setTimeout(
      () => setView((old) => (old[0] === first && old[1] === last ? old : [first, last])),
      rest,
    );
  }, []);
  useEffect(() => () => clearTimeout(resting.current), []);
  const details = useDetails(rows ?? [], view);
  const [act, setAct] = useState<Act>();
  const named = useMemo(() => new Map((list ?? []).map((e) => [e.id, e.name || e.id])), [list]);
  const byId = useMemo(() => new Map((nodes ?? []).map((n) => [n.environment.id, n])), [nodes]);

  const open = (e: Environment): void => void navigate({ href: placeOf(e.id) });
  const columns: Column<Environment>[] = [
    {
      key: 'name',
      title: 'Name',
      width: 200,
      grow: 4,
      sorts: 'name',
      cell: (e) => (
        <>
          <Go href={placeOf(e.id)} title={e.name}>
            {e.name || e.id}
          </Go>
          {e.name && e.name !== e.id && <span className="dimmed yields">{e.id}</span>}
          {e.ephemeral && <span className="tag keep">ephemeral</span>}
        </>
      ),
    },
    {
      key: 'parent',
      title: 'Parent',
      width: 80,
      grow: 1,
      cell: (e) => (e.parent ? <Go href={placeOf(e.parent)}>{named.get(e.parent) ?? e.parent}</Go> : '–'),
    },
    { key: 'clock', title: 'Clock', width: 150, cell: (e) => clockOf(details.get(e.id)) },
    { key: 'limits', title: 'Limits', width: 50, cell: (e) => e.rate_limits },
    {
      key: 'size',
      title: 'Size',
      width: 70,
      number: true,
      cell: (e) => (details.has(e.id) ? formatBytes(details.get(e.id)?.size_bytes ?? 0) : ''),
    },
    {
      key: 'counts',
      title: 'Counts',
      width: 140,
      grow: 2,
      cell: (e) => {
        const text = countsOf(details.get(e.id)?.counts);
        return <span title={text}>{text}</span>;
      },
    },
    {
      key: 'created',
      title: 'Created',
      width: 112,
      sorts: 'created_at',
      cell: (e) => <Stamp at={e.created_at} />,
    },
    {
      key: 'expires',
      title: 'Expires',
      width: 112,
      sorts: 'expires_at',
      cell: (e) => (e.expires_at ? <Stamp at={e.expires_at} /> : 'never'),
    },
    {
      key: 'acts',
      title: 'Actions',
      width: 60,
      cell: (e) => <Actions key={e.id} of={e} open={() => open(e)} act={setAct} />,
    },
  ];
  return (
    <Frame env={lastEnv()} area="Worlds">
      <Page title="Environments">
        <div className="filters">
          <SearchBox label="Find environment" w={280} value={q} change={(text) => patch({ q: text || undefined })} />
          <Checkbox
            label="Show as tree"
            checked={tree === 'true'}
            onChange={(e) => patch({ tree: e.currentTarget.checked ? 'true' : undefined })}
          />
          {chosen.size > 0 && (
            <Button
              variant="default"
              color="red"
              onClick={() => setAct({ kind: 'delete several', several: (list ?? []).filter((e) => chosen.has(e.id)) })}
            >
              Delete selected: {chosen.size}
            </Button>
          )}
          <Go href={runsPlace()} className="aside">
            Verdicts of runs
          </Go>
          <Button onClick={() => setAct({ kind: 'create' })}>Create environment</Button>
        </div>
        {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
        {!(found.error && !list) && (
          <Table
            label="Environments"
            columns={columns}
            rows={rows}
            id={(e) => e.id}
            name={(e) => e.name || e.id}
            open={open}
            keys={{
              s: (e) => setAct({ kind: 'snapshot', of: e }),
              f: (e) => setAct({ kind: 'fork', of: e }),
              x: (e) => setAct({ kind: 'reset', of: e }),
            }}
            sort={sort}
            setSort={(by) => patch({ sort: by })}
            chosen={chosen}
            choose={choose}
            seen={seen}
            tree={
              nodes && {
                level: (e) => byId.get(e.id)?.level ?? 1,
                open: (e) => byId.get(e.id)?.open,
                toggle: (e, on) => {
                  const next = new Set(closed);
                  on ? next.delete(e.id) : next.add(e.id);
                  setClosed(next);
                },
              }
            }
            empty={
              <p className="dimmed">
                {q ? 'No environment by that name.' : 'There is no environment.'} Create environment makes one, and so
                does understudy env create.
              </p>
            }
          />
        )}
        {list && list.length > 0 && (
          <p className="dimmed" role="status">
            {hasNextPage
              ? `${list.length} so far`
              : list.length === 1
                ? '1 environment'
                : `${list.length} environments`}
          </p>
        )}
      </Page>
      {act && <EnvironmentDialog act={act} close={() => setAct(undefined)} done={() => choose(new Set())} />}
    </Frame>
  );
}

function clockOf(e: Environment | undefined): string {
  if (!e?.clock) {
    return '';
  }
  return e.clock.frozen ? `frozen ${formatStamp(new Date(e.clock.now))}` : 'running';
}

interface ActionsProps {
  of: Environment;
  open: () => void;
  act: (act: Act) => void;
}

function Actions({ of, open, act }: ActionsProps) {
  return (
    <Menu
      items={[
        { title: 'Open', act: open },
        { title: 'Fork', act: () => act({ kind: 'fork', of }) },
        { title: 'Snapshot', act: () => act({ kind: 'snapshot', of }) },
        { title: 'Reset', act: () => act({ kind: 'reset', of }) },
        { title: 'Delete', act: () => act({ kind: 'delete', of }), disabled: of.id === 'default' },
      ]}
    >
      <button type="button" className="row-menu dots keep" aria-label={`Actions for ${of.name || of.id}`} />
    </Menu>
  );
}
