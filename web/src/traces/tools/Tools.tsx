import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Page, Refused } from '../../ui/Page';
import { Table } from '../../ui/Table';
import type { Point, Sums } from '../api';
import { linePath } from '../charts/scale';
import { FilterBar } from '../FilterBar';
import { FirstEvent } from '../FirstEvent';
import { type Interval, intervalOf } from '../filters';
import { useFilters } from '../useFilters';
import { sorted, sumColumns } from './columns';

type Tool = Sums & { tool: string };

/** All tools, each with its calls over time. */
export function Tools() {
  const f = useFilters();
  const navigate = useNavigate();
  const tools = useQuery(f.get<{ tools: Tool[] }>('tools'));
  const order = f.search.sort ?? '-count';
  const rows = tools.data && sorted(tools.data.tools, order);
  const span = f.range.from === undefined ? undefined : (f.range.to ?? f.now) - f.range.from;
  const interval: Interval = span === undefined ? 'day' : intervalOf(span * 4);
  const groups = useQuery(
    f.get<{ groups?: { key: string; points: Point[] }[] }>('timeseries', {
      group_by: 'tool',
      top: '50',
      interval,
      fill: 'zero',
    }),
  );
  const lines = new Map(groups.data?.groups?.map((g) => [g.key, g.points.map((p) => p.count)]));
  const to = (r: Tool) => ({
    to: '/e/$env/traces/tools/$tool',
    params: { env: f.env, tool: r.tool },
    search: ((old: object) => ({ ...old, tool: undefined, sort: undefined })) as never,
  });
  return (
    <Page title="Tools" env={f.env}>
      <FilterBar />
      {tools.error && <Refused error={tools.error} again={() => void tools.refetch()} />}
      <Table
        label="Tools"
        rows={rows ?? (tools.error ? [] : undefined)}
        id={(r) => r.tool}
        name={(r) => r.tool}
        open={(r) => void navigate(to(r))}
        sort={order}
        setSort={(sort) => f.patch({ sort: sort === '-count' ? undefined : sort }, true)}
        columns={[
          {
            key: 'tool',
            title: 'Tool',
            width: 160,
            grow: 3,
            sorts: 'tool',
            cell: (r) => (
              <Link {...to(r)} title={r.tool}>
                {r.tool || '(no name)'}
              </Link>
            ),
          },
          ...sumColumns<Tool>(),
          { key: 'line', title: 'Over time', width: 100, cell: (r) => <Sparkline values={lines.get(r.tool)} /> },
        ]}
        empty={<FirstEvent f={f} />}
      />
    </Page>
  );
}

/** A small line without axes. */
function Sparkline({ values }: { values: number[] | undefined }) {
  if (!values) {
    return <span className="dimmed">–</span>;
  }
  const most = Math.max(...values, 1);
  const step = 96 / Math.max(values.length - 1, 1);
  const shown = values.length === 1 ? [0, ...values] : values;
  return (
    <svg width={96} height={20} className="sparkline" role="img" aria-label={`At most ${most} in a part of the period`}>
      <path
        d={linePath(
          shown,
          (i) => i * Math.min(step, 96),
          (v) => 18 - (v / most) * 16,
        )}
      />
    </svg>
  );
}
