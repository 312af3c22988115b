import { formatNumber } from '../app/locale';

/** Returns milliseconds as people read them: 12 ms, 3.4 s, 2 min 5 s, 3 h 20 min. */
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
