import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Marks } from './marks';
import type { Holder } from './state';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../app/identity', () => ({ call, personOf: () => ({ kind: 'person' }) }));

/** Returns the marks of one conversation that was read up to 1.000000, and the list of marks sent to the server. */
function marksOf() {
  let state = { channels: new Map([['C1', { id: 'C1', last_read: '1.000000' }]]) };
  const store = {
    env: 'default',
    snapshot: () => state,
    set: (change: Partial<typeof state>) => {
      state = { ...state, ...change };
    },
  };
  return {
    marks: new Marks(store as unknown as Holder),
    sent: () => call.mock.calls.map((c) => (c[2] as { body: { ts: string } }).body.ts),
  };
}

beforeEach(() => {
  vi.useFakeTimers();
  call.mockReset().mockImplementation(async (_env, _path, { body }) => ({ last_read: body.ts }));
});
afterEach(() => vi.useRealTimers());

it('marks what was in view for a second', async () => {
  const { marks, sent } = marksOf();
  marks.read('C1', '3.000000');
  await vi.advanceTimersByTimeAsync(999);
  expect(sent()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent()).toEqual(['3.000000']);
});

it('leaves unread what somebody marked so, until the conversation is opened again', async () => {
  const { marks, sent } = marksOf();
  marks.read('C1', '3.000000');
  await marks.keepUnread('C1', '1.500000');
  marks.read('C1', '4.000000'); // the window was focused, or a new message arrived
  await vi.advanceTimersByTimeAsync(5000);
  expect(sent()).toEqual(['1.500000']);
  marks.opened('C1');
  marks.read('C1', '4.000000');
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent()).toEqual(['1.500000', '4.000000']);
});

it('sends marks one after the other', async () => {
  const { marks, sent } = marksOf();
  let answer = (_: unknown): void => undefined;
  call.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  const first = marks.set('C1', '3.000000');
  const second = marks.keepUnread('C1', '1.500000');
  await vi.advanceTimersByTimeAsync(100);
  expect(sent()).toEqual(['3.000000']);
  answer({ last_read: '3.000000' });
  await Promise.all([first, second]);
  expect(sent()).toEqual(['3.000000', '1.500000']);
});

it('reads what is in view for a second, also while more is said', async () => {
  const { marks, sent } = marksOf();
  marks.read('C1', '3.000000');
  await vi.advanceTimersByTimeAsync(600);
  marks.read('C1', '4.000000');
  await vi.advanceTimersByTimeAsync(500);
  expect(sent()).toEqual(['4.000000']);
});

it('says that a mark was refused to who asked for it', async () => {
  const { marks } = marksOf();
  call.mockImplementationOnce(() => Promise.reject(new Error('refused')));
  await expect(marks.set('C1', '3.000000')).rejects.toThrow('refused');
});
