import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import type { Search } from '../app/address';
import { formatNumber } from '../app/locale';
import { Go } from '../ui/Go';
import { later } from '../ui/later';
import { Page, Refused } from '../ui/Page';
import { SearchBox } from '../ui/SearchBox';
import { type Column, Table } from '../ui/Table';
import { search as find, useDefinitions, useOwners } from './api';
import { FilterBar } from './FilterBar';
import { filterGroups, readFilters, writeFilters } from './filters';
import { type CrmRecord, titleOf, typeOf } from './types';
import { shown } from './values';

const ColumnsDialog = later(() => import('./Columns'), 'ColumnsDialog');
const CreateRecord = later(() => import('./CreateRecord'), 'CreateRecord');

const pageSize = 100;
const isAddress = (property: string): boolean => property === 'email' || property === 'domain';

/** The most records of a search: the API returns no pages beyond it. */
const most = 10_000;

/** The records of a type in a table. */
export function Records() {
  const { env = 'default', type: name = 'contacts' } = useParams({ strict: false }) as { env?: string; type?: string };
  const type = typeOf(name);
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'columns' | 'create' | ''>('');
  const definitions = useDefinitions(env, name);
  const patch = useCallback(
    (change: Search) => void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true }),
    [navigate],
  );
  const groups = useMemo(() => readFilters(search.filter), [search.filter]);
  const chosen = search.columns ? search.columns.split(',').filter(Boolean) : type.columns;
  const properties = [...new Set([...type.titles, 'email', 'domain', ...chosen])];
  const owners = useOwners(env).data;
  const q = search.q?.trim() ?? '';
  const sort = search.sort ?? '';
  const body = {
    query: q || undefined,
    filterGroups: groups.length > 0 ? filterGroups(groups) : undefined,
    sorts: sort
      ? [{ propertyName: sort.replace(/^-/, ''), direction: sort.startsWith('-') ? 'DESCENDING' : 'ASCENDING' }]
      : undefined,
    properties,
    limit: pageSize,
  };
  const found = useInfiniteQuery({
    queryKey: ['crm', env, 'records', name, JSON.stringify(body)],
    initialPageParam: '',
    queryFn: ({ pageParam }) => find(env, name, { ...body, after: pageParam || undefined }),
    getNextPageParam: (last) => {
      const after = last.paging?.next?.after;
      return after !== undefined && Number(after) + pageSize <= most ? after : undefined;
    },
  });
  const rows = useMemo(() => found.data?.pages.flatMap((p) => p.results), [found.data]);
  const total = found.data?.pages[0]?.total ?? 0;
  const hrefOf = (r: CrmRecord): string => `/e/${encodeURIComponent(env)}/crm/${name}/${r.id}`;
  const known = new Map((definitions.data ?? []).map((d) => [d.name, d]));
  const columns: Column<CrmRecord>[] = [
    {
      key: 'title',
      title: 'Name',
      width: 150,
      grow: 2,
      sorts: type.titles.at(-1),
      cell: (r) => (
        <Go href={hrefOf(r)} className="cut" tabIndex={-1}>
          <bdi>{titleOf(type, r)}</bdi>
        </Go>
      ),
    },
    ...chosen.map((c): Column<CrmRecord> => {
      const d = known.get(c);
      return {
        key: c,
        title: d?.label ?? c,
        // The standard columns fit a window of 1,280 px; addresses need what is left most.
        width: d?.type === 'datetime' ? 120 : isAddress(c) ? 150 : 110,
        grow: d?.type === 'datetime' || d?.type === 'number' ? undefined : isAddress(c) ? 2 : 1,
        number: d?.type === 'number',
        sorts: c,
        cell: (r) => <bdi className="cut">{shown(r.properties[c], d, owners)}</bdi>,
      };
    }),
  ];
  return (
    <Page title={type.title} env={env}>
      <div className="records-head">
        <SearchBox
          label={`Search ${type.title.toLowerCase()}`}
          value={search.q ?? ''}
          change={(v) => patch({ q: v || undefined })}
        />
        <Button variant="default" onClick={() => setDialog('columns')}>
          Columns
        </Button>
        <Button onClick={() => setDialog('create')}>Create record</Button>
      </div>
      <FilterBar
        groups={groups}
        definitions={definitions.data ?? []}
        change={(next) => patch({ filter: writeFilters(next) })}
      />
      {(definitions.error ?? found.error) && (
        <Refused
          error={definitions.error ?? found.error}
          again={() => void (definitions.error ? definitions : found).refetch()}
        />
      )}
      <p role="status" className="dimmed total">
        {found.data && `Total: ${formatNumber(total)}`}
        {total > most && `, of which the first ${formatNumber(most)} can be shown: search or filters narrow them`}
      </p>
      {!found.error && (
        <Table
          label={type.title}
          columns={columns}
          rows={rows}
          id={(r) => r.id}
          open={(r) => void navigate({ to: hrefOf(r) })}
          sort={sort}
          setSort={(s) => patch({ sort: s })}
          total={total}
          more={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : undefined}
          empty={
            <p className="dimmed">
              {q || groups.length > 0 ? 'No record fits. ' : `There are no ${type.title.toLowerCase()} yet. `}
              {q || groups.length > 0 ? (
                <button type="button" className="link" onClick={() => patch({ q: undefined, filter: undefined })}>
                  Clear search and filters
                </button>
              ) : (
                'Create record makes one; a seed document makes many.'
              )}
            </p>
          }
        />
      )}
      {dialog === 'columns' && (
        <ColumnsDialog
          definitions={definitions.data ?? []}
          chosen={chosen}
          change={(list) => patch({ columns: list.join(',') === type.columns.join(',') ? undefined : list.join(',') })}
          close={() => setDialog('')}
        />
      )}
      {dialog === 'create' && <CreateRecord env={env} type={type} close={() => setDialog('')} />}
    </Page>
  );
}
