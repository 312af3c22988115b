import { describe, expect, it } from 'vitest';
import type { Message } from '../types';
import { countAfter, rowsOf } from './rows';

const message = (seconds: number, user = 'U1', more: Partial<Message> = {}): Message => ({
  type: 'message',
  ts: `${seconds}.000000`,
  text: 'text',
  user,
  ...more,
});
const monday = 1772442000; // 2 March 2026, 09:00 UTC

describe('rows of a feed', () => {
  it('divides days, and marks the first that is unread and of somebody else', () => {
    const list = [
      message(monday),
      message(monday + 86_400, 'U2'),
      message(monday + 86_460, 'U1'),
      message(monday + 86_470, 'U2'),
    ];
    expect(rowsOf(list, `${monday + 86_400}.000000`, 'U1').map((r) => r.kind)).toEqual([
      'day',
      'message',
      'day',
      'message',
      'message',
      'new',
      'message',
    ]);
    expect(rowsOf(list, '0.000000', 'U1').map((r) => r.kind)).not.toContain('new');
  });

  it('puts what one person or program says within five minutes together', () => {
    const follows = (b: Message): boolean | undefined => {
      const last = rowsOf([message(monday), b], undefined, '').at(-1);
      return last?.kind === 'message' ? last.follows : undefined;
    };
    expect(follows(message(monday + 299))).toBe(true);
    expect(follows(message(monday + 301))).toBe(false);
    expect(follows(message(monday + 1, 'U2'))).toBe(false);
    expect(follows(message(monday + 1, 'U1', { username: 'builds' }))).toBe(false);
  });

  it('counts what others said since', () => {
    const list = [message(monday), message(monday + 1, 'U2'), message(monday + 2, 'U1'), message(monday + 3, 'U2')];
    expect(countAfter(list, `${monday}.000000`, 'U1')).toBe(2);
    expect(countAfter([message(monday - 9, 'U2'), ...list], `${monday}.000000`, 'U1')).toBe(2);
  });
});
