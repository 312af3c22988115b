import { expect, test } from 'vitest';
import { Messages } from './sse';

test('a stream says where to go on before its first message', () => {
  const messages = new Messages();
  expect(messages.take('retry: 1000\nid: 41\n\n:\n\nid: 42\nda')).toEqual([]);
  expect(messages.id).toBe('41');
  expect(messages.take('ta: {}\n\n')).toEqual([{ id: '42', event: 'message', data: '{}' }]);
  expect(messages.id).toBe('42');
});
