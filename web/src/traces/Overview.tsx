import { Button, Skeleton, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { formatNumber, formatStamp } from '../app/locale';
import type { Search } from '../routes';
import { Page, Refused } from '../ui/Page';
import { Filters } from './Area';
import { ask, type Sums } from './api';
import { queryOf } from './filters';
import { formatDuration, formatShare } from './format';

interface Totals extends Sums {
  sessions: number;
  events: number;
  users: number;
}

interface Point extends Sums {
  time: number;
}

interface Failure {
  fingerprint: string;
  message: string;
  tool: string;
  count: number;
  sessions: number;
  last_seen: number;
}

/** Numbers of a period: what was done, how much failed, how long it took. */
export function Overview() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const search = useSearch({ strict: false }) as Search;
  const key = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address decides; the time is taken when it changes
  const q = useMemo(() => queryOf(search, Date.now()), [key]);
  const get = <T,>(path: string, more: Record<string, string> = {}) => ({
    queryKey: ['traces', env, path, q.toString(), more],
    queryFn: () => ask<T>(env, `${path}?${new URLSearchParams([...q, ...Object.entries(more)])}`),
  });
  const totals = useQuery(get<Totals & { previous: Totals }>('overview'));
  const series = useQuery(
    get<{ points: Point[] }>('timeseries', {
      interval: search.period === '1h' ? 'minute' : search.period === '24h' ? 'hour' : 'day',
    }),
  );
  const tools = useQuery(get<{ tools: (Sums & { tool: string })[] }>('tools'));
  const models = useQuery(get<{ models: (Sums & { model: string })[] }>('models'));
  const errors = useQuery(get<{ errors: Failure[] }>('errors', { limit: '10' }));
  const t = totals.data;
  const failed = totals.error ?? series.error ?? tools.error ?? models.error ?? errors.error;
  const all = [totals, series, tools, models, errors];
  const points = series.data?.points ?? [];
  return (
    <Page title="Traces" env={env}>
      <Filters />
      {failed && <Refused error={failed} again={() => all.forEach((f) => void f.refetch())} />}
      {!t && totals.isPending && <Skeleton h={80} />}
      {t && t.events === 0 && (
        <p className="dimmed">
          No event matches. Agents send them to ingestion, whose address and key stand in credentials.json.
        </p>
      )}
      {t && (
        <dl className="tiles">
          <Tile name="Sessions" value={formatNumber(t.sessions)} />
          <Tile name="Events" value={formatNumber(t.events)} />
          <Tile name="Errors" value={formatNumber(t.errors)} />
          <Tile name="Error rate" value={formatShare(t.error_rate)} />
          <Tile name="Input tokens" value={formatNumber(t.input_tokens)} />
          <Tile name="Output tokens" value={formatNumber(t.output_tokens)} />
          <Tile name="Users" value={formatNumber(t.users)} />
          <Tile name="p95 latency" value={formatDuration(t.p95)} />
        </dl>
      )}
      <div className="figures">
        <Bars name="Events over time" points={points} value={(p) => p.count} format={formatNumber} />
        <Bars name="Errors over time" points={points} value={(p) => p.errors} format={formatNumber} bad />
        <Bars
          name="Tokens over time"
          points={points}
          value={(p) => p.input_tokens + p.output_tokens}
          format={formatNumber}
        />
        <Bars name="Latency over time" points={points} value={(p) => p.p95 ?? 0} format={formatDuration} />
      </div>
      <h2>Tools</h2>
      <Rows
        name="Tools"
        rows={tools.data?.tools.map((r) => ({ name: r.tool, filter: { tool: r.tool }, ...r })) ?? []}
      />
      <h2>Models</h2>
      <Rows
        name="Models"
        rows={models.data?.models.map((r) => ({ name: r.model, filter: { model: r.model }, ...r })) ?? []}
      />
      <h2>Top errors</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <div className="wide" tabIndex={0}>
        <Table aria-label="Top errors">
          <Table.Thead>
            <Table.Tr>
              {['Message', 'Tool', 'Times', 'Sessions', 'Last seen'].map((h) => (
                <Table.Th key={h}>{h}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {errors.data?.errors.map((e) => (
              <Table.Tr key={e.fingerprint}>
                <Table.Td className="long">{e.message}</Table.Td>
                <Table.Td>{e.tool}</Table.Td>
                <Table.Td className="number">{formatNumber(e.count)}</Table.Td>
                <Table.Td className="number">{formatNumber(e.sessions)}</Table.Td>
                <Table.Td>{formatStamp(new Date(e.last_seen))}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {errors.data?.errors.length === 0 && <p className="dimmed">Nothing has failed.</p>}
    </Page>
  );
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface BarsProps {
  name: string;
  points: Point[];
  value: (p: Point) => number;
  format: (n: number) => string;
  bad?: boolean;
}

/** A value over time: bars, a sentence that says the same, and a table for who wants the numbers. */
function Bars({ name, points, value, format, bad }: BarsProps) {
  const [table, setTable] = useState(false);
  const most = Math.max(...points.map(value), 0);
  const peak = points.find((p) => value(p) === most);
  const width = 100 / Math.max(points.length, 1);
  const summary = peak && most > 0 ? `Highest ${format(most)} on ${formatStamp(new Date(peak.time))}.` : 'Nothing yet.';
  return (
    <figure aria-label={name}>
      <figcaption>
        <strong>{name}</strong> <span className="dimmed">{summary}</span>
      </figcaption>
      {table ? (
        <Table aria-label={name}>
          <Table.Tbody>
            {points
              .filter((p) => value(p) > 0)
              .map((p) => (
                <Table.Tr key={p.time}>
                  <Table.Th scope="row">{formatStamp(new Date(p.time))}</Table.Th>
                  <Table.Td className="number">{format(value(p))}</Table.Td>
                </Table.Tr>
              ))}
          </Table.Tbody>
        </Table>
      ) : (
        <svg viewBox="0 0 100 40" preserveAspectRatio="none" aria-hidden="true" className={bad ? 'bars bad' : 'bars'}>
          {points.map((p, i) => {
            const height = most > 0 ? (value(p) / most) * 40 : 0;
            return <rect key={p.time} x={i * width} y={40 - height} width={width * 0.8} height={height} />;
          })}
        </svg>
      )}
      <Button size="compact-sm" variant="subtle" aria-pressed={table} onClick={() => setTable(!table)}>
        {table ? 'Show as chart' : 'Show as table'}
      </Button>
    </figure>
  );
}

function Rows({ name, rows }: { name: string; rows: (Sums & { name: string; filter: Search })[] }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard */}
      <div className="wide" tabIndex={0}>
        <Table aria-label={name}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              {['Calls', 'Errors', 'Error rate', 'p50', 'p95', 'p99', 'Tokens'].map((h) => (
                <Table.Th key={h} className="number">
                  {h}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((r) => (
              <Table.Tr key={r.name}>
                <Table.Td className="long">
                  <Link to="." search={((old: Search) => ({ ...old, ...r.filter })) as never}>
                    {r.name}
                  </Link>
                </Table.Td>
                <Table.Td className="number">{formatNumber(r.count)}</Table.Td>
                <Table.Td className="number">{formatNumber(r.errors)}</Table.Td>
                <Table.Td className="number">{formatShare(r.error_rate)}</Table.Td>
                <Table.Td className="number">{formatDuration(r.p50)}</Table.Td>
                <Table.Td className="number">{formatDuration(r.p95)}</Table.Td>
                <Table.Td className="number">{formatDuration(r.p99)}</Table.Td>
                <Table.Td className="number">{formatNumber(r.input_tokens + r.output_tokens)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {rows.length === 0 && <p className="dimmed">None in this period.</p>}
    </>
  );
}
