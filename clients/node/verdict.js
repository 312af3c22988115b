// Verdicts as text.
import { AssertionError } from 'node:assert';

/** Formats a verdict: a line for each check, with the evidence below those that did not pass. */
export function explain(verdict) {
  const lines = [`verdict: ${verdict.verdict}, score ${verdict.score}`];
  for (const check of verdict.checks) {
    const result = { true: 'ok', false: 'FAILED' }[check.passed] ?? 'unknown';
    lines.push(`${result.padEnd(7)} ${[check.id, check.name, check.message].filter(Boolean).join(': ')}`);
    if (check.passed !== true) lines.push(...evidence(check.evidence).map((line) => `        ${line}`));
  }
  return lines.join('\n');
}

function evidence({ near = [], left = [], matched = [], requests = [] }) {
  const change = (c) => `${c.op} ${c.service}.${c.entity} ${c.key}${causes(c.cause)}`;
  return [
    ...near.map((n) => `near: ${n.key}: ${n.failed.map((f) => `${f.field} is ${JSON.stringify(f.found)}, wanted ${JSON.stringify(f.wanted)}`).join('; ')}${causes(n.cause)}`),
    ...matched.map((c) => `matched: ${change(c)}`),
    ...left.map((c) => `left: ${change(c)}`),
    ...requests.map((r) => `request ${r.seq}: ${r.operation} ${r.status}`),
  ];
}

const causes = (cause = []) => (cause?.length ? ` (${cause.map((c) => `request ${c.seq}${c.operation ? ` ${c.operation}` : ''}`).join(', ')})` : '');

/** Throws an AssertionError with the evidence and the verdict, unless the verdict is passed. */
export function assertPassed(verdict, address, caller) {
  if (verdict.verdict === 'passed') return;
  const error = new AssertionError({
    message: explain(verdict) + (address ? `\nfork: ${address}` : ''), actual: verdict.verdict, expected: 'passed', operator: 'verdict', stackStartFn: caller,
  });
  error.verdict = verdict;
  throw error;
}
