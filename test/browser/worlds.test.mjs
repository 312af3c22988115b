// Environments and what is in them, with the admin key.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, openPage } from './page.mjs';
import { startBrowser, startServer } from './server.mjs';

let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([startServer('--fixture', 'demo', '--rate-limits', 'off'), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function admin(path, body, method = body ? 'POST' : 'GET') {
  const reply = await fetch(`${server.origin}/admin/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${server.credentials.admin.key}`, 'Content-Type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(reply.ok, `${path}: ${reply.status}`);
  return reply.status === 204 ? undefined : reply.json();
}

const key = () => `#key=${server.credentials.admin.key}`;
const heading = (page, name) => page.getByRole('heading', { level: 1, name }).waitFor();

/** Opens a page that copies into a place of its own, because a browser without a window has no clipboard. */
async function open(options) {
  const p = await openPage(browser, server, { reducedMotion: 'reduce', ...options });
  await p.page.addInitScript(() => {
    window.copied = [];
    Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (t) => void window.copied.push(t) } });
  });
  return { ...p, copied: () => p.page.evaluate(() => window.copied.at(-1)) };
}

test('environments are made, forked, kept, reset and deleted by keyboard and by menu', async () => {
  const p = await open();
  const { page } = p;
  await page.goto(`${server.ui}worlds${key()}`);
  await heading(page, 'Environments');
  await page.getByRole('button', { name: 'Create environment' }).click();
  const create = page.getByRole('dialog', { name: 'Create environment' });
  await create.getByLabel('Name').fill('Winter exam');
  await create.getByLabel('Fixture').selectOption('demo');
  await create.getByLabel('Clock').fill('2026-03-02T09:00');
  await create.getByLabel('Seed', { exact: true }).fill('7');
  await create.getByLabel('Seed document').fill('crm:\n  contacts: 7');
  await create.getByRole('button', { name: 'Create', exact: true }).click();
  await create.getByRole('alert').getByText('line 2, crm.contacts').waitFor();
  p.expect(/status of 422/);
  await create.getByLabel('Seed document').fill('messaging:\n  channels:\n    launch: {purpose: Out}');
  await create.getByRole('button', { name: 'Create', exact: true }).click();
  const made = page.getByRole('dialog', { name: 'Credentials' });
  await made.getByText('is ready').waitFor();
  await made.getByRole('button', { name: 'Copy as JSON' }).click();
  await page.waitForFunction(() => window.copied.length === 1);
  const credentials = JSON.parse(await p.copied());
  const world = await admin(`/environments/${credentials.id}`);
  assert.equal(world.name, 'Winter exam');
  assert.equal(world.clock.now, '2026-03-02T09:00:00Z');
  await made.getByRole('button', { name: 'Copy as .env' }).click();
  await page.waitForFunction(() => window.copied.length === 2);
  assert.match(await p.copied(), new RegExp(`SLACK_BOT_TOKEN=${credentials.messaging.bot_token}`));
  assert.ok(!(await made.textContent()).includes(credentials.messaging.bot_token), 'tokens are masked');
  await made.getByRole('button', { name: 'Show messaging bot token' }).click();
  await made.getByText(credentials.messaging.bot_token).waitFor();
  await made.getByRole('button', { name: 'Done' }).click();

  // A row has the focus; f forks it.
  const row = page.getByRole('table', { name: 'Environments' }).getByRole('row', { name: 'Winter exam' });
  await row.focus();
  await page.keyboard.press('f');
  const fork = page.getByRole('dialog', { name: 'Fork Winter exam' });
  await fork.getByLabel('Name').fill('Run one');
  await fork.getByLabel('Deliveries off').check();
  await fork.getByLabel('Fresh credentials').check();
  await fork.getByRole('button', { name: 'Fork', exact: true }).click();
  await made.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('checkbox', { name: 'Show as tree' }).check();
  const tree = page.getByRole('treegrid', { name: 'Environments' });
  const child = tree.getByRole('row', { name: 'Run one' });
  await child.waitFor();
  assert.equal(await child.getAttribute('aria-level'), '2');
  const parent = tree.getByRole('row', { name: 'Winter exam' });
  await parent.focus();
  await page.keyboard.press('ArrowLeft');
  await child.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Run one');

  // s keeps it, x asks before it is reset, the menu deletes it once its name is typed.
  await page.keyboard.press('s');
  await page.getByRole('dialog', { name: 'Snapshot of Run one' }).getByLabel('Snapshot name').fill('before');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('The snapshot before was made.').waitFor();
  await child.focus();
  await page.keyboard.press('x');
  await page.getByRole('alertdialog', { name: 'Reset Run one?' }).getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('status').getByText('Run one was reset.').waitFor();
  await child.getByRole('button', { name: 'Actions for Run one' }).click();
  await checkAccessibility(page, 'menu of an environment');
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const gone = page.getByRole('alertdialog', { name: 'Delete Run one?' });
  assert.ok(await gone.getByRole('button', { name: 'Delete' }).isDisabled());
  await gone.getByLabel('Name of the environment').fill('Run one');
  await gone.getByRole('button', { name: 'Delete' }).click();
  await child.waitFor({ state: 'detached' });

  // Sorted by the server, in the address.
  await page.getByRole('checkbox', { name: 'Show as tree' }).uncheck();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=-name/);
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await page.getByRole('searchbox', { name: 'Find environment' }).fill('winter');
  await page.waitForURL(/q=winter/);
  await page.getByText('1 environment', { exact: true }).waitFor();
  await admin(`/environments/${credentials.id}`, undefined, 'DELETE');
  await p.close();
});
