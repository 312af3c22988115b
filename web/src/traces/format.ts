import { formatNumber } from '../app/locale';

/** Returns milliseconds as people read them: 12 ms, 3.4 s, 2 min 5 s. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) {
    return '–';
  }
  if (ms < 1000) {
    return `${formatNumber(Math.round(ms * 10) / 10)} ms`;
  }
  if (ms < 60_000) {
    return `${formatNumber(Math.round(ms / 100) / 10)} s`;
  }
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const formatShare = (part: number): string => `${formatNumber(Math.round(part * 1000) / 10)} %`;

/** Returns an input or output as text: JSON on several lines, other text as it is. */
export function readable(value: unknown): string {
  if (typeof value !== 'string') {
    return JSON.stringify(value ?? null, null, 2);
  }
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
