import { formatNumber } from '../../app/locale';
import { Figure, useWidth } from '../charts/Chart';
import { ticksTo } from '../charts/scale';
import { formatDuration } from '../format';
import type { TimeOfTool } from './timeline';

const height = 110;
const left = 48;

/** A histogram of the calls' latencies. */
export function Histogram({ of, before }: { of: TimeOfTool; before?: TimeOfTool }) {
  const [ref, width] = useWidth();
  const ends = [...new Set([...of.histogram, ...(before?.histogram ?? [])].map((b) => b.le))].sort((a, b) => a - b);
  const now = new Map(of.histogram.map((b) => [b.le, b.count]));
  const was = new Map(before?.histogram.map((b) => [b.le, b.count]));
  const most = Math.max(...now.values(), ...was.values(), 0);
  const ticks = ticksTo(most);
  const end = ticks.at(-1) ?? 1;
  const part = Math.max(width - left, 1) / Math.max(ends.length, 1);
  const y = (n: number): number => 6 + (1 - n / end) * (height - 6);
  const every = Math.max(1, Math.ceil(56 / part));
  return (
    <Figure
      name="Latency"
      summary={
        of.p50 === null
          ? 'No call has a latency.'
          : `Half of the calls take up to ${formatDuration(of.p50)}, 95 % up to ${formatDuration(of.p95)}, 99 % up to ${formatDuration(of.p99)}.`
      }
      table={() => (
        <table aria-label="Latency">
          <thead>
            <tr>
              <th scope="col">Up to</th>
              <th scope="col" className="number">
                Calls
              </th>
              {before && (
                <th scope="col" className="number">
                  Before
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {ends.map((le) => (
              <tr key={le}>
                <th scope="row">{formatDuration(le)}</th>
                <td className="number">{formatNumber(now.get(le) ?? 0)}</td>
                {before && <td className="number">{formatNumber(was.get(le) ?? 0)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    >
      <div ref={ref} className="chart">
        <svg width={width} height={height + 18} aria-hidden="true">
          {ticks.map((t) => (
            <g key={t} className="grid">
              <line x1={left} x2={width} y1={y(t)} y2={y(t)} />
              <text x={left - 6} y={y(t) + 4} textAnchor="end">
                {formatNumber(t)}
              </text>
            </g>
          ))}
          {ends.map((le, i) => (
            <g key={le}>
              <rect
                className="bars"
                x={left + i * part + 1}
                y={y(now.get(le) ?? 0)}
                width={Math.max(part - 2, 1)}
                height={height - y(now.get(le) ?? 0)}
              />
              {before && (
                <line
                  className="line before"
                  x1={left + i * part}
                  x2={left + (i + 1) * part}
                  y1={y(was.get(le) ?? 0)}
                  y2={y(was.get(le) ?? 0)}
                />
              )}
              {i % every === 0 && (
                <text className="axis" x={left + (i + 0.5) * part} y={height + 14} textAnchor="middle">
                  ≤ {formatDuration(le)}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
    </Figure>
  );
}
