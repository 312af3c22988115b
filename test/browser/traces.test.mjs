// What agents did: numbers, sessions, and a trace of 10,000 events.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, focusOn, goByKeys, live, openPage } from './page.mjs';
import { browser, server, setUp } from './server.mjs';
import { details, play, steps } from './walk.mjs';

setUp('--fixture', 'demo', async () => {
  await capture(calls());
  await capture(hostile());
});

const now = Date.now();
const hour = 3_600_000;

/** Calls of a tool during two days, with checkpoints; every fifth fails. */
const calls = () =>
  Array.from({ length: 60 }, (_, i) => ({
    event_id: crypto.randomUUID(),
    session_id: '00000000-0000-4000-8000-000000000001',
    primitive_name: 'look_up',
    primitive_type: 'tool',
    args: `{"order":${i}}`,
    result: i % 5 === 0 ? '{"error":"the warehouse did not answer"}' : '{"found":true}',
    success: i % 5 !== 0,
    latency: 100 + i * 10,
    timestamp: now - i * 0.7 * hour - 60_000,
    metadata: { 'checkpoint.sent': 20, 'checkpoint.answered': 80 + i * 10 },
    customer_id: ['acme', 'globex'][i % 2],
  }));

const hostileSession = '00000000-0000-4000-8000-0000000000ff';
const image = `data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUgAA'.repeat(500)}`;

/** A session that nobody would send on purpose: 80 levels, a lost parent, long and strange texts. */
function hostile() {
  const names = { 1: 'n'.repeat(1_000), 2: '\u202eright to left \u05e9\u05dc\u05d5\u05dd', 3: 'javascript:alert(1)<img src=x>', 4: 'zero\u200bwidth' };
  const ids = Array.from({ length: 80 }, () => crypto.randomUUID());
  const events = ids.map((event_id, i) => ({
    event_id,
    session_id: hostileSession,
    parent_id: i === 0 ? null : ids[i - 1],
    primitive_name: names[i] ?? `level_${i}`,
    primitive_type: 'tool',
    args: i === 0 ? `{"picture":"${image}","number":12345678901234567890}` : `${'['.repeat(100)}${']'.repeat(100)}`,
    result: i === 0 ? `${'word '.repeat(120_000)}theveryend` : 'ok',
    success: true,
    latency: 1_000,
    timestamp: now + i,
  }));
  return [...events, { event_id: crypto.randomUUID(), session_id: hostileSession, parent_id: crypto.randomUUID(), primitive_name: 'lost', timestamp: now, latency: 0 }];
}

async function ingest(path, options = {}) {
  const reply = await fetch(`${server.credentials.ingest.base_url}/api/v1${path}`, {
    ...options,
    headers: { Authorization: `Bearer ${options.key ?? server.credentials.ingest.api_key}`, 'Content-Type': 'application/json' },
  });
  const value = await reply.json();
  assert.ok(reply.ok, `${path}: ${JSON.stringify(value)}`);
  return value;
}

const admin = () => `#key=${server.credentials.admin.key}`;
const capture = (events, key) => ingest('/capture-events', { method: 'POST', key, body: JSON.stringify({ events }) });
const traces = () => `${server.ui}e/default/traces`;

/** Opens a page of the area with the admin key. */
async function open(path, options = {}) {
  const p = await openPage(browser, server, { reducedMotion: 'reduce', ...options });
  await p.page.goto(`${traces()}${path}${admin()}`);
  await p.page.getByRole('heading', { level: 1 }).waitFor();
  return p;
}

const tile = (page, name) => page.locator('.tiles > div').filter({ has: page.getByText(name, { exact: true }) }).locator('dd').first();

// Every screen, with what must be there before it is looked at. The dark theme differs in its colours alone.
const screens = {
  overview: ['?tool=planning-agent', (page) => page.getByRole('table', { name: 'Top errors' }).getByText('The model is overloaded.').waitFor()],
  'nothing in a period': ['?customer_id=nobody', (page) => page.getByText('Nothing matches these filters').waitFor()],
  sessions: ['/sessions', (page) => page.getByRole('table', { name: 'Sessions' }).getByRole('link').first().waitFor()],
  'a hostile trace': [`/sessions/${hostileSession}`, (page) => page.getByRole('row', { name: /^level_0,/ }).click()],
  tools: ['/tools', (page) => page.getByRole('link', { name: 'look_up' }).waitFor()],
  'one tool': ['/tools/look_up?period=24h&compare=true', (page) => page.getByRole('list', { name: 'Latest executions' }).waitFor()],
  users: ['/users', (page) => page.getByRole('table', { name: 'Users' }).getByRole('link').first().waitFor()],
  'one user': ['/users/lena.park@understudy.example', (page) => page.getByRole('table', { name: 'Sessions' }).getByRole('link').first().waitFor()],
  events: ['/events', (page) => page.getByRole('table', { name: 'Events' }).getByRole('link').first().waitFor()],
  live: ['/live', (page) => page.getByText('Waiting for events.').waitFor()],
  keys: ['/keys', (page) => page.getByRole('button', { name: 'Revoke default' }).waitFor()],
};

