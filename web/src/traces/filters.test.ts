import { describe, expect, it } from 'vitest';
import { alone, changeOf, linePath, ticksTo } from './charts/scale';
import { chosen, intervalOf, kept, periodOf, queryOf, rangeBefore, rangeOf } from './filters';
import { formatDuration } from './format';
import { grow, oneIn } from './live/tail';
import { slowerThan } from './tools/timeline';

describe('filters in the address', () => {
  it('become the query of the API', () => {
    const search = { period: '1h', tool: 'grep', 'trait.plan': 'pro', event: 'x' };
    expect(chosen(search)).toEqual([
      ['tool', 'grep'],
      ['trait.plan', 'pro'],
    ]);
    expect(queryOf(search, 10_000_000).toString()).toBe('tool=grep&trait.plan=pro&from=6400000');
    expect(queryOf({}, 1).toString()).toBe('');
    expect(kept({ ...search, sort: 'p95' })).toEqual({ tool: 'grep', 'trait.plan': 'pro', period: '1h' });
  });

  it('name a period, and the one before it', () => {
    const custom = { period: 'custom', from: '2026-03-02T09:00:00Z', to: '1772442600000' };
    expect(rangeOf(custom, 1)).toEqual({ from: 1772442000000, to: 1772442600000 });
    expect(periodOf({ from: '1' })).toBe('custom');
    expect(rangeOf({ period: 'custom', from: 'yesterday' }, 1)).toEqual({ from: undefined, to: undefined });
    for (const from of ['99999999999999999999', '9'.repeat(400), '8640000000000000', '1e30', '']) {
      expect(rangeOf({ period: 'custom', from }, 1)).toEqual({ from: undefined, to: undefined });
    }
    expect(rangeBefore({ from: 100 }, 150)).toEqual({ from: 50, to: 100 });
    expect(rangeBefore({}, 150)).toBeUndefined();
    expect([
      intervalOf(3_600_000),
      intervalOf(86_400_000),
      intervalOf(7 * 86_400_000),
      intervalOf(30 * 86_400_000),
    ]).toEqual(['minute', 'hour', 'hour', 'day']);
  });
});

describe('charts', () => {
  it('have round numbers beside them', () => {
    expect(ticksTo(46)).toEqual([0, 20, 40, 60]);
    expect(ticksTo(3)).toEqual([0, 1, 2, 3]);
    expect(ticksTo(0.3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticksTo(0)).toEqual([0, 1]);
  });

  it('break a line where there is no value', () => {
    const same = (n: number): number => n;
    expect(alone([1, 2, null, 4])).toEqual([3]);
    expect(linePath([1, 2, null, 4], same, same)).toBe('M0.0 1.0L1.0 2.0M3.0 4.0');
  });

  it('say how much a number has changed', () => {
    expect([
      changeOf(112, 100),
      changeOf(5, 10),
      changeOf(1, 0),
      changeOf(0, 0),
      changeOf(10, 10),
      changeOf(null, 1),
    ]).toEqual(['+12 %', '−50 %', 'new', undefined, '±0 %', undefined]);
  });
});

describe('a tool', () => {
  it('has a latency beyond which its slowest calls lie', () => {
    const of = (counts: number[]) => ({
      count: 0,
      p50: null,
      p95: null,
      p99: null,
      checkpoints: [],
      samples: [],
      histogram: counts.map((count, i) => ({ le: 10 ** i, count })),
    });
    expect(slowerThan(of([90, 8, 3]), 10)).toBe(2);
    expect(slowerThan(of([90, 8, 30]), 10)).toBe(11);
    expect(slowerThan(of([1, 0, 0]), 10)).toBe(0);
    expect(slowerThan(of([]), 10)).toBeUndefined();
  });
});

describe('live events', () => {
  it('stand newest first, none twice, and few enough', () => {
    const e = (id: string) => ({ event_id: id }) as never;
    expect(grow([e('b'), e('a')], [e('b'), e('c'), e('d')]).map((x) => x.event_id)).toEqual(['d', 'c', 'b', 'a']);
    expect([oneIn(20, 0), oneIn(200, 800), oneIn(0, 5)]).toEqual([1, 5, 5]);
  });
});

describe('durations', () => {
  it('have the unit that people use', () => {
    expect([0.4, 12.3, 999.6, 59_960, 125_000, 12_000_000, null].map(formatDuration)).toEqual([
      '0.4 ms',
      '12 ms',
      '1 s',
      '1 min 0 s',
      '2 min 5 s',
      '3 h 20 min',
      '–',
    ]);
  });
});
