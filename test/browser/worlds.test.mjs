// Environments and what is in them, with the admin key.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, openPage, until } from './page.mjs';
import { admin, browser, send, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

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
  await child.waitFor();
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
  await gone.getByRole('button', { name: 'Delete', disabled: true }).waitFor();
  await gone.getByLabel('Name of the environment').fill('Run one');
  await gone.getByRole('button', { name: 'Delete' }).click();
  await child.waitFor({ state: 'detached' });

  // Sorted by the server, in the address.
  await page.getByRole('checkbox', { name: 'Show as tree' }).uncheck();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  await page.getByRole('button', { name: 'Name' }).click();
  await page.waitForURL(/sort=-name/);
  await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await page.getByRole('searchbox', { name: 'Find environment' }).fill('winter');
  await page.waitForURL(/q=winter/);
  await page.getByText('1 environment', { exact: true }).waitFor();
  await admin(`/environments/${credentials.id}`, undefined, 'DELETE');
  await p.close();
});

const api = async (service, path, body, method = 'POST') => {
  const c = server.credentials[service];
  const reply = await fetch(c.base_url + path, {
    method,
    headers: { Authorization: `Bearer ${c.bot_token ?? c.access_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return reply.json();
};

test('from a message to its request, changes, event and failed delivery, and back; replay and the clock', async () => {
  let good = false;
  const hook = createServer((_, r) => {
    r.statusCode = good ? 200 : 500;
    r.end('no <b>thanks</b>');
  }).listen(0, '127.0.0.1');
  hook.unref(); // where the test fails, nothing waits for it
  await new Promise((resolve) => hook.once('listening', resolve));
  await fetch(`${server.credentials.messaging.base_url}/api/webhooks/outgoing`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.credentials.messaging.user_token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: `http://127.0.0.1:${hook.address().port}/hook` }),
  });
  await admin('/environments/default/clock', { freeze: new Date().toISOString() });
  const p = await open();
  const { page } = p;
  const following = page.waitForResponse(/\/stream\?/);
  await page.goto(`${server.ui}worlds/default/requests${key()}`);
  const requests = page.getByRole('table', { name: 'Requests' });
  await requests.waitFor();
  await following;
  // What is asked meanwhile appears by itself.
  await api('messaging', '/api/chat.postMessage', { channel: 'general', text: 'Find the cause of this' });
  await requests.getByRole('row', { name: 'POST /api/chat.postMessage, 200' }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('searchbox', { name: 'Find in bodies' }).fill('Find the cause');
  await page.waitForURL(/q=Find/);
  await requests.getByRole('link', { name: '/api/chat.postMessage' }).click();

  await page.getByRole('heading', { level: 1, name: /^Request \d+$/ }).waitFor();
  const step = (name) => page.getByRole('region', { name, exact: true });
  await step('Changes').getByText('messaging message').waitFor();
  await step('Events').getByRole('link', { name: 'message' }).waitFor();
  await step('Deliveries').getByText('attempt 1: 500').waitFor();
  await step('Request').getByRole('button', { name: 'Copy as curl' }).click();
  await page.waitForFunction(() => window.copied.length === 1);
  assert.match(await p.copied(), /^curl -X POST 'http:.*chat\.postMessage'[^]*\$SLACK_BOT_TOKEN[^]*Find the cause/);
  const cause = page.url();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await checkAccessibility(page, `request ${width}`);
    await checkWidth(page, 'the request');
  }

  await step('Deliveries').getByRole('link', { name: 'message' }).click();
  // What a step of the clock sets off is known before it is done.
  await page.getByRole('button', { name: /^Clock: frozen at / }).click();
  const clock = page.getByRole('dialog', { name: 'Clock', exact: true });
  await clock.getByText('Deliveries that fall due: 1', { exact: true }).waitFor();
  await clock.getByText('Deliveries that fall due: 1 with +1 min, 1 with +1 h, 1 with +1 d.').waitFor();
  await clock.getByLabel('Advance by').fill('0.1s');
  await clock.getByText('Deliveries that fall due: 0', { exact: true }).waitFor();
  await clock.getByLabel('Advance by').fill('soon');
  await clock.getByRole('button', { name: 'Advance', exact: true, disabled: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Advance clock to next attempt' }).click();
  await page.getByText('Attempt 2').waitFor();
  good = true;
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByText('delivered', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'messaging.chat.postMessage' }).click();
  await page.waitForURL(cause);

  // All that match are counted before they are sent again.
  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name: 'Deliveries' }).click();
  await page.getByLabel('Status').selectOption('delivered');
  await page.waitForURL(/status=delivered/);
  await page.getByRole('button', { name: 'Replay all matching' }).click();
  const ask = page.getByRole('alertdialog', { name: 'Replay all matching?' });
  await ask.getByText('Deliveries: 1').waitFor();
  await ask.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('status').getByText('Replayed: 1').waitFor();

  // And from the conversation.
  await page.goto(`${server.ui}e/default/messaging`);
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await page.getByRole('article', { name: /Find the cause/ }).hover();
  const more = page.getByRole('article', { name: /Find the cause/ }).getByRole('button', { name: 'More actions' });
  await more.click();
  // The pointer leaves the message for the menu, and both stay.
  await page.getByRole('menuitem', { name: 'Show cause' }).hover();
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.ok(await more.isVisible(), 'the button of the menu is hidden while it is open');
  await page.getByRole('menuitem', { name: 'Show cause' }).click();
  await page.waitForURL(cause);
  await admin('/environments/default/clock', { run: true });
  p.allow(/401/); // of a session that the clock may have ended
  await p.close();
  hook.close();
});

