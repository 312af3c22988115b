import { formatNumber } from '../app/locale';

/** Formats milliseconds: 12 ms, 3.4 s, 2 min 5 s, 3 h 20 min. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) {
    return '–';
  }
  if (ms < 999.5) {
    return `${formatNumber(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))} ms`;
  }
  if (ms < 59_950) {
    return `${formatNumber(Math.round(ms / 100) / 10)} s`;
  }
  const seconds = Math.round(ms / 1000);
  if (seconds < 3_600) {
    return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
  const minutes = Math.round(seconds / 60);
  return `${formatNumber(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

const units: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Parses a duration such as 90s, 1h30m or 1d, or a number of seconds, and returns seconds; undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([smhd]?)/g)];
  const whole = /^\s*(?:\d+(?:\.\d+)?\s*[smhd]\s*)+$|^\s*\d+(?:\.\d+)?\s*$/.test(text);
  const n = whole ? parts.reduce((sum, [, number, unit]) => sum + Number(number) * (units[unit || 's'] ?? 1), 0) : 0;
  return n > 0 ? n : undefined;
}
