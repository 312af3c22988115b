// The HTML report of runs as people open it: from disk, without a network, in both
// themes and in print, with hostile text in the world and in the agent's output.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
      await run.getByText(text, { exact: false }).first().waitFor().catch(() => assert.fail(`the run does not show ${text}`));
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
    await run.getByText('exit status 4').waitFor(); // paper shows runs that are folded on the screen
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
    if (process.env.REPORT_PICTURES && colorScheme === 'light') {
      await page.pdf({ path: join(process.env.REPORT_PICTURES, 'report.pdf') });
    }
    await context.close();
    assert.deepEqual(wrong, []);
  }
});

// What an agent, a task and a world may hold at worst: names of 4,000 characters
// without a gap, 5 MB of output, control characters, texts that run backwards.
const word = 'w'.repeat(4_000);
const nasty = `\u0000\u001b]0;owned\u0007\u001b[2J\u009b31m\u202edrowkcab\u202c \u2066\u061c\u200b\u2028${script}<!--<style>*{display:none}</style><base href="http://foreign.invalid/"><meta http-equiv=refresh content="0;url=http://foreign.invalid/">`;
// Files of tasks have no control characters, and names of 1,024 characters at most.
const written = nasty.replace(/[\u0000-\u001f\u007f-\u009f\u2028]/g, '');
const flood = `
const call = async (path, body) => (await fetch(process.env.HUBSPOT_BASE_PATH + path, { method: 'POST', body: JSON.stringify(body),
  headers: { Authorization: 'Bearer ' + process.env.HUBSPOT_ACCESS_TOKEN, 'Content-Type': 'application/json' } })).json();
const { writeFileSync } = await import('node:fs');
await call('/crm/v3/objects/contacts', { properties: { email: 'x@y.example', firstname: 'مرحبا ' + ${JSON.stringify(script)}, lastname: ${JSON.stringify(word)} } });
const ingest = (body) => fetch(process.env.AGNOST_ENDPOINT.replace(/\\/$/, '') + '/api/v1/capture-event', { method: 'POST',
  headers: { 'x-api-key': process.env.AGNOST_ORG_ID, 'Content-Type': 'application/json' }, body: JSON.stringify({ event_id: crypto.randomUUID(), session_id: process.env.AGNOST_SESSION_ID, primitive_type: 'agent', latency: 1, success: true, ...body }) });
for (const name of [${JSON.stringify(word.slice(0, 200))}, ${JSON.stringify(written.slice(0, 200))}]) await ingest({ primitive_name: name });
writeFileSync(process.env.UNDERSTUDY_ANSWER_FILE, ${JSON.stringify(nasty)} + 'a'.repeat(5e6));
for (let i = 0; i < 5; i++) await new Promise((done) => process.stdout.write('0'.repeat(1e6), done));
await new Promise((done) => process.stdout.write(${JSON.stringify(nasty + word)}, done));
`;

test('a hostile run stays legible, runs nothing and asks for nothing', async () => {
  const file = (name) => join(folder, name);
  writeFileSync(file('flood.mjs'), flood);
  writeFileSync(file('flood.json'), task('f'.repeat(80), {
    instruction: written + word,
    before: [],
    expect: [
      { name: word, inserted: 'crm.contact', where: { 'properties.lastname': { contains: 'nobody' } } },
      { name: written, answered: { matches: '^yes$' } },
    ],
    metadata: { [word.slice(0, 1_000)]: word, [script]: written },
  }));
  const done = spawnSync(binary, ['run', file('flood.json'), '-n', '2', '--data', file('none'), '--html', file('flood.html'), '--', process.execPath, file('flood.mjs'), word],
    { encoding: 'utf8', cwd: folder });
  assert.equal(done.status, 1, done.stdout.slice(0, 2_000) + done.stderr.slice(0, 2_000));
  for (const [name, text] of Object.entries({ stdout: done.stdout, stderr: done.stderr })) {
    assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, `${name} reaches a terminal as it is`);
  }
  assert.ok(statSync(file('flood.html')).size < 1_500_000, `the page has ${statSync(file('flood.html')).size} bytes`);
  for (const [medium, width] of [['screen', 1280], ['screen', 390], ['print', 720]]) {
    const where = `${medium}, ${width} pixels`;
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    const wrong = [];
    page.on('console', (m) => wrong.push(m.text()));
    page.on('pageerror', (e) => wrong.push(e.message));
    page.on('request', (r) => r.url().startsWith('file:') || wrong.push(r.url()));
    await page.emulateMedia({ media: medium });
    await page.goto(pathToFileURL(file('flood.html')).href);
    const found = await page.evaluate(() => ({
      hurt: window.hurt,
      foreign: document.querySelectorAll('script, img, svg, link, iframe, base, form, object, embed, body style, body meta').length,
      wide: document.documentElement.scrollWidth - innerWidth,
      trace: document.querySelectorAll('.trace > li').length,
      answer: document.querySelector('pre[aria-label=Answer]')?.textContent.includes('drowkcab'),
      odd: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/.exec(document.body.textContent)?.[0],
      // Much wider than the page; on paper none may be, see wide.
      tables: [...document.querySelectorAll('table')].filter((t) => t.getBoundingClientRect().width > Math.max(innerWidth, 1_100)).map((t) => `${t.className || 'figures'} ${t.getBoundingClientRect().width}`),
      // Words that break between their letters.
      thin: [...document.querySelectorAll('thead th')].filter((c) => c.getClientRects().length > 0 && c.textContent.length < 12 && c.clientHeight > 60).map((c) => c.textContent),
      high: Math.max(...[...document.querySelectorAll('tr, li, dd')].filter((e) => !e.querySelector('li, pre')).map((e) => e.clientHeight)),
    }));
    assert.deepEqual({ ...found, high: 0, wide: Math.max(found.wide, 0) }, { hurt: undefined, foreign: 0, wide: 0, trace: 4, answer: true, odd: undefined, tables: [], thin: [], high: 0 }, where);
    assert.ok(found.high < 2_000, `${where}: a line of the report is ${found.high} pixels high`);
    if (process.env.REPORT_PICTURES) {
      await page.screenshot({ path: join(process.env.REPORT_PICTURES, `hostile-${medium}-${width}.png`), fullPage: true });
      const run = page.locator('details').first();
      await run.locator('.checks').screenshot({ path: join(process.env.REPORT_PICTURES, `hostile-checks-${medium}-${width}.png`) });
    }
    if (medium === 'print') {
      const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type\s*\/Page\b/g).length;
      assert.ok(pages < 60, `${pages} sheets of paper`);
    }
    await context.close();
    assert.deepEqual(wrong, [], where);
  }
});
