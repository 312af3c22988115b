import { useQuery } from '@tanstack/react-query';
import { formatNumber, formatStamp } from '../../app/locale';
import type { Point } from '../api';
import { type Interval, intervalOf, intervals, type Range } from '../filters';
import { formatDuration } from '../format';
import type { Filtered } from '../useFilters';

export interface OverTime {
  points: Point[];
  step: number;
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function queryOf(f: Filtered, range: Range, interval: Interval, more: Record<string, string>) {
  const q: Record<string, string> = { ...more, interval, fill: 'zero' };
  if (zone && zone !== 'Local') {
    q.tz = zone;
  }
  return f.get<{ points: Point[] }>('timeseries', q, range);
}

/**
 * Reads sums over time. If the period has no beginning, days are read first; if all events are within a few days, their
 * own period is divided.
 */
export function useSeries(f: Filtered, range: Range = f.range, enabled = true, more: Record<string, string> = {}) {
  const open = range.from === undefined;
  const span = (range.to ?? f.now) - (range.from ?? 0);
  const rough = useQuery({ ...queryOf(f, range, 'day', more), enabled: enabled && open });
  const days = rough.data?.points.filter((p) => p.count > 0) ?? [];
  const first = days[0]?.time ?? 0;
  const last = (days.at(-1)?.time ?? 0) + intervals.day;
  const short = open && days.length > 0 && last - first <= 8 * intervals.day;
  const hours = useQuery({
    ...queryOf(f, { from: first, to: Math.min(last, range.to ?? last) }, 'hour', more),
    enabled: enabled && short,
  });
  const busy = hours.data?.points.filter((p) => p.count > 0) ?? [];
  const began = busy[0]?.time ?? 0;
  const ended = (busy.at(-1)?.time ?? 0) + intervals.hour;
  const brief = short && busy.length > 0 && ended - began <= 3 * intervals.hour;
  const minutes = useQuery({
    ...queryOf(f, { from: began, to: ended }, 'minute', more),
    enabled: enabled && brief,
  });
  const interval = intervalOf(span);
  const exact = useQuery({ ...queryOf(f, range, interval, more), enabled: enabled && !open });
  const found = open ? (brief ? minutes : short ? hours : rough) : exact;
  const used: Interval = open ? (brief ? 'minute' : short ? 'hour' : 'day') : interval;
  return {
    data: found.data && ({ points: found.data.points, step: intervals[used] } satisfies OverTime),
    error: rough.error ?? hours.error ?? minutes.error ?? exact.error,
    refetch: found.refetch,
  };
}

/** Returns a sentence with the maximum and the sum of some values. */
export function sentence(
  points: Point[],
  value: (p: Point) => number,
  format: (n: number) => string,
  sum = true,
): string {
  let peak: Point | undefined;
  let total = 0;
  for (const p of points) {
    total += value(p);
    if (!peak || value(p) > value(peak)) {
      peak = p;
    }
  }
  if (!peak || total === 0) {
    return 'None in this period.';
  }
  const highest = `Highest ${format(value(peak))} on ${formatStamp(new Date(peak.time))}.`;
  return sum ? `${format(total)} in all. ${highest}` : highest;
}

export { formatDuration, formatNumber };
