// Traces, worlds and the console where there is very much, and where what is looked at goes away.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { openPage, until } from './page.mjs';
import { admin, browser, send, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

const ingest = (path, body, method = body ? 'POST' : 'GET') =>
  send(method, `${server.credentials.ingest.base_url}/api/v1${path}`, body, server.credentials.ingest.api_key);
const key = () => `#key=${server.credentials.admin.key}`;

async function open(path) {
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  await p.page.goto(`${server.ui}${path}${key()}`);
  await p.page.getByRole('heading', { level: 1 }).waitFor();
  return p;
}

test('thousands of deliveries are listed, counted and sent again as many at a time as the page says', async () => {
  let got = 0;
  const hook = createServer((_, r) => {
    got++;
    r.end();
  }).listen(0, '127.0.0.1');
  hook.unref();
  await new Promise((resolve) => hook.once('listening', resolve));
  const world = await admin('/environments', { id: 'busy', fixture: 'demo', clock: '2026-03-02T09:00:00Z', ephemeral: true, rate_limits: 'off' });
  const { base_url, user_token } = world.messaging;
  await send('POST', `${base_url}/api/webhooks/outgoing`, { url: `http://127.0.0.1:${hook.address().port}/hook` }, user_token);
  const total = Number(process.env.DELIVERIES ?? 2_500);
  for (let n = 0; n < total; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => send('POST', `${base_url}/api/chat.postMessage`, { channel: 'general', text: `m${n + i}` }, user_token)));
  }
  await until('every delivery', () => got >= total, { within: 180_000 });
  assert.equal(got, total);
  const p = await open('worlds/busy/deliveries');
  const { page } = p;
  const table = page.getByRole('table', { name: 'Deliveries' });
  await table.getByRole('row').nth(5).waitFor();
  await table.getByRole('row').nth(1).focus();
  await until('five pages of the list', async () => {
    await page.keyboard.press('End');
    return page.evaluate(() => Number(document.querySelector('[role=table]').ariaRowCount) > 500);
  });
  assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) < 3_000);
  await page.getByLabel('Status').selectOption('delivered');
  await page.waitForURL(/status=delivered/);
  got = 0;
  await page.getByRole('button', { name: 'Replay all matching' }).click();
  const ask = page.getByRole('alertdialog', { name: 'Replay all matching?' });
  await ask.getByText('The newest 1000 deliveries with status delivered').waitFor();
  await ask.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('status').getByText('Replayed: 1000').waitFor();
  await until('every delivery again', () => got >= 1_000);
  assert.equal(got, 1_000);
  await p.close();
  await admin('/environments/busy', undefined, 'DELETE');
  hook.close();
});

test('a document with a thousand problems is refused with the first of them, and each leads to its line', async () => {
  const p = await open('worlds/default/seed');
  const { page } = p;
  await page.getByRole('textbox', { name: 'Seed document' }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(`crm:\n  contacts:\n${Array.from({ length: 1_000 }, (_, n) => `    c${n}: {propertees: {email: ${n}}}`).join('\n')}\n`);
  await page.getByRole('button', { name: 'Check' }).click();
  const list = page.getByRole('list', { name: 'Problems' });
  await list.getByRole('listitem').first().waitFor();
  assert.equal(await list.getByRole('listitem').count(), 20);
  await page.getByRole('alert').getByText('The first 20 problems; there may be more.').waitFor();
  await list.getByRole('button').nth(19).click();
  await page.waitForFunction(() => document.activeElement?.className.includes('cm-content'));
  await page.locator('.cm-content').getByText('c19:').waitFor();
  p.expect(/status of 422/);
  await p.close();
});

test('a session that is erased while its trace is looked at, and an environment that goes while it is forked', async () => {
  const session = crypto.randomUUID();
  const ids = Array.from({ length: 5 }, () => crypto.randomUUID());
  await ingest('/capture-events', { events: ids.map((event_id, n) => ({ event_id, session_id: session, primitive_name: `step_${n}`, primitive_type: 'tool', args: 'secret', result: 'r', latency: 5, timestamp: Date.now() + n, user_id: 'erased' })) });
  const p = await open(`e/default/traces/sessions/${session}`);
  const { page } = p;
  const tree = page.getByRole('treegrid', { name: 'Events' });
  await tree.getByRole('row', { name: /^step_0/ }).click();
  await page.getByRole('complementary', { name: 'Event details' }).getByText('r', { exact: true }).waitFor();
  await ingest(`/sessions/${session}`, undefined, 'DELETE');
  await tree.getByRole('row', { name: /^step_4/ }).click();
  await page.getByRole('complementary', { name: 'Event details' }).getByRole('alert').waitFor();
  await page.getByRole('tab', { name: 'Effects' }).click();
  await page.getByRole('complementary', { name: 'Event details' }).getByRole('alert').waitFor();
  await page.reload();
  await page.getByRole('alert').getByText(/There is no session with this id/).waitFor();

  await admin('/environments', { id: 'short', name: 'Short', ephemeral: true });
  await page.goto(`${server.ui}worlds`);
  const row = page.getByRole('row', { name: 'Short' });
  await row.focus();
  await page.keyboard.press('f');
  const fork = page.getByRole('dialog', { name: 'Fork Short' });
  await fork.getByLabel('Name').fill('Copy');
  await admin('/environments/short', undefined, 'DELETE');
  await fork.getByRole('button', { name: 'Fork', exact: true }).click();
  await fork.getByRole('alert').waitFor();
  assert.match(await fork.getByRole('alert').textContent(), /no environment/i);
  await page.keyboard.press('Escape');
  await row.waitFor({ state: 'detached' });
  p.expect(/status of 404/);
  await p.close();
});

test('a query of 100 KB is written, checked and run', async () => {
  const p = await open('e/default/tracker/graphql');
  const { page } = p;
  await page.getByRole('tree', { name: 'Schema' }).getByRole('treeitem').first().waitFor();
  const query = `query Big {\n${Array.from({ length: 2_000 }, (_, n) => `  a${n}: organization { id name urlKey createdAt }`).join('\n')}\n}`;
  assert.ok(query.length > 100_000);
  const box = page.getByRole('textbox', { name: 'Query' });
  await box.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(query);
  const began = Date.now();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const reply = page.getByRole('region', { name: 'Reply', exact: true });
  await reply.getByText(/^Status \d+/).waitFor();
  assert.ok(Date.now() - began < 20_000);
  await box.click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('# typed\n');
  await box.getByText('# typed').waitFor();
  p.expect(/status of 4\d\d/);
  await p.close();
});
