import { expect, test, vi } from 'vitest';

test('a key that another tab sends late is kept', async () => {
  vi.useFakeTimers();
  sessionStorage.clear();
  const { adminKey, askOtherTabs, subscribeAdmin } = await import('./admin');
  const other = new BroadcastChannel('us.admin');
  const asked = askOtherTabs();
  await vi.advanceTimersByTimeAsync(200);
  await asked;
  expect(adminKey()).toBeUndefined();
  vi.useRealTimers();
  const told = new Promise<void>((resolve) => subscribeAdmin(resolve));
  other.postMessage({ key: 'adm_late' });
  await told;
  expect(adminKey()).toBe('adm_late');
  other.close();
});
