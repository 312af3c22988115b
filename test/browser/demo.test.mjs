// What `make demo` serves, as somebody sees it who has just cloned the project: every screen has something to show.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPage } from './page.mjs';
import { startBrowser } from './server.mjs';

const root = join(import.meta.dirname, '..', '..');
let demo;
let browser;
let printed = '';

before(async () => {
  const binary = process.env.UNDERSTUDY_BIN ?? join(root, 'bin', 'understudy');
  demo = spawn(process.execPath, [join(root, 'docs', 'demo', 'demo.mjs'), binary, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const served = new Promise((resolve, reject) => {
    demo.stdout.on('data', (chunk) => {
      printed += chunk;
      if (/Credentials are in/.test(printed) && /served until Ctrl C/.test(printed)) {
        resolve();
      }
    });
    demo.once('exit', (status) => reject(new Error(`the demo ended with status ${status}: ${printed}`)));
  });
  [browser] = await Promise.all([startBrowser(), served]);
});
after(async () => {
  await browser?.close();
  if (demo.exitCode === null) {
    const ended = new Promise((resolve) => demo.once('exit', resolve));
    demo.kill('SIGTERM');
    await ended;
  }
});

test('ten sessions are played, two of them fail, and every screen of the demo has something to show', async () => {
  assert.equal(printed.match(/^session \d+ of 10 .* done$/gm)?.length, 8, printed);
  assert.equal(printed.match(/^session \d+ of 10 .* failed: /gm)?.length, 2, printed);
  const [traces] = /http:\S+#key=\S+/.exec(printed);
  const ui = traces.slice(0, traces.indexOf('e/default'));
  const credentials = JSON.parse(readFileSync(/Credentials are in (\S+\.json)/.exec(printed)[1], 'utf8'));
  const p = await openPage(browser, { origin: new URL(ui).origin }, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(traces);
  await page.getByRole('table', { name: 'Top errors' }).getByRole('row').filter({ hasText: 'post_update' }).waitFor();
  const rows = (name, role = 'table') => () => page.getByRole(role, { name, exact: true }).getByRole('row').nth(1).waitFor();
  const shown = (words) => () => page.getByText(words).first().waitFor();
  const issue = () => page.getByRole('heading', { name: 'Comments' }).waitFor();
  for (const [path, ready] of [
    ['e/default/traces/sessions', rows('Sessions')],
    ['e/default/traces/-/error', () => page.getByRole('complementary', { name: 'Event details' }).waitFor()],
    ['e/default/traces/tools', rows('Tools')],
    ['e/default/traces/tools/post_update', () => page.getByRole('list', { name: 'Latest executions' }).waitFor()],
    ['e/default/traces/users', rows('Users')],
    ['e/default/traces/events', rows('Events')],
    ['e/default/traces/keys', rows('Keys')],
    ['worlds', rows('Environments')],
    ['worlds/default', shown('before the agent')],
    ['worlds/default/requests', rows('Requests')],
    ['worlds/default/events', rows('Events')],
    ['worlds/default/deliveries', rows('Deliveries')],
    ['worlds/default/deliveries?status=pending', rows('Deliveries')],
    ['worlds/default/diff', rows('Changes', 'treegrid')],
    ['worlds/default/snapshots', rows('Snapshots')],
    ['worlds/default/faults', rows('Faults')],
    ['worlds/default/verdict', () => page.getByRole('textbox', { name: 'Expectations' }).waitFor()],
    ['worlds/default/seed', () => page.getByRole('textbox', { name: 'Seed document' }).waitFor()],
    ['worlds/-/verdicts', rows('Verdicts')],
    ['e/default/crm/contacts', rows('Contacts')],
    ['e/default/crm/companies', rows('Companies')],
    ['e/default/crm/tickets', rows('Tickets')],
    ['e/default/crm/owners', rows('Owners')],
    ['e/default/crm/deals/-/board', () => page.getByRole('list', { name: 'Stages' }).getByRole('article').first().waitFor()],
    ['e/default/crm/deals/-/properties', rows('Properties')],
    ['e/default/tracker/ENG/list', rows('Issues', 'treegrid')],
    ['e/default/tracker/ENG/board', () => page.getByRole('article').first().waitFor()],
    ['e/default/tracker/issue/ENG-15', issue],
    ['e/default/tracker/ENG/cycles', rows('Cycles')],
    ['e/default/tracker/projects', rows('Projects')],
    ['e/default/tracker/graphql', () => page.getByRole('textbox', { name: 'Query' }).waitFor()],
  ]) {
    await page.goto(`${ui}${path}`);
    await ready().catch((e) => assert.fail(`${path}: ${e.message}`));
  }
  // A rule has fired, the verdict has its evidence, and what comes while one looks appears.
  await page.goto(`${ui}worlds/-/verdicts`);
  await page.getByRole('link', { name: 'answer ten customers' }).click();
  await page.getByText('a message for each customer').waitFor();
  const { base_url: base, key } = credentials.admin;
  const { faults } = await (await fetch(`${base}/environments/default/faults`, { headers: { Authorization: `Bearer ${key}` } })).json();
  assert.equal(faults[0].fired, 1);
  await p.close();
});
