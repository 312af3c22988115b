import { formatNumber, formatStamp } from '../app/locale';

export { formatDuration } from '../ui/duration';

export const formatShare = (part: number): string => `${formatNumber(Math.round(part * 1000) / 10)} %`;

/** Returns a moment as `2026-03-02 09:00:12`. */
export function formatMoment(at: number): string {
  const d = new Date(at);
  return `${formatStamp(d)}:${String(d.getSeconds()).padStart(2, '0')}`;
}