test('what comes while requests are read is listed, however slow the reading and however much comes', async () => {
  const { id, messaging } = await admin('/environments', { ephemeral: true, rate_limits: 'off' });
  const post = (text) => send('POST', `${messaging.base_url}/api/chat.postMessage`, { channel: 'general', text }, messaging.bot_token);
  const p = await open();
  const { page } = p;
  // The first reading is answered after the stream has begun and one more request has come.
  const following = page.waitForResponse(/\/stream\?/);
  const lists = (url) => url.pathname.endsWith(`/environments/${id}/requests`);
  await page.route(lists, async (route) => {
    const response = await route.fetch();
    await following;
    await post('between reading and following');
    await route.fulfill({ response });
  }, { times: 1 });
  await page.goto(`${server.ui}worlds/${id}/requests${key()}`);
  const rows = page.getByRole('table', { name: 'Requests' }).getByRole('row', { name: 'POST /api/chat.postMessage, 200' });
  await rows.first().waitFor();
  // Each reading takes so long that another request has been announced before its answer.
  let more = true;
  await page.route(lists, async (route) => {
    const response = await route.fetch();
    if (more) {
      await post('while it is read');
      await new Promise((resolve) => setTimeout(resolve, 400));
    }
    await route.fulfill({ response }).catch(() => {}); // a reading that was given up
  });
  await post('the first of many');
  await rows.nth(3).waitFor();
  more = false;
  await p.close();
  await admin(`/environments/${id}`, undefined, 'DELETE');
});

test('the page of a request shows an attempt that is made while one looks', async () => {
  const { id, messaging } = await admin('/environments', { ephemeral: true });
  let answer;
  const shown = new Promise((resolve) => (answer = resolve));
  const hook = createServer((_, r) => shown.then(() => r.end())).listen(0, '127.0.0.1');
  hook.unref();
  await new Promise((resolve) => hook.once('listening', resolve));
  await send('POST', `${messaging.base_url}/api/webhooks/outgoing`, { url: `http://127.0.0.1:${hook.address().port}/hook` }, messaging.user_token);
  await send('POST', `${messaging.base_url}/api/chat.postMessage`, { channel: 'general', text: 'delivered in a while' }, messaging.bot_token);
  const { requests } = await admin(`/environments/${id}/requests?path=/api/chat.postMessage`);
  const p = await open();
  const { page } = p;
  await page.goto(`${server.ui}worlds/${id}/requests/${requests[0].seq}${key()}`);
  const deliveries = page.getByRole('region', { name: 'Deliveries', exact: true });
  await deliveries.getByText('pending').waitFor();
  answer();
  await deliveries.getByText(/attempt \d: 200/).waitFor(); // the first is given up where the page took more than three seconds
  await deliveries.getByText('delivered', { exact: true }).waitFor();
  await p.close();
  await admin(`/environments/${id}`, undefined, 'DELETE');
  hook.close();
});

