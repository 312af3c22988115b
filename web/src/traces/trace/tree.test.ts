import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../api';
import { closedAtFirst, Forest, flatten, isCause, lengthOf, nextRow, pathTo, shownRows } from './tree';
import { moved, whole, zoomed } from './window';

const event = (id: string, start: number, children: TraceEvent[] = [], success = true): TraceEvent => ({
  event_id: id,
  parent_id: null,
  primitive_name: id,
  primitive_type: 'tool',
  args: '',
  result: '',
  success,
  session_id: 's',
  timestamp: start,
  received_at: start,
  customer_id: null,
  user_id: null,
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

  it('knows the call that failed from the turns that failed with it', () => {
    const call = event('call', 20, [], false);
    expect(isCause(call)).toBe(true);
    expect(isCause(event('turn', 0, [event('before', 10), call], false))).toBe(false);
    expect(isCause(event('parallel', 0, [call, event('beside', 25)], false))).toBe(false);
    expect(isCause(event('went on', 0, [call, event('after', 30)], false))).toBe(true);
    expect(isCause(event('recovered', 0, [call]))).toBe(false);
    expect(isCause(event('outer', 0, [event('turn', 5, [call], false)], false))).toBe(false);
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

describe('events that come in pages, or one by one', () => {
  it('stand below their parents, whichever comes first', () => {
    const forest = new Forest();
    forest.add([event('a', 0)]);
    forest.add([{ ...event('b', 1), parent_id: 'a' }]);
    expect(forest.grow({ ...event('d', 3), parent_id: 'c' })).toBe(true);
    expect(forest.roots.map((e) => [e.event_id, e.parent_missing])).toEqual([
      ['a', undefined],
      ['d', true],
    ]);
    expect(forest.grow({ ...event('c', 2), parent_id: 'b' })).toBe(true);
    expect(forest.grow({ ...event('c', 2), parent_id: 'b' })).toBe(false);
    expect(flatten(forest.roots).map((r) => [r.event.event_id, r.level])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
    ]);
    expect(forest.size).toBe(4);
  });

  it('are marked when they lie out of their parent\u2019s time', () => {
    const rows = flatten([event('a', 100, [event('b', 95), event('c', 100), event('d', 101)])]);
    expect(rows.filter((r) => r.outside).map((r) => r.event.event_id)).toEqual(['b', 'd']);
  });
});

describe('the part of time that is shown', () => {
  it('is zoomed round a place, within the whole', () => {
    expect(zoomed(whole(1000), 1000, 2, 0)).toEqual({ from: 0, to: 500 });
    expect(zoomed({ from: 0, to: 500 }, 1000, 2, 400)).toEqual({ from: 200, to: 450 });
    expect(zoomed({ from: 0, to: 500 }, 1000, 0.25, 400)).toEqual({ from: 0, to: 1000 });
    expect(zoomed({ from: 500, to: 501 }, 1000, 2, 500)).toEqual({ from: 500, to: 501 });
    expect(moved({ from: 800, to: 900 }, 1000, 500)).toEqual({ from: 900, to: 1000 });
  });
});
