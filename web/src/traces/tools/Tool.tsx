import { Checkbox, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { formatNumber } from '../../app/locale';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { type EventSummary, type Sums, tokensOf } from '../api';
import { Charts } from '../charts/Charts';
import { changeOf } from '../charts/scale';
import { useSeries } from '../charts/series';
import { FilterBar } from '../FilterBar';
import { formatDuration, formatShare } from '../format';
import { periodOfDrag } from '../Overview';
import { type Filtered, useFilters } from '../useFilters';
import { Executions } from './Executions';
import { Histogram } from './Histogram';
import { Spread } from './Spread';
import { slowerThan, type TimeOfTool } from './timeline';

/** One tool: number of calls, latencies, and how its time is spent. */
export function Tool() {
  const { tool = '' } = useParams({ strict: false }) as { tool?: string };
  const all = useFilters();
  // The tool in the path replaces the one in the filters.
  const f: Filtered = { ...all, get: (path, more = {}, range) => all.get(path, { ...more, tool }, range) };
  const plain: Filtered = { ...all, get: (path, more = {}, range) => withoutTool(all, path, more, range) };
  const compare = all.search.compare === 'true' && all.before !== undefined;
  const sums = useQuery(f.get<{ tools: (Sums & { tool: string })[] }>('tools'));
  const was = useQuery({ ...f.get<{ tools: (Sums & { tool: string })[] }>('tools', {}, all.before), enabled: compare });
  const series = useSeries(f);
  const before = useSeries(f, all.before ?? {}, compare);
  const path = `tools/${encodeURIComponent(tool)}/timeline`;
  const time = useQuery(plain.get<TimeOfTool>(path));
  const timeBefore = useQuery({ ...plain.get<TimeOfTool>(path, {}, all.before), enabled: compare });
  const latest = useQuery(f.get<{ events: EventSummary[] }>('events', { view: 'summary', limit: '100' }));
  const failures = useQuery(
    f.get<{ events: EventSummary[] }>('events', { view: 'summary', limit: '10', errors: 'true' }),
  );
  const least = time.data && slowerThan(time.data, 10);
  const slow = useQuery({
    ...f.get<{ events: EventSummary[] }>('events', { view: 'summary', limit: '1000', min_latency: String(least) }),
    enabled: least !== undefined,
  });
  const slowest = slow.data?.events.toSorted((a, b) => (b.latency ?? 0) - (a.latency ?? 0)).slice(0, 10);
  const reads = [sums, series, time, latest, failures, slow];
  const failed = reads.find((r) => r.error)?.error;
  const total = sums.data?.tools.find((t) => t.tool === tool);
  const earlier = compare ? was.data?.tools.find((t) => t.tool === tool) : undefined;
  return (
    <Page title={tool} env={all.env}>
      <FilterBar />
      <Checkbox
        label="Compare with the period before"
        disabled={all.before === undefined}
        description={all.before === undefined ? 'Choose a period that has a beginning.' : undefined}
        checked={compare}
        onChange={(e) => all.patch({ compare: e.currentTarget.checked ? 'true' : undefined })}
      />
      {failed && <Refused error={failed} again={() => reads.forEach((r) => void r.refetch())} />}
      {sums.data && !total && <p className="dimmed">This tool has no calls that match.</p>}
      {total && <Summary of={total} before={earlier} />}
      {series.data ? (
        <Charts
          of={series.data}
          before={compare ? before.data : undefined}
          choose={(from, to) => all.patch(periodOfDrag(from, to))}
          what="Calls"
        />
      ) : (
        !failed && <Skeleton h={280} className="late" />
      )}
      {time.data && (
        <div className="figures">
          <Histogram of={time.data} before={compare ? timeBefore.data : undefined} />
          <Spread of={time.data} before={compare ? timeBefore.data : undefined} />
        </div>
      )}
      <h2>Latest executions</h2>
      {latest.data && <Executions events={latest.data.events} env={all.env} />}
      <div className="columns-2">
        <div>
          <h2 id="slowest">Slowest</h2>
          <Calls events={slowest} env={all.env} labelledBy="slowest" empty="No call with a latency matches." />
        </div>
        <div>
          <h2 id="latest-errors">Latest errors</h2>
          <Calls events={failures.data?.events} env={all.env} labelledBy="latest-errors" empty="No call has failed." />
        </div>
      </div>
    </Page>
  );
}

/** Reads a route that has the tool in its path, without the filter `tool`, which it refuses. */
function withoutTool<T>(f: Filtered, path: string, more: Record<string, string>, range?: Filtered['range']) {
  return f.get<T>(path, f.search.tool ? { ...more, tool: decodeURIComponent(path.split('/')[1] ?? '') } : more, range);
}

function Summary({ of, before }: { of: Sums; before?: Sums }) {
  const rows: [string, (s: Sums) => number | null, (n: number) => string][] = [
    ['Calls', (s) => s.count, formatNumber],
    ['Errors', (s) => s.errors, formatNumber],
    ['Error rate', (s) => s.error_rate, formatShare],
    ['p50 latency', (s) => s.p50, formatDuration],
    ['p95 latency', (s) => s.p95, formatDuration],
    ['p99 latency', (s) => s.p99, formatDuration],
    ['Tokens', tokensOf, formatNumber],
  ];
  return (
    <dl className="tiles">
      {rows.map(([name, value, format]) => {
        const now = value(of);
        const change = before && changeOf(now, value(before));
        return (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{now === null ? '–' : format(now)}</dd>
            {change && (
              <dd className="change">
                {change}
                <span className="visually-hidden"> against the period before</span>
              </dd>
            )}
          </div>
        );
      })}
    </dl>
  );
}

interface CallsProps {
  events: EventSummary[] | undefined;
  env: string;
  labelledBy: string;
  empty: string;
}

/** Calls as links into their traces. */
function Calls({ events, env, labelledBy, empty }: CallsProps) {
  if (events?.length === 0) {
    return <p className="dimmed">{empty}</p>;
  }
  return (
    <ul aria-labelledby={labelledBy} className="calls">
      {events?.map((e) => (
        <li key={e.event_id}>
          <Link
            to="/e/$env/traces/sessions/$session"
            params={{ env, session: e.session_id }}
            search={((old: object) => ({ ...old, event: e.event_id, compare: undefined })) as never}
          >
            <Stamp at={e.start} />
          </Link>
          <span className="number">{formatDuration(e.latency)}</span>
          <span className={e.success ? 'dimmed' : 'problem'}>
            {e.success ? 'succeeded' : (e.result ?? 'failed').slice(0, 120)}
          </span>
        </li>
      ))}
    </ul>
  );
}
