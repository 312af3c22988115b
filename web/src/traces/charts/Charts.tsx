import { Chart } from './Chart';
import { formatDuration, formatNumber, type OverTime, sentence } from './series';

interface Props {
  of: OverTime;
  before?: OverTime; // the previous period
  choose?: (from: number, to: number) => void;
}

const tokens = (p: { input_tokens: number; output_tokens: number }): number => p.input_tokens + p.output_tokens;

/** Events, errors, tokens and latency over time. */
export function Charts({ of, before, choose, what = 'Events' }: Props & { what?: string }) {
  const { points, step } = of;
  const times = points.map((p) => p.time);
  const was = (value: (p: OverTime['points'][number]) => number | null) =>
    before && { name: 'before', look: 'before' as const, values: points.map((_, i) => pick(before.points[i], value)) };
  const common = { times, step, choose };
  return (
    <div className="figures">
      <Chart
        {...common}
        name={`${what} over time`}
        series={[{ name: what, values: points.map((p) => p.count) }]}
        before={was((p) => p.count)}
        format={formatNumber}
        bars
        summary={sentence(points, (p) => p.count, formatNumber)}
      />
      <Chart
        {...common}
        name="Errors over time"
        series={[{ name: 'Errors', values: points.map((p) => p.errors), look: 'bad' }]}
        before={was((p) => p.errors)}
        format={formatNumber}
        bars
        summary={sentence(points, (p) => p.errors, formatNumber)}
      />
      <Chart
        {...common}
        name="Tokens over time"
        series={[{ name: 'Tokens', values: points.map(tokens) }]}
        before={was(tokens)}
        format={formatNumber}
        bars
        summary={sentence(points, tokens, formatNumber)}
      />
      <Chart
        {...common}
        name="Latency over time"
        series={[
          { name: 'p50', values: points.map((p) => p.p50) },
          { name: 'p95', values: points.map((p) => p.p95), look: 'second' },
          { name: 'p99', values: points.map((p) => p.p99), look: 'third' },
        ]}
        before={was((p) => p.p95)}
        format={formatDuration}
        summary={sentence(points, (p) => p.p95 ?? 0, formatDuration, false).replace('Highest', 'Highest p95')}
      />
    </div>
  );
}

const pick = <T,>(of: T | undefined, value: (of: T) => number | null): number | null =>
  of === undefined ? null : value(of);
