import type { Result } from './Checks';

/** The verdict of a run in a list. */
export interface RunSummary {
  id: string;
  at: string; // real time
  series: string; // the same for all runs of one command
  task: string;
  run: number; // from 1
  state: 'passed' | 'failed' | 'timeout' | 'error';
  reason: string;
  score: number;
  seconds: number;
  requests: number;
  firings: number;
  exit: number | null;
  seed: number | null;
  environment: string; // the fork of the run, which is usually gone
  kept: boolean;
  world: { id: string; name: string } | null;
  checks: { passed: number; failed: number; undecided: number };
}

/** The full verdict of a run. */
export interface Run extends RunSummary {
  answer: string | null;
  output: string;
  verdict: Result | null;
}

/** The address of the verdicts of runs, and of one of them. */
export const runsPlace = (id = ''): string => `/worlds/-/verdicts${id && `/${encodeURIComponent(id)}`}`;

/** Returns the CSS class of a state: only passed runs are green, only failed ones red. */
export const look = (state: string): string => `state ${state === 'passed' ? 'delivered' : 'failed'}`;

/** Returns the checks of a run in words: `3 of 4 passed`, `1 undecided` when some could not be decided. */
export function checksOf({ passed, failed, undecided }: RunSummary['checks']): string {
  const all = passed + failed + undecided;
  if (all === 0) {
    return 'not graded';
  }
  return `${passed} of ${all} passed${undecided > 0 ? `, ${undecided} undecided` : ''}`;
}