test('a diff of ten thousand changes, its parts and its causes', async () => {
  const contacts = Array.from({ length: 10_000 }, (_, i) => `      c${i}: {properties: {email: c${i}@many.example}}`).join('\n');
  await admin('/environments/default/fork', { id: 'many', ephemeral: true });
  const seeded = await fetch(`${server.origin}/admin/v1/environments/many/seed`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.credentials.admin.key}`, 'Content-Type': 'application/yaml' },
    body: `crm:\n  contacts:\n${contacts.replaceAll('      c', '    c')}\n`,
  });
  assert.equal(seeded.status, 200, await seeded.text());
  const token = server.credentials.crm.access_token;
  const { results } = await (
    await fetch(`${server.origin}/e/many/crm/api/crm/v3/objects/deals?limit=1`, { headers: { Authorization: `Bearer ${token}` } })
  ).json();
  await fetch(`${server.origin}/e/many/crm/api/crm/v3/objects/deals/${results[0].id}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ properties: { dealname: `${results[0].properties.dealname} and a word more for the text` } }),
  });
  const p = await open();
  const { page } = p;
  await page.goto(`${server.ui}worlds/many/diff${key()}`);
  await page.getByText('10,000 contacts added, 1 deal changed').or(page.getByText('10000 contacts added, 1 deal changed')).first().waitFor();
  const tree = page.getByRole('treegrid', { name: 'Changes' });
  await tree.getByRole('row', { name: /contacts added$/ }).last().focus();
  await page.keyboard.press('ArrowRight');
  await tree.getByRole('row', { name: /^contact \d+ added$/ }).first().waitFor();
  assert.ok((await tree.getByRole('row').count()) < 100, 'only what is in view is drawn');
  await page.keyboard.press('ArrowLeft');
  await tree.getByRole('row', { name: /^contact \d+ added$/ }).first().waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => / changed$/.test(document.activeElement?.getAttribute('aria-label')));
  await page.keyboard.press('ArrowRight');
  const row = tree.getByRole('row', { name: /^deal \d+ changed$/ });
  await row.waitFor();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => /^deal \d+ changed$/.test(document.activeElement?.getAttribute('aria-label')));
  await page.keyboard.press('Enter');
  const change = page.getByRole('region', { name: 'Change', exact: true });
  await change.locator('ins').getByText('and a word more').waitFor();
  await page.waitForURL(/change=/);
  await change.getByLabel('Caused by').getByRole('link').first().waitFor();
  await change.getByLabel('Show all fields').check();
  await change.getByRole('rowheader', { name: 'createdAt' }).waitFor();
  await page.getByRole('button', { name: 'Copy as assertion', exact: true }).click();
  await page.waitForFunction(() => window.copied.length === 1);
  assert.match(await p.copied(), /^understudy env diff many --json \| jq -e .*"contact".*== 10000/);
  await checkAccessibility(page, 'diff');

  // The environment is deleted elsewhere: pages that follow it say so by themselves, others when they read next.
  const records = await p.context.newPage();
  await records.goto(`${server.ui}e/many/crm/deals${key()}`);
  await records.getByRole('table', { name: 'Deals' }).getByRole('row').nth(2).waitFor();
  const following = page.waitForResponse(/\/stream\?/);
  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name: 'Requests' }).click();
  await following;
  await page.bringToFront();
  await admin('/environments/many', undefined, 'DELETE');
  await heading(page, 'This environment is gone');
  await page.getByRole('link', { name: 'All environments' }).first().waitFor();
  await records.bringToFront();
  await records.getByRole('navigation', { name: 'CRM' }).getByRole('link', { name: 'Companies' }).click();
  await heading(records, 'This environment is gone');
  await records.getByRole('link', { name: 'All environments' }).click();
  await heading(records, 'Environments');
  p.expect(/status of 404/);
  await p.close();
});