for (const [colorScheme, width] of [
  ['light', 1280],
  ['dark', 320],
]) {
  test(`every screen: ${colorScheme}, ${width} px`, async () => {
    const p = await open('', { colorScheme, viewport: { width, height: 800 } });
    for (const [name, [path, ready]] of Object.entries(screens)) {
      await p.page.goto(`${traces()}${path}`);
      await ready(p.page);
      await checkAccessibility(p.page, name, colorScheme === 'dark' ? ['color-contrast', 'target-size'] : []);
      await checkWidth(p.page, name);
    }
    await p.close();
  });
}

test('a session that is not there is refused in the words of the service, and an empty world says what fills it', async () => {
  const p = await open('/sessions/none');
  const alert = p.page.getByRole('alert');
  await alert.waitFor();
  assert.match(await alert.textContent(), /^There is no session with this id\. Request \w+/);
  p.expect(/404/);
  const reply = await fetch(`${server.origin}/admin/v1/environments`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.credentials.admin.key}` },
    body: JSON.stringify({ name: 'empty', clock: '2026-03-02T09:00:00Z' }),
  });
  const { id } = await reply.json();
  await p.page.goto(`${server.ui}e/${id}/traces`);
  await p.page.getByText('No agent has sent anything yet').waitFor();
  assert.match(await p.page.locator('pre').textContent(), new RegExp(`^curl -s ${server.origin}/e/${id}/ingest/api/v1/capture-event`));
  // A period ends at the time of the world, which stands still.
  const [asked] = await Promise.all([p.page.waitForRequest(/overview\?.*from=/), p.page.getByRole('radio', { name: '24 h' }).check()]);
  assert.equal(new URL(asked.url()).searchParams.get('from'), String(Date.parse('2026-03-01T09:00:00Z')));
  await p.close();
});

test('the numbers of the overview are those of the API, for a period too', async () => {
  const p = await open('');
  const { page } = p;
  const number = new Intl.NumberFormat('en-US').format;
  const total = await ingest('/overview');
  await tile(page, 'Events').waitFor();
  const tiles = { Sessions: total.sessions, Events: total.events, Errors: total.errors, Users: total.users, 'Input tokens': total.input_tokens, 'Output tokens': total.output_tokens };
  for (const [name, value] of Object.entries(tiles)) {
    await tile(page, name).filter({ hasText: new RegExp(`^\\s*${number(value)}\\s*$`) }).waitFor().catch(() => assert.fail(`${name} is not ${value}`));
  }
  assert.equal(await tile(page, 'Error rate').textContent(), `${Math.round(total.error_rate * 1000) / 10} %`);
  const { tools } = await ingest('/tools');
  for (const tool of tools.slice(0, 5)) {
    const row = page.getByRole('table', { name: 'Tools' }).getByRole('row', { name: tool.tool, exact: true });
    await row.waitFor();
    const cells = await row.getByRole('cell').allTextContents();
    assert.deepEqual(cells.slice(0, 3), [tool.tool, number(tool.count), number(tool.errors)]);
  }
  const figure = page.getByRole('figure', { name: 'Events over time' });
  await figure.getByRole('button', { name: 'Show as table' }).click();
  const cells = figure.getByRole('table', { name: 'Events over time' }).locator('td');
  await cells.first().waitFor();
  assert.equal((await cells.allTextContents()).reduce((n, t) => n + Number(t.replaceAll(/\D/g, '')), 0), total.events);

  // A period has its change against the one before, and a part of a figure becomes the period.
  const [asked] = await Promise.all([page.waitForRequest(/overview\?.*from=/), page.getByRole('radio', { name: '24 h' }).check()]);
  await page.waitForURL(/period=24h/);
  await page.locator('.tiles .change').first().waitFor();
  const day = await ingest(`/overview?from=${new URL(asked.url()).searchParams.get('from')}`);
  await tile(page, 'Events').filter({ hasText: new RegExp(`^${number(day.events)}$`) }).waitFor();
  // hover() waits until what it points at stands still.
  const chart = page.getByRole('figure', { name: 'Errors over time' }).locator('svg');
  const { width } = await chart.boundingBox();
  await chart.hover({ position: { x: width * 0.5, y: 30 } });
  await page.mouse.down();
  await chart.hover({ position: { x: width * 0.65, y: 30 } });
  await chart.hover({ position: { x: width * 0.8, y: 30 } });
  await page.mouse.up();
  await page.waitForURL(/period=custom&from=|from=.*period=custom/);
  await page.getByRole('textbox', { name: 'From' }).or(page.getByLabel('From', { exact: true })).first().waitFor();
  const q = new URL(page.url()).searchParams;
  const part = await ingest(`/overview?from=${encodeURIComponent(q.get('from'))}&to=${encodeURIComponent(q.get('to'))}`);
  await page.waitForFunction((n) => [...document.querySelectorAll('.tiles > div')].some((d) => d.querySelector('dt').textContent === 'Events' && d.querySelector('dd').textContent === n), String(part.events));
  await page.goBack();
  await page.waitForURL(/period=24h/);

  // With filters too.
  for (const filter of ['success=false', 'tool=run_tests', 'trait.plan=internal&success=true']) {
    await page.goto(`${traces()}?${filter}`);
    const narrowed = await ingest(`/overview?${filter}`);
    assert.ok(narrowed.events > 0 && narrowed.events < total.events, filter);
    for (const [name, value] of [['Sessions', narrowed.sessions], ['Events', narrowed.events], ['Errors', narrowed.errors], ['Users', narrowed.users], ['Output tokens', narrowed.output_tokens]]) {
      await tile(page, name).filter({ hasText: new RegExp(`^${number(value)}$`) }).waitFor();
    }
  }
  await p.close();
});

test('filters are chosen, stand in the address, and are taken away', async () => {
  const p = await open('/events');
  const { page } = p;
  const rows = page.getByRole('table', { name: 'Events' }).getByRole('link');
  await page.getByRole('combobox', { name: 'Tool' }).click();
  await page.getByRole('option', { name: /^look_up/ }).click();
  await page.waitForURL(/tool=look_up/);
  await page.getByRole('combobox', { name: 'Result' }).click();
  await page.getByRole('option', { name: 'Failed' }).click();
  await page.waitForURL(/success=false/);
  await page.getByRole('combobox', { name: 'Customer' }).fill('acm');
  await page.getByRole('option', { name: /^acme/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/customer_id=acme/);
  const { events } = await ingest('/events?tool=look_up&success=false&customer_id=acme');
  await page.waitForFunction((n) => document.querySelector('[role=table][aria-label=Events]')?.getAttribute('aria-rowcount') === String(n + 1), events.length);
  await page.getByRole('button', { name: 'Remove filter customer_id: acme' }).click();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => url.search === '');
  await page.getByRole('button', { name: 'Add trait filter' }).click();
  await page.getByRole('combobox', { name: 'Trait' }).click();
  await page.getByRole('option', { name: 'plan' }).click();
  await page.getByRole('combobox', { name: 'Value' }).click();
  await page.getByRole('option', { name: /^internal/ }).click();
  await page.getByRole('button', { name: 'Remove filter trait.plan: internal' }).waitFor();
  await rows.first().waitFor();

  // What is shown is what is exported.
  const exported = await ingest('/events?trait.plan=internal&limit=1000');
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as NDJSON' }).click()]);
  assert.equal(readFileSync(await file.path(), 'utf8').trim().split('\n').length, exported.events.length);
  const [table] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as CSV' }).click()]);
  assert.match(readFileSync(await table.path(), 'utf8'), /^event_id,session_id,/);

  // The table by keys: down one row, and into its trace.
  await page.getByRole('table', { name: 'Events' }).getByRole('row').nth(1).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/sessions\/.*event=/);
  await p.close();
});

test('a tool shows where its time goes, and its slowest calls', async () => {
  const p = await open('/tools?sort=p95');
  const { page } = p;
  const calls = page.getByRole('columnheader', { name: 'Calls' });
  const sorted = calls.and(page.locator('[aria-sort=ascending], [aria-sort=descending]'));
  await calls.getByRole('button').click();
  await sorted.waitFor();
  const order = await sorted.getAttribute('aria-sort');
  await calls.getByRole('button').click();
  await calls.and(page.locator(`[aria-sort=${order === 'ascending' ? 'descending' : 'ascending'}]`)).waitFor();
  const first = page.getByRole('table', { name: 'Tools' }).getByRole('row').nth(1);
  await first.getByRole('link', { name: 'look_up' }).click();
  await page.getByRole('heading', { name: 'look_up' }).waitFor();
  const time = page.getByRole('figure', { name: 'Execution timeline' });
  await time.getByRole('button', { name: 'Show as table' }).click();
  await time.getByRole('rowheader').nth(2).waitFor();
  assert.deepEqual(await time.getByRole('rowheader').allTextContents(), ['sent', 'answered', 'end']);
  await page.getByRole('figure', { name: 'Latency', exact: true }).getByRole('button', { name: 'Show as table' }).click();
  const latencies = page.getByRole('table', { name: 'Latency', exact: true }).locator('td');
  await latencies.first().waitFor();
  const counts = await latencies.allTextContents();
  assert.equal(counts.reduce((n, t) => n + Number(t), 0), 60);
  const executions = page.getByRole('list', { name: 'Latest executions' }).getByRole('listitem');
  await executions.first().waitFor();
  assert.equal(await executions.count(), 60);
  assert.match(await page.getByRole('list', { name: 'Slowest' }).getByRole('listitem').first().textContent(), /690 ms/);
  assert.match(await page.getByRole('list', { name: 'Latest errors' }).getByRole('listitem').first().textContent(), /the warehouse did not answer/);
  assert.ok(await page.getByRole('checkbox', { name: 'Compare with the period before' }).isDisabled());
  await page.getByRole('radio', { name: '24 h' }).check();
  await page.getByRole('checkbox', { name: 'Compare with the period before' }).check();
  await page.locator('.tiles .change').first().waitFor();
  await page.getByRole('list', { name: 'Slowest' }).getByRole('link').first().click();
  await page.getByRole('complementary', { name: 'Event details' }).waitFor();
  await p.close();
});

test('live events come newest first, wait while paused, and belong to the project that is chosen', async () => {
  const p = await open('/keys');
  const { page } = p;
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('nightly');
  await page.getByRole('textbox', { name: 'Project (optional)' }).fill('second');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const made = page.getByRole('region', { name: 'New key' });
  const key = await made.locator('.once code').textContent();
  assert.match(key, /^sk_/);
  assert.match(await made.locator('pre').textContent(), new RegExp(`capture-event[\\s\\S]*${key}`));
  await page.getByRole('navigation', { name: 'Traces' }).getByRole('link', { name: 'Live' }).click();
  await page.getByRole('combobox', { name: 'Project' }).click();
  // The stream of the project takes the place of that of all: what is sent before it is open is not live.
  const following = page.waitForResponse(/\/live\?.*project_id=/);
  await page.getByRole('option', { name: 'second' }).click();
  await page.waitForURL(/project_id=/);
  await following;
  await live(page);
  const session = crypto.randomUUID();
  const event = (name, more = {}) => ({ event_id: crypto.randomUUID(), session_id: session, primitive_name: name, primitive_type: 'tool', latency: 5, ...more });
  const feed = page.getByRole('feed', { name: 'Live events' });
  await capture([event('first')], key);
  await feed.getByRole('article', { name: /^first, 5 ms, succeeded/ }).waitFor();
  await capture([event('elsewhere')]);
  await page.getByRole('button', { name: 'Pause' }).click();
  await capture([event('second', { success: false })], key);
  await page.getByText('Paused. 1 new.').waitFor();
  assert.equal(await feed.getByRole('article').count(), 1);
  await page.getByRole('button', { name: 'Resume' }).click();
  await feed.getByRole('article', { name: /^second, .*failed/ }).waitFor();
  await feed.getByRole('link').nth(1).waitFor();
  assert.deepEqual(await feed.getByRole('link').allTextContents(), ['second', 'first']);

  // A trace that is looked at grows; what is chosen stays chosen.
  await feed.getByRole('link', { name: 'first' }).click();
  const tree = page.getByRole('treegrid', { name: 'Events' });
  await tree.getByRole('row', { name: /^first/, selected: true }).waitFor();
  await page.getByText('New events appear by themselves.').waitFor();
  const parent = event('third');
  await capture([event('child', { parent_id: parent.event_id }), parent], key);
  await tree.getByRole('row', { name: /^third/ }).waitFor();
  assert.equal(await tree.getByRole('row', { name: /^child/ }).getAttribute('aria-level'), '2');
  await tree.getByRole('row', { name: /^first/, selected: true }).waitFor();

  await page.goto(`${traces()}/keys`);
  assert.equal(await page.getByText(key).count(), 0, 'a key is shown once');
  await page.getByRole('button', { name: 'Revoke nightly' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('nightly is revoked.').waitFor();
  await assert.rejects(capture([event('late')], key), /unauthorized/);
  await p.close();
});

test('a trace goes on when what it may have missed cannot be asked for', async () => {
  const event = (name) => ({ event_id: crypto.randomUUID(), session_id: session, primitive_name: name, primitive_type: 'tool', latency: 5 });
  const session = crypto.randomUUID();
  await capture([event('first')]);
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.route((url) => url.pathname.endsWith('/sessions') && url.searchParams.get('session_id') === session, (route) => route.abort());
  const lost = page.waitForEvent('requestfailed');
  await page.goto(`${traces()}/sessions/${session}${admin()}`);
  await lost;
  await capture([event('second')]);
  await page.getByRole('treegrid', { name: 'Events' }).getByRole('row', { name: /^second/ }).waitFor();
  p.expect(/ERR_FAILED/);
  await p.close();
});

test('a trace is read by keys, its payloads are cut and folded, and it shows what it changed', async () => {
  const { messaging } = server.credentials;
  const span = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  const session = crypto.randomUUID();
  const turn = { event_id: crypto.randomUUID(), session_id: session, primitive_name: 'agent', latency: 900, timestamp: now, success: false, user_id: 'ada' };
  const post = await fetch(`${messaging.base_url}/api/chat.postMessage`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${messaging.user_token}`, 'Content-Type': 'application/json; charset=utf-8', traceparent: span },
    body: JSON.stringify({ channel: 'general', text: 'from an agent' }),
  });
  assert.equal((await post.json()).ok, true);
  const step = (name, at, more = {}) => ({ event_id: crypto.randomUUID(), session_id: session, parent_id: turn.event_id, primitive_name: name, primitive_type: 'tool', latency: 100, timestamp: now + at, ...more });
  await capture([turn, step('post', 100, { metadata: { traceparent: span, 'checkpoint.sent': 20 } }), step('wait', 200), step('break', 700, { success: false, result: '{"error":"no such order"}' })]);
  const p = await open(`/sessions/${session}`);
  const { page } = p;
  const tree = page.getByRole('treegrid', { name: 'Events' });
  const selected = (name) => tree.getByRole('row', { name, selected: true }).waitFor();
  await page.getByRole('radiogroup', { name: 'View', exact: true }).getByRole('radio', { name: 'Both' }).waitFor();
  await tree.getByRole('row', { name: /^post/ }).waitFor();
  await tree.focus();
  await page.keyboard.press('Home');
  await selected(/^agent, turn, 900 ms, failed/);
  assert.equal(await page.getByRole('complementary').count(), 0, 'a row is looked at without its details');
  await page.keyboard.press('ArrowLeft');
  await tree.getByRole('row', { name: /^post/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowRight');
  await tree.getByRole('row', { name: /^post/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await selected(/^post, tool, 100 ms, succeeded/);
  await page.keyboard.press('Enter');
  const details = page.getByRole('complementary', { name: 'Event details' });
  await details.getByRole('tab', { name: 'Effects' }).click();
  const effects = details.getByRole('list', { name: 'Effects' });
  await effects.getByRole('link', { name: /^Request \d+/ }).waitFor();
  await effects.getByText('chat.postMessage').waitFor();
  await effects.getByText('messaging message').waitFor();
  await checkAccessibility(page, 'effects');
  await tree.focus();
  await page.keyboard.press('n');
  await selected(/^break/);
  await details.getByRole('tab', { name: 'Output' }).click();
  await details.getByText('"no such order"').waitFor();
  await tree.focus();
  await page.keyboard.press('+');
  await page.getByRole('button', { name: 'Fit' }).and(page.locator(':enabled')).waitFor();
  await page.keyboard.press('0');
  await page.locator('button:disabled', { hasText: 'Fit' }).waitFor();
  await page.getByRole('radio', { name: 'Timeline' }).check();
  await page.waitForURL(/view=timeline/);
  await tree.focus();
  await page.keyboard.press('f');
  await focusOn(page.getByRole('searchbox', { name: 'Find in trace' }));
  await page.keyboard.type('order');
  await page.getByText('Matches: 1').waitFor();
  await page.keyboard.press('Escape');
  await focusOn(tree);
  await page.keyboard.press(']');
  await page.waitForURL((url) => !url.pathname.endsWith(session));
  // The address changes before the page does.
  await page.getByRole('heading', { level: 1, name: `Session ${new URL(page.url()).pathname.split('/').at(-1).slice(0, 8)}` }).waitFor();
  await tree.getByRole('row').first().waitFor();
  await tree.focus();
  await page.keyboard.press('[');
  await page.waitForURL((url) => url.pathname.endsWith(session));

  // What is found may stand where the browser has not read.
  await page.goto(`${traces()}/sessions/${hostileSession}?q=theveryend`);
  await page.getByText('Matches: 1').waitFor();
  await tree.getByRole('row', { name: /^level_0/ }).waitFor();
  await page.getByRole('button', { name: 'Next match' }).click();
  await selected(/^level_0/);
  await details.getByRole('button', { name: 'Show all 601 KB' }).click();
  await details.locator('.lines').waitFor();
  await details.getByRole('tab', { name: 'Input' }).click();
  await details.getByText('12345678901234567890').waitFor();
  await details.getByRole('button', { name: /Show base64, 13 KB/ }).click();
  await tree.getByRole('row', { name: /^lost/ }).getByText('no parent').waitFor();
  await tree.focus();
  await page.keyboard.press('End');
  await tree.getByText('deeper').first().waitFor();
  await p.close();
});

test('the way from a failed run to its cause is as docs/ui.md says', async () => {
  const said = await play(join(server.data, 'credentials.json'), 4);
  assert.equal(said.match(/ done$/gm)?.length, 3);
  assert.match(said, /failed: channel_not_found/);
  const p = await open('');
  for (const [, step] of steps) {
    await step(p.page, traces());
  }

  // By keys: two from a world, two from the list of sessions. The call that failed is meant, not the turn around it.
  const { page } = p;
  const failing = page.getByRole('row', { name: /^(post_update|update_contact), tool, .*failed/, selected: true });
  await page.goto(`${server.ui}worlds/default`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await goByKeys(page, 'e', /\/traces\//);
  await failing.waitFor();
  await details(page).getByText('"error"').waitFor();
  await page.goto(`${traces()}/sessions?errors=true&q=${new URL(page.url()).pathname.split('/').at(-1)}`);
  await page.getByRole('table', { name: 'Sessions' }).getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Events');
  await page.getByRole('treegrid', { name: 'Events' }).getByRole('row').first().waitFor();
  await page.keyboard.press('n');
  await failing.waitFor();
  assert.equal(await page.getByRole('row', { name: /^support-agent, turn, .*failed/ }).count(), 1);
  await p.close();
});

test('a trace of 10,000 events is drawn at once, and failures in it are found', async () => {
  const session = crypto.randomUUID();
  const began = Date.now() - 60_000;
  const ids = Array.from({ length: 10_000 }, () => crypto.randomUUID());
  const events = ids.map((id, i) => ({
    event_id: id,
    session_id: session,
    parent_id: i === 0 ? null : ids[Math.floor((i - 1) / 10)],
    primitive_name: `step_${i}`,
    primitive_type: 'tool',
    args: `input ${i}`,
    result: i === 7_777 ? 'it broke' : `output ${i}`,
    success: i !== 7_777,
    latency: 5,
    timestamp: began + i,
  }));
  for (let i = 0; i < events.length; i += 500) {
    await ingest('/capture-events', { method: 'POST', body: JSON.stringify({ events: events.slice(i, i + 500) }) });
  }
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${traces()}/sessions/${session}${admin()}`);
  const tree = page.getByRole('treegrid', { name: 'Events' });
  await tree.getByRole('row').first().waitFor();
  assert.ok((await tree.getByRole('row').count()) < 100, 'only what is in view is drawn');
  await page.getByRole('button', { name: 'Next error' }).click();
  await tree.getByRole('row', { name: /^step_7777, .*failed$/ }).waitFor();
  await page.getByRole('button', { name: 'Expand all' }).click();
  await page.waitForFunction(() => document.querySelector('[role=treegrid]')?.getAttribute('aria-rowcount') === '10000');
  await page.getByRole('searchbox', { name: 'Find in trace' }).fill('output 9999');
  await page.getByText('Matches: 1', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Next match' }).click();
  await tree.getByRole('row', { name: /^step_9999,/ }).waitFor();
  await p.close();
});
