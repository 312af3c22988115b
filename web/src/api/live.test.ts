import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from './http';
import { Live } from './live';

const { io } = vi.hoisted(() => ({ io: vi.fn() }));
vi.mock('socket.io-client', () => ({ io }));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (status: number) => new ApiError(status, 'refused', 'refused', '', 0);

/** A connection whose token the server refuses; `refuse` refuses it again. */
function refused(renew: () => Promise<unknown>) {
  const heard = new Map<string, (value?: unknown) => void>();
  const managers = new Map<string, () => void>();
  const socket = {
    active: false,
    connect: vi.fn(),
    disconnect: vi.fn(),
    on: (name: string, f: () => void) => heard.set(name, f),
    onAny: vi.fn(),
    off: () => heard.clear(),
    offAny: vi.fn(),
    io: { engine: { readyState: 'closed' }, once: (name: string, f: () => void) => managers.set(name, f) },
  };
  io.mockReturnValue(socket);
  const live = new Live({ path: '/', token: () => '', renew }, { event: vi.fn(), connection: vi.fn(), again: vi.fn() });
  heard.get('connect_error')?.(new Error('invalid_auth'));
  return {
    live,
    socket,
    emit: (name: string, value?: unknown) => heard.get(name)?.(value),
    settle: (name: string) => managers.get(name)?.(),
  };
}

test.each([401, 429, 503])('a renewal that fails with %d is tried again: the next one may succeed', async (status) => {
  const renew = vi.fn().mockRejectedValueOnce(refusal(status)).mockResolvedValueOnce({});
  const { socket } = refused(renew);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(renew).toHaveBeenCalledTimes(2);
  expect(socket.connect).toHaveBeenCalledTimes(1);
});

test('what is gone is not asked for again, and nothing is after the end', async () => {
  const gone = vi.fn().mockRejectedValue(refusal(404));
  refused(gone);
  const ended = vi.fn().mockRejectedValue(refusal(401));
  const { live } = refused(ended);
  await vi.advanceTimersByTimeAsync(600);
  live.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(gone).toHaveBeenCalledTimes(1);
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a session that ends again and again is connected as soon each time', async () => {
  const { socket, emit } = refused(vi.fn().mockResolvedValue({}));
  for (let n = 1; n <= 6; n++) {
    await vi.advanceTimersByTimeAsync(2_000);
    expect(socket.connect).toHaveBeenCalledTimes(2 * n - 1);
    emit('connect');
    emit('disconnect', 'io server disconnect');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(socket.connect).toHaveBeenCalledTimes(2 * n);
    emit('connect_error', new Error('invalid_auth'));
  }
});

test.each(['open', 'error'])('one that stops while its WebSocket is being opened is closed at its %s', (then) => {
  const { live, socket, settle } = refused(vi.fn());
  socket.io.engine.readyState = 'opening';
  live.stop();
  expect(socket.disconnect).not.toHaveBeenCalled();
  settle(then);
  expect(socket.disconnect).toHaveBeenCalledTimes(1);
});

test('one that stops while it is open is closed at once', () => {
  const { live, socket } = refused(vi.fn());
  socket.io.engine.readyState = 'open';
  live.stop();
  expect(socket.disconnect).toHaveBeenCalledTimes(1);
});
