import { Link } from '@tanstack/react-router';
import { formatNumber, formatStamp } from '../../app/locale';
import { type EventSummary, statusOf } from '../api';
import { formatDuration } from '../format';

/** The latest calls as bars, aligned at the left, each with its checkpoints. */
export function Executions({ events, env }: { events: EventSummary[]; env: string }) {
  if (events.length === 0) {
    return <p className="dimmed">No call matches.</p>;
  }
  const longest = Math.max(...events.map((e) => reach(e)), 1);
  const names = [...new Set(events.flatMap((e) => e.checkpoints.map((c) => c.name)))];
  return (
    <>
      <p className="dimmed">
        The latest {formatNumber(events.length)}, from 0 to {formatDuration(longest)}.
        {names.length > 0 && ` Ticks: ${names.slice(0, 12).join(', ')}.`}
      </p>
      <ol aria-label="Latest executions" className="executions">
        {events.map((e) => {
          const marks = e.checkpoints.map((c) => `${c.name} ${formatDuration(c.offset_ms)}`).join(', ');
          return (
            <li key={e.event_id} className={e.success ? '' : 'failed'}>
              <Link
                to="/e/$env/traces/sessions/$session"
                params={{ env, session: e.session_id }}
                search={((old: object) => ({ ...old, event: e.event_id, compare: undefined })) as never}
                aria-label={`${formatStamp(new Date(e.start))}, ${formatDuration(e.latency)}, ${statusOf(e)}${marks ? `, ${marks}` : ''}`}
              >
                <span className="when">{formatStamp(new Date(e.start))}</span>
                <span className="lane">
                  <span
                    className="bar"
                    style={{ width: `max(2px, ${(Math.max(e.latency ?? 0, 0) / longest) * 100}%)` }}
                  />
                  {e.checkpoints.map((c) => (
                    <i
                      key={`${c.name} ${c.offset_ms}`}
                      className={`tick hue-${names.indexOf(c.name) % 4}`}
                      title={`${c.name}, ${formatDuration(c.offset_ms)}`}
                      style={{ left: `${(c.offset_ms / longest) * 100}%` }}
                    />
                  ))}
                </span>
                <span className="number">{formatDuration(e.latency)}</span>
                <span className="how">{statusOf(e)}</span>
              </Link>
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Returns the length of an execution's bar: its end, or a later checkpoint. */
const reach = (e: EventSummary): number => Math.max(e.latency ?? 0, ...e.checkpoints.map((c) => c.offset_ms), 0);
