// The HTML report of runs as people open it: from disk, without a network, in both
// themes and in print, with hostile text in the world and in the agent's output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { checkAccessibility } from './page.mjs';
import { startBrowser } from './server.mjs';

let folder;
let browser;
const binary = process.env.UNDERSTUDY_BIN ?? new URL('../../bin/understudy', import.meta.url).pathname;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-report-'));
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const script = '</pre></script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 2"><svg onload="window.hurt=3">';
const task = (name, more) => JSON.stringify({
  task: name,
  world: { fixture: 'demo', seed: 7, clock: '2026-03-02T09:00:00Z' },
  instruction: `Be kind. ${script}`,
  before: [{ as: 'question', person: 'messaging/jon.abel', say: { channel: '#support', text: `Who is on call? ${script} \u202eevil` } }],
  expect: [
    { name: `an answer ${script}`, inserted: 'messaging.message', where: { thread_ts: '$question.ts', plain: { contains: 'tom' } } },
    { name: 'no topic', updated: 'messaging.channel', count: 0 },
  ],
  nothing_else: true,
  metadata: { note: script },
  ...more,
});
const agent = `
const call = async (method, body) => (await fetch(process.env.SLACK_API_URL + method, { method: 'POST', body: JSON.stringify(body),
  headers: { Authorization: 'Bearer ' + process.env.SLACK_BOT_TOKEN, 'Content-Type': 'application/json; charset=utf-8' } })).json().catch(() => ({}));
const { channels } = await call('conversations.list', { limit: 200 });
const { id } = channels.find((c) => c.name === 'support');
const { messages } = await call('conversations.history', { channel: id, limit: 1 });
await call('chat.postMessage', { channel: id, thread_ts: messages[0].ts, text: 'tom' }).catch(() => {});
await call('conversations.setTopic', { channel: id, topic: ${JSON.stringify(script)} });
await fetch(process.env.AGNOST_ENDPOINT.replace(/\\/$/, '') + '/api/v1/capture-event', { method: 'POST', headers: { 'x-api-key': process.env.AGNOST_ORG_ID, 'Content-Type': 'application/json' },
  body: JSON.stringify({ event_id: crypto.randomUUID(), session_id: process.env.AGNOST_SESSION_ID, primitive_name: 'answer ' + ${JSON.stringify('<b>')}, primitive_type: 'agent', latency: 12, success: true }) });
console.log(${JSON.stringify(script)}, '\\u001b[31mred');
process.exit(process.env.UNDERSTUDY_TASK === 'lost' ? 4 : 0);
`;

test('the report opens from disk, loads nothing and shows what happened', async () => {
  const file = (name) => join(folder, name);
  writeFileSync(file('agent.mjs'), agent);
  writeFileSync(file('calm.json'), task('calm'));
  writeFileSync(file('lost.json'), task('lost', {
    fork: { faults: [{ id: 'lost-answer', on: 'request', match: { operation: 'messaging.chat.postMessage', by: 'agent' }, when: { nth: [1] }, do: { drop: 'after' } }] },
  }));
  const done = spawnSync(binary, ['run', file('calm.json'), file('lost.json'), '-p', '2', '--data', file('none'), '--html', file('report.html'),
    '--', process.execPath, file('agent.mjs')], { encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 1, done.stdout + done.stderr);
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, colorScheme, offline: true });
    const page = await context.newPage();
    const wrong = [];
    page.on('console', (m) => wrong.push(m.text()));
    page.on('pageerror', (e) => wrong.push(e.message));
    page.on('request', (r) => r.url().startsWith('file:') || wrong.push(r.url()));
    await page.goto(pathToFileURL(file('report.html')).href);
    assert.match(await page.title(), /^Not passed: 0 of 2 runs$/);
    const cells = page.getByRole('region', { name: 'Matrix of runs' }).getByRole('link');
    assert.deepEqual(await cells.allTextContents(), Array(2).fill('✗ failed'));
    await cells.last().click();
    const run = page.locator('#run-lost-1');
    for (const text of ['no topic', 'an answer <', 'expect[1]', 'nothing expects', 'window.hurt = 1', 'lost-answer', 'messaging.conversations.setTopic', 'carried out', 'exit status 4', 'answer <b>', 'joined by order', '␛[31mred']) {
      assert.ok(await run.getByText(text, { exact: false }).first().isVisible(), `the run shows ${text}`);
    }
    assert.equal(await page.evaluate(() => window.hurt), undefined);
    assert.equal(await page.evaluate(() => document.querySelectorAll('script, img, svg, link, iframe').length), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page scrolls sideways');
    await checkAccessibility(page, `the report, ${colorScheme}`);
    if (process.env.REPORT_PICTURES) {
      await page.screenshot({ path: join(process.env.REPORT_PICTURES, `report-${colorScheme}.png`) });
    }
    // On paper every run is there, black on white.
    await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = false; }));
    await page.emulateMedia({ media: 'print' });
    assert.ok(await run.getByText('exit status 4').isVisible(), 'paper shows runs that are folded on the screen');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
    if (process.env.REPORT_PICTURES && colorScheme === 'light') {
      await page.pdf({ path: join(process.env.REPORT_PICTURES, 'report.pdf') });
    }
    await context.close();
    assert.deepEqual(wrong, []);
  }
});
