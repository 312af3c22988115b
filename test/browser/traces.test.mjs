// What agents did: numbers, sessions, and a trace of 10,000 events.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, openPage } from './page.mjs';
import { startBrowser, startServer } from './server.mjs';

let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([startServer('--fixture', 'demo'), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

async function ingest(path, options = {}) {
  const reply = await fetch(`${server.credentials.ingest.base_url}/api/v1${path}`, {
    ...options,
    headers: { Authorization: `Bearer ${server.credentials.ingest.api_key}`, 'Content-Type': 'application/json' },
  });
  const value = await reply.json();
  assert.ok(reply.ok, `${path}: ${JSON.stringify(value)}`);
  return value;
}

const admin = () => `#key=${server.credentials.admin.key}`;
const traces = () => `${server.ui}e/default/traces`;

for (const colorScheme of ['light', 'dark']) {
  test(`overview, sessions and a trace: ${colorScheme}`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce' });
    const { page } = p;
    const check = async (what) => {
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await checkAccessibility(page, `${what}, ${width} px`);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0, `${what} scrolls sideways at ${width} px`);
      }
    };
    const overview = await ingest('/overview');
    await page.goto(traces() + admin());
    const tile = (name) => page.locator('.tiles > div').filter({ has: page.getByText(name, { exact: true }) }).locator('dd');
    await tile('Events').waitFor();
    assert.equal(await tile('Sessions').textContent(), String(overview.sessions));
    assert.equal(await tile('Events').textContent(), String(overview.events));
    assert.equal(await tile('Errors').textContent(), String(overview.errors));
    await page.getByRole('figure', { name: 'Events over time' }).getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('table', { name: 'Events over time' }).waitFor();
    await page.getByRole('table', { name: 'Top errors' }).getByText('The model is overloaded.').waitFor();
    await check('overview');

    // A filter is in the address, narrows the numbers and is taken away.
    await page.getByRole('table', { name: 'Tools' }).getByRole('link', { name: 'send_reply' }).click();
    await page.waitForURL(/tool=send_reply/);
    const narrowed = await ingest('/overview?tool=send_reply');
    await page.waitForFunction((n) => [...document.querySelectorAll('.tiles > div')].some((d) => d.textContent === `Events${n}`), narrowed.events);
    await page.getByRole('button', { name: 'Remove filter tool: send_reply' }).click();
    await page.waitForFunction((n) => [...document.querySelectorAll('.tiles > div')].some((d) => d.textContent === `Events${n}`), overview.events);

    await page.getByRole('navigation', { name: 'Traces' }).getByRole('link', { name: 'Sessions' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await page.getByRole('checkbox', { name: 'Errors only' }).check();
    await page.waitForURL(/errors=true/);
    await check('sessions');
    await page.getByRole('table', { name: 'Sessions' }).getByRole('link').first().click();
    const tree = page.getByRole('treegrid', { name: 'Events' });
    await tree.getByRole('row').first().waitFor();
    await page.getByRole('button', { name: 'Next error' }).click();
    const details = page.getByRole('complementary', { name: 'Event details' });
    await details.getByText('failed').waitFor();
    await check('trace');
    await details.getByRole('button', { name: 'Close details' }).click();

    // The same by keys: the tree, the next failure, and back to its first row.
    await tree.focus();
    await page.keyboard.press('n');
    await tree.locator('[aria-selected=true]').getByText('failed').waitFor();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.querySelector('[aria-selected=true]')?.id === 'event-0');
    await p.close();
  });
}

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
  await page.getByRole('status').getByText('Matches: 1').waitFor();
  await page.getByRole('button', { name: 'Next match' }).click();
  await tree.getByRole('row', { name: /^step_9999,/ }).waitFor();
  await p.close();
});
