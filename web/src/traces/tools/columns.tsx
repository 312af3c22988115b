import { formatNumber } from '../../app/locale';
import type { Column } from '../../ui/Table';
import { type Sums, tokensOf } from '../api';
import { formatDuration, formatShare } from '../format';

/** Returns the columns for sums of calls. */
export function sumColumns<T extends Sums>(): Column<T>[] {
  const column = (key: string, title: string, width: number, text: (r: T) => string): Column<T> => ({
    key,
    title,
    width,
    number: true,
    sorts: key,
    cell: text,
  });
  return [
    column('count', 'Calls', 64, (r) => formatNumber(r.count)),
    column('errors', 'Errors', 64, (r) => formatNumber(r.errors)),
    column('error_rate', 'Error rate', 80, (r) => formatShare(r.error_rate)),
    column('p50', 'p50', 76, (r) => formatDuration(r.p50)),
    column('p95', 'p95', 76, (r) => formatDuration(r.p95)),
    column('p99', 'p99', 76, (r) => formatDuration(r.p99)),
    column('tokens', 'Tokens', 80, (r) => formatNumber(tokensOf(r))),
  ];
}

const numberOf = (r: Sums, key: string): number | string => {
  if (key === 'tokens') {
    return tokensOf(r);
  }
  return ((r as unknown as Record<string, number | string | null>)[key] ?? -1) as number | string;
};

/** Returns rows in an order such as `p95` or `-p95`. */
export function sorted<T extends Sums>(rows: T[], order: string): T[] {
  const down = order.startsWith('-');
  const key = down ? order.slice(1) : order;
  return rows.toSorted((a, b) => {
    const [x, y] = [numberOf(a, key), numberOf(b, key)];
    const by = typeof x === 'string' || typeof y === 'string' ? String(x).localeCompare(String(y)) : x - y;
    return down ? -by : by;
  });
}