test('seed documents, verdicts and faults are written with their problems where they are', async () => {
  await admin('/environments/default/fork', { id: 'try', ephemeral: true });
  const p = await open({ colorScheme: 'dark' });
  const { page } = p;
  const write = async (label, text) => {
    await page.getByRole('textbox', { name: label }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };
  await page.goto(`${server.ui}worlds/try/seed${key()}`);
  await page.getByRole('textbox', { name: 'Seed document' }).waitFor();
  await write('Seed document', 'tracker:\n  ');
  await page.keyboard.type('tea'); // what replaced a selection is not selected itself
  await page.getByRole('listbox', { name: 'Completions' }).getByRole('option', { name: /^teams/ }).waitFor();
  await page.keyboard.press('Escape');
  await write('Seed document', 'crm:\n  contacts:\n    grace: {properties: {email: grace@hopper.example}}\n');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('The document is sound').waitFor();
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('region', { name: 'Result', exact: true }).getByText('grace').first().waitFor();
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('list', { name: 'Problems' }).getByRole('button').first().click();
  await page.waitForFunction(() => document.activeElement?.className.includes('cm-content'));
  await checkAccessibility(page, 'seed document');

  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name: 'Verdict' }).click();
  await write('Expectations', 'expect:\n- {inserted: crm.contakt}\n');
  await page.getByRole('button', { name: 'Ask for verdict' }).click();
  await page.getByRole('list', { name: 'Problems' }).getByRole('button', { name: /^Line 2/ }).waitFor();
  await write('Expectations', 'expect:\n- {name: Grace is there, inserted: crm.contact, by: anyone}\n- {deleted: crm.contact, count: 1}\n');
  await page.getByRole('button', { name: 'Ask for verdict' }).click();
  const checks = page.getByRole('list', { name: 'Checks' });
  await checks.getByText('Grace is there').waitFor();
  await page.getByRole('heading', { name: /Verdict: failed/ }).waitFor();
  await checkAccessibility(page, 'verdict');

  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name: 'Faults' }).click();
  await page.getByText('Nothing is broken on purpose here').waitFor();
  await page.getByRole('button', { name: 'Add fault' }).click();
  const add = page.getByRole('dialog', { name: 'Add fault' });
  await add.getByLabel('Begin with').selectOption('Every third request is limited');
  await add.getByText('retry_after').waitFor();
  await add.getByRole('button', { name: 'Add', exact: true }).click();
  const rule = page.getByRole('table', { name: 'Faults' }).getByRole('row').nth(1);
  await rule.getByRole('button', { name: /^Switch .* off$/ }).click();
  await rule.getByRole('button', { name: /^Switch .* on$/ }).waitFor();
  await until('the rule is off', async () => !(await admin('/environments/try/faults')).faults[0].enabled);
  await checkAccessibility(page, 'faults');
  await rule.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('Nothing is broken on purpose here').waitFor();

  // Snapshots: kept, compared, restored, deleted.
  await page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name: 'Snapshots' }).click();
  await page.getByText('There is no snapshot').waitFor();
  await page.getByRole('button', { name: 'Create snapshot' }).click();
  await page.getByLabel('Snapshot name').fill('noon');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Restore noon' }).click();
  await page.getByRole('alertdialog', { name: 'Restore noon?' }).getByRole('button', { name: 'Restore' }).click();
  await page.getByRole('status').getByText('try is as it was in noon.').waitFor();
  await page.getByRole('button', { name: 'Compare noon' }).click();
  await page.getByText('Nothing has changed').waitFor();
  assert.match(page.url(), /from=/);
  p.expect(/status of 422/);
  await p.close();
  await admin('/environments/try', undefined, 'DELETE');
});
