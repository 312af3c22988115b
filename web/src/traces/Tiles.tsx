import { formatNumber } from '../app/locale';
import type { Totals } from './api';
import { changeOf } from './charts/scale';
import { formatDuration, formatShare } from './format';

const tiles: [name: string, value: (t: Totals) => number | null, format: (n: number) => string][] = [
  ['Sessions', (t) => t.sessions, formatNumber],
  ['Events', (t) => t.events, formatNumber],
  ['Errors', (t) => t.errors, formatNumber],
  ['Error rate', (t) => t.error_rate, formatShare],
  ['Input tokens', (t) => t.input_tokens, formatNumber],
  ['Output tokens', (t) => t.output_tokens, formatNumber],
  ['Users', (t) => t.users, formatNumber],
  ['p95 latency', (t) => t.p95, formatDuration],
];

/** The totals of a period, each with its change from the previous period. */
export function Tiles({ of, before, without = [] }: { of: Totals; before?: Totals; without?: string[] }) {
  return (
    <dl className="tiles">
      {tiles
        .filter(([name]) => !without.includes(name))
        .map(([name, value, format]) => {
          const now = value(of);
          const was = before && value(before);
          const change = was === undefined ? undefined : changeOf(now, was);
          return (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{now === null ? '–' : format(now)}</dd>
              {change && (
                <dd
                  className="change"
                  title={`${was === null || was === undefined ? '–' : format(was)} in the period before`}
                >
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
