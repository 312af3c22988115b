import { describe, expect, it } from 'vitest';
import type { TraceEvent } from './api';
import { chosen, queryOf } from './filters';
import { closedAtFirst, flatten, lengthOf, nextRow, pathTo, shownRows } from './tree';

const event = (id: string, start: number, children: TraceEvent[] = [], success = true): TraceEvent => ({
  event_id: id,
  parent_id: null,
  primitive_name: id,
  primitive_type: 'tool',
  args: '',
  result: '',
  success,
  latency: 10,
  start,
  metadata: {},
  input_tokens: null,
  output_tokens: null,
  model: null,
  checkpoints: [],
  children,
});

describe('a trace as rows', () => {
  it('sorts siblings by their start and keeps real offsets', () => {
    const rows = flatten([event('a', 100, [event('c', 160), event('b', 130)]), event('z', 90)]);
    expect(rows.map((r) => [r.event.event_id, r.level, r.offset, r.position, r.siblings])).toEqual([
      ['z', 1, 0, 1, 2],
      ['a', 1, 10, 2, 2],
      ['b', 2, 40, 1, 2],
      ['c', 2, 70, 2, 2],
    ]);
    expect(lengthOf(rows)).toBe(80);
    expect(pathTo(rows, 3)).toEqual(['a']);
  });

  it('hides what stands below a closed event, and finds failures round the end', () => {
    const rows = flatten([event('a', 0, [event('b', 1, [event('c', 2, [], false)])]), event('d', 3)]);
    expect(shownRows(rows, new Set(['b']))).toEqual([0, 1, 3]);
    expect(shownRows(rows, new Set(['a', 'b']))).toEqual([0, 3]);
    const failed = (r: { event: TraceEvent }): boolean => r.event.success === false;
    expect(nextRow(rows, 3, 1, failed)).toBe(2);
    expect(nextRow(rows, 0, -1, failed)).toBe(2);
    expect(nextRow(rows, 0, 1, () => false)).toBe(-1);
  });

  it('opens of 10,000 events only the ways to failures, quickly and however deep', () => {
    let deep = event('leaf', 0, [], false);
    for (let i = 0; i < 5_000; i++) {
      deep = event(`d${i}`, 0, [deep]);
    }
    const wide = event(
      'wide',
      1,
      Array.from({ length: 5_000 }, (_, i) => event(`w${i}`, i)),
    );
    const began = performance.now();
    const rows = flatten([deep, wide]);
    const closed = closedAtFirst(rows);
    expect(rows).toHaveLength(10_002);
    expect(shownRows(rows, closed)).toHaveLength(5_002);
    expect(closed).toEqual(new Set(['wide']));
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('filters in the address', () => {
  it('become the query of the API', () => {
    const search = { period: '1h', tool: 'grep', 'trait.plan': 'pro', event: 'x' };
    expect(chosen(search)).toEqual([
      ['tool', 'grep'],
      ['trait.plan', 'pro'],
    ]);
    expect(queryOf(search, 10_000_000).toString()).toBe('tool=grep&trait.plan=pro&from=6400000');
    expect(queryOf({}, 1).toString()).toBe('');
  });
});
