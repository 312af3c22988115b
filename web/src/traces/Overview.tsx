import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Search } from '../app/address';
import { formatNumber } from '../app/locale';
import { Go } from '../ui/Go';
import { Page, Refused } from '../ui/Page';
import { Stamp } from '../ui/Stamp';
import { Table } from '../ui/Table';
import type { Failure, Sums, Totals } from './api';
import { Charts } from './charts/Charts';
import { useSeries } from './charts/series';
import { FilterBar } from './FilterBar';
import { FirstEvent } from './FirstEvent';
import { Tiles } from './Tiles';
import { sumColumns } from './tools/columns';
import { type Filtered, useFilters } from './useFilters';

/** The summary of a period: counts, failures and latencies. */
export function Overview() {
  const f = useFilters();
  const totals = useQuery(f.get<Totals & { previous: Totals }>('overview'));
  const series = useSeries(f);
  const tools = useQuery(f.get<{ tools: (Sums & { tool: string })[] }>('tools'));
  const models = useQuery(f.get<{ models: (Sums & { model: string })[] }>('models'));
  const errors = useQuery(f.get<{ errors: Failure[] }>('errors', { limit: '20' }));
  const t = totals.data;
  const all = [totals, series, tools, models, errors];
  const failed = all.find((x) => x.error)?.error;
  return (
    <Page title="Traces" env={f.env}>
      <FilterBar />
      {failed && <Refused error={failed} again={() => all.forEach((x) => void x.refetch())} />}
      {!t && totals.isPending && <Skeleton h={80} className="late" />}
      {t && t.events === 0 && t.sessions === 0 && <FirstEvent f={f} />}
      {t && <Tiles of={t} before={f.range.from === undefined ? undefined : t.previous} />}
      {series.data ? (
        <Charts of={series.data} choose={(from, to) => f.patch(periodOfDrag(from, to))} />
      ) : (
        !failed && <Skeleton h={280} className="late" />
      )}
      {!tools.error && (
        <>
          <h2>Tools</h2>
          <SumTable label="Tools" f={f} name="tool" rows={tools.data?.tools.map((r) => ({ ...r, key: r.tool }))} />
        </>
      )}
      {!models.error && (
        <>
          <h2>Models</h2>
          <SumTable label="Models" f={f} name="model" rows={models.data?.models.map((r) => ({ ...r, key: r.model }))} />
        </>
      )}
      {!errors.error && (
        <>
          <h2>Top errors</h2>
          <TopErrors rows={errors.data?.errors} f={f} />
        </>
      )}
    </Page>
  );
}

/** Returns the URL parameters for a period that was selected by dragging. */
export const periodOfDrag = (from: number, to: number): Search => ({
  period: 'custom',
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

interface SumTableProps {
  label: string;
  f: Filtered;
  name: 'tool' | 'model';
  rows: (Sums & { key: string })[] | undefined;
}

/** A table of sums by name. Each name is a link that filters the page by it. */
function SumTable({ label, f, name, rows }: SumTableProps) {
  const narrow = (value: string): Search => ({ ...f.search, [name]: value });
  return (
    <Table
      label={label}
      rows={rows}
      id={(r) => r.key}
      name={(r) => r.key}
      open={(r) => f.patch({ [name]: r.key })}
      columns={[
        {
          key: 'name',
          title: 'Name',
          width: 160,
          grow: 3,
          cell: (r) => (
            <Link to="." search={narrow(r.key) as never}>
              {r.key || '(no name)'}
            </Link>
          ),
        },
        ...sumColumns<Sums & { key: string }>(),
      ]}
      empty={<p className="dimmed">None in this period.</p>}
    />
  );
}

/** The most frequent failures, each with a link to the latest event. */
export function TopErrors({
  rows,
  f,
  label = 'Top errors',
}: {
  rows: Failure[] | undefined;
  f: Filtered;
  label?: string;
}) {
  const navigate = useNavigate();
  const { project_id } = f.search;
  const to = (event: string): string =>
    `/e/${encodeURIComponent(f.env)}/traces/events/${encodeURIComponent(event)}${project_id ? `?${new URLSearchParams({ project_id })}` : ''}`;
  return (
    <Table
      label={label}
      rows={rows}
      id={(r) => r.fingerprint}
      open={(r) => r.samples[0] && void navigate({ href: to(r.samples[0]) })}
      columns={[
        {
          key: 'message',
          title: 'Message',
          width: 220,
          grow: 4,
          cell: (r) => <span title={r.message}>{r.message}</span>,
        },
        { key: 'tool', title: 'Tool', width: 120, grow: 1, cell: (r) => r.tool },
        { key: 'count', title: 'Times', width: 60, number: true, cell: (r) => formatNumber(r.count) },
        { key: 'sessions', title: 'Sessions', width: 70, number: true, cell: (r) => formatNumber(r.sessions) },
        { key: 'last', title: 'Last seen', width: 130, cell: (r) => <Stamp at={r.last_seen} /> },
        {
          key: 'sample',
          title: 'Latest',
          width: 90,
          cell: (r) =>
            r.samples[0] ? (
              <Go href={to(r.samples[0])} aria-label={`Open the latest: ${r.message.slice(0, 80)}`}>
                Open
              </Go>
            ) : (
              '–'
            ),
        },
      ]}
      empty={<p className="dimmed">Nothing has failed.</p>}
    />
  );
}
