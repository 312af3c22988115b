import { formatNumber } from '../../app/locale';
import { Figure } from '../charts/Chart';
import { ticksTo } from '../charts/scale';
import { formatDuration, formatShare } from '../format';
import type { TimeOfTool } from './timeline';

/** The offsets of each checkpoint: the median, and a line to the 95th percentile. */
export function Spread({ of, before }: { of: TimeOfTool; before?: TimeOfTool }) {
  const rows = [...of.checkpoints, { name: 'end', count: of.count, p50: of.p50, p95: of.p95, p99: of.p99, share: 0 }];
  const earlier = new Map(before?.checkpoints.map((c) => [c.name, c]));
  const most = Math.max(...rows.map((c) => c.p95 ?? 0), ...[...earlier.values()].map((c) => c.p95 ?? 0), 1);
  const ticks = ticksTo(most, 4);
  const end = ticks.at(-1) ?? 1;
  const at = (ms: number): string => `${Math.min((ms / end) * 100, 100)}%`;
  const longest = of.checkpoints.reduce<(typeof rows)[number] | undefined>(
    (a, b) => (a && a.share >= b.share ? a : b),
    undefined,
  );
  return (
    <Figure
      name="Execution timeline"
      summary={
        longest
          ? `Most time goes by before ${longest.name}: ${formatShare(longest.share)} of the whole.`
          : 'The calls have no checkpoints.'
      }
      table={() => (
        <table aria-label="Execution timeline">
          <thead>
            <tr>
              {['Checkpoint', 'Calls', 'p50', 'p95', 'p99', 'Share'].map((h, i) => (
                <th key={h} scope="col" className={i > 0 ? 'number' : ''}>
                  {h}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((c) => (
              <tr key={c.name}>
                <th scope="row">{c.name}</th>
                <td className="number">{formatNumber(c.count)}</td>
                <td className="number">{formatDuration(c.p50)}</td>
                <td className="number">{formatDuration(c.p95)}</td>
                <td className="number">{formatDuration(c.p99)}</td>
                <td className="number">{formatShare(c.share)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    >
      <div className="spread" aria-hidden>
        {rows.map((c) => {
          const was = earlier.get(c.name);
          return (
            <div key={c.name} className="spread-row">
              <span className="spread-name" title={c.name}>
                {c.name}
              </span>
              <span className="spread-line">
                {was?.p50 !== null && was !== undefined && (
                  <i
                    className="range before"
                    style={{ left: at(was.p50 ?? 0), width: `calc(${at((was.p95 ?? 0) - (was.p50 ?? 0))} + 2px)` }}
                  />
                )}
                {c.p50 !== null && (
                  <>
                    <i className="range" style={{ left: at(c.p50), width: at((c.p95 ?? c.p50) - c.p50) }} />
                    <i className="median" style={{ left: at(c.p50) }} title={`p50 ${formatDuration(c.p50)}`} />
                    <i className="high" style={{ left: at(c.p95 ?? c.p50) }} title={`p95 ${formatDuration(c.p95)}`} />
                  </>
                )}
              </span>
              <span className="spread-value number">
                {formatDuration(c.p50)} – {formatDuration(c.p95)}
              </span>
            </div>
          );
        })}
        <div className="spread-row axis">
          <span className="spread-name" />
          <span className="spread-line">
            {ticks.map((t, i) => (
              <span
                key={t}
                style={{
                  left: at(t),
                  transform: i === 0 ? 'none' : `translateX(${i === ticks.length - 1 ? -100 : -50}%)`,
                }}
              >
                {formatDuration(t)}
              </span>
            ))}
          </span>
          <span className="spread-value">p50 – p95</span>
        </div>
      </div>
    </Figure>
  );
}
