import { Link } from '@tanstack/react-router';
import { placeOf } from '../api';
import { addressOf, ops } from '../parts';

interface Writer {
  seq: number | null;
  operation?: string;
}

interface Named {
  op?: string;
  service?: string;
  entity?: string;
  key: string;
  cause?: Writer[];
}

interface Near extends Named {
  failed?: { field: string; wanted: unknown; found: unknown }[];
}

interface Evidence {
  matched?: Named[];
  near?: Near[];
  left?: Named[];
  [name: string]: unknown;
}

interface Check {
  id: string;
  name?: string;
  passed: boolean | null;
  weight: number;
  gate: boolean;
  message?: string;
  evidence?: Evidence;
}

/** A verdict as the admin plane replies. */
export interface Result {
  verdict: 'passed' | 'failed' | 'unknown';
  score: number;
  recording?: { complete: boolean; requests: number };
  counts?: Record<string, number>;
  checks: Check[];
}

const words = (passed: boolean | null): string => (passed === null ? 'undecided' : passed ? 'passed' : 'failed');
const look: Record<string, string> = { passed: 'state delivered', failed: 'state failed', undecided: 'state pending' };

/** A verdict with the evidence of each check. Requests are links while their environment exists. */
export function Checks({ env, result }: { env?: string; result: Result }) {
  return (
    <section aria-label="Result">
      <div role="status">
        <h2>
          Verdict: <span className={look[result.verdict] ?? look.undecided}>{result.verdict}</span>, score{' '}
          {Math.round(result.score * 1000) / 1000}
        </h2>
      </div>
      {result.counts && (
        <p className="dimmed">
          {Object.entries(result.counts)
            .map(([name, n]) => `${name.replaceAll('_', ' ')} ${n}`)
            .join(', ')}
          {result.recording && !result.recording.complete && '; the record of requests has gaps'}
        </p>
      )}
      <ul className="plain checks" aria-label="Checks">
        {result.checks.map((c) => (
          <li key={c.id}>
            <span className={look[words(c.passed)]}>{words(c.passed)}</span> <strong>{c.name || c.id}</strong>
            {c.name && <span className="dimmed"> {c.id}</span>}
            {c.gate && <span className="tag">gate</span>}
            {c.message && <p>{c.message}</p>}
            {c.evidence && <Evidences env={env} evidence={c.evidence} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Evidences({ env, evidence }: { env?: string; evidence: Evidence }) {
  const { matched, near, left, ...rest } = evidence;
  const others = Object.entries(rest).filter(([, v]) => v !== null && v !== undefined);
  return (
    <>
      <Group env={env} title="Matched" list={matched} />
      <Group env={env} title="Nearest" list={near} />
      <Group env={env} title="Left" list={left} />
      {others.length > 0 && <pre className="json">{JSON.stringify(Object.fromEntries(others), null, 2)}</pre>}
    </>
  );
}

/** The key of a changed object: a link to its page, if there is one. */
function Key({ env, of }: { env?: string; of: Near }) {
  const there = env && of.service && of.entity && of.op !== 'delete';
  const to = there ? addressOf(env, of.service ?? '', of.entity ?? '', of.key) : undefined;
  return to ? (
    <Link to={to}>
      <code>{of.key}</code>
    </Link>
  ) : (
    <code>{of.key}</code>
  );
}

function Group({ env, title, list }: { env?: string; title: string; list?: Near[] }) {
  if (!list?.length) {
    return null;
  }
  return (
    <div className="evidence">
      <span className="dimmed">{title}</span>
      <ul className="plain">
        {list.map((n) => (
          <li key={`${n.service} ${n.entity} ${n.key} ${n.op}`} className="long">
            {n.op && <span className={`badge-op ${n.op}`}>{ops[n.op] ?? n.op}</span>} {n.service} {n.entity}{' '}
            <Key env={env} of={n} />
            {n.cause?.map(
              (w) =>
                w.seq && (
                  <span key={w.seq}>
                    {' '}
                    {env ? (
                      <Link to={placeOf(env, `requests/${w.seq}`)}>{w.operation || `request ${w.seq}`}</Link>
                    ) : (
                      <span className="dimmed">
                        by request {w.seq} {w.operation}
                      </span>
                    )}
                  </span>
                ),
            )}
            {n.failed?.map((f) => (
              <div key={f.field} className="dimmed">
                {f.field}: wanted <code>{JSON.stringify(f.wanted)}</code>, found <code>{JSON.stringify(f.found)}</code>
              </div>
            ))}
          </li>
        ))}
      </ul>
    </div>
  );
}
