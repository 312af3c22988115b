import { expect, test } from 'vitest';
import { counted, zoneName } from './locale';

test('one thing is said in the singular', () => {
  expect(counted(1, 'event')).toBe('1 event');
  expect(counted(0, 'event')).toBe('0 events');
  expect(counted(1200, 'event')).toMatch(/^1.?200 events$/);
});

test('a zone has its name and its distance from UTC at the time', () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(zoneName(new Date('2026-03-02T09:00:00Z'))).toMatch(new RegExp(`^${timeZone}( \\(GMT.*\\))?$`));
});
