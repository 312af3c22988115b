// Every screen and dialog of the Worlds area, with something in it and without, in both themes.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import { checkBothThemes, openPage, until } from './page.mjs';
import { admin, browser, send, server, setUp } from './server.mjs';

let hook;
let seq;
let delivery;

setUp('--fixture', 'demo', '--rate-limits', 'off', async () => {
  hook = createServer((_, reply) => reply.writeHead(500).end('not today')).listen(0, '127.0.0.1');
  hook.unref();
  await new Promise((resolve) => hook.once('listening', resolve));
  const { base_url: base, bot_token: bot, user_token: user } = server.credentials.messaging;
  await send('POST', `${base}/api/webhooks/outgoing`, { url: `http://127.0.0.1:${hook.address().port}/hook` }, user);
  await admin('/environments/default/snapshots', { name: 'before' });
  await send('POST', `${base}/api/chat.postMessage`, { channel: 'general', text: 'A message that is delivered' }, bot);
  await admin('/environments/default/faults', { id: 'slow', on: 'request', match: { operation: 'messaging.chat.postMessage' }, when: { nth: [99] }, do: { drop: 'after' } });
  await admin('/environments/default/verdicts', { task: 'greeting', run: 1, series: 'nightly', state: 'failed', reason: 'no greeting', output: 'hello' });
  await admin('/environments', { id: 'bare', name: 'Bare', clock: '2026-03-02T09:00:00Z' });
  await admin('/environments/default/fork', { id: 'child', name: 'Child', ephemeral: true });
  [{ seq }] = (await admin('/environments/default/requests?service=messaging&path=/api/chat.postMessage')).requests;
  delivery = await until('the delivery was tried', async () =>
    (await admin('/environments/default/deliveries?service=messaging')).deliveries.find((d) => d.attempts.length > 0));
});
after(() => hook?.close());

const table = (name) => (page) => page.getByRole('table', { name }).getByRole('row').nth(1).waitFor();
const text = (words) => (page) => page.getByText(words).first().waitFor();
const press = (name) => (page) => page.getByRole('button', { name, exact: true }).first().click();
const dialog = (name, role = 'dialog') => (page) => page.getByRole(role, { name, exact: true }).waitFor();
const asks = (name) => dialog(name, 'alertdialog');
const choose = (name, item) => async (page) => {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

// Each screen: its path, what must be there, and the dialogs that open on it with what opens them.
const screens = () => [
  ['', table('Environments'), [
    [press('Create environment'), dialog('Create environment')],
    [choose('Child', 'Fork'), dialog('Fork Child')],
    [choose('Child', 'Snapshot'), dialog('Snapshot of Child')],
    [choose('Child', 'Reset'), asks('Reset Child?')],
    [choose('Child', 'Delete'), asks('Delete Child?')],
    [async (page) => {
      for (const name of ['Bare', 'Child']) {
        // The dialog before this one returns the focus a moment after it has gone.
        const row = page.getByRole('row', { name });
        await until(`${name} is selected`, async () => {
          await row.focus();
          if ((await row.evaluate((e) => e === document.activeElement)) && !(await row.getByRole('checkbox').isChecked())) {
            await page.keyboard.press('Space');
          }
          return row.getByRole('checkbox').isChecked();
        });
      }
      await press('Delete selected: 2')(page);
    }, asks('Delete 2 environments?')],
    [async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Actions for Child' }).click();
    }, (page) => page.getByRole('menuitem', { name: 'Open' }).waitFor()],
  ]],
  ['?tree=true', (page) => page.getByRole('treegrid', { name: 'Environments' }).getByRole('row', { name: 'Child' }).waitFor()],
  ['?q=nothing+like+this', text('No environment by that name')],
  ['/default', text('Latest requests'), [[press(/^Clock: /), dialog('Clock')]]],
  ['/bare', text('Nothing was asked yet')],
  ['/default/requests', table('Requests')],
  ['/bare/requests', (page) => page.waitForFunction(() => document.querySelector('main .dimmed'))],
  [`/default/requests/${seq}`, text('attempt 1: 500')],
  ['/default/requests/999999', (page) => page.getByRole('main').getByRole('alert').waitFor()],
  ['/default/events', table('Events')],
  ['/bare/events', (page) => page.waitForFunction(() => document.querySelector('main .dimmed'))],
  ['/default/deliveries', table('Deliveries'), [[press('Replay all matching'), asks('Replay all matching?')]]],
  ['/bare/deliveries', (page) => page.waitForFunction(() => document.querySelector('main .dimmed'))],
  [`/default/deliveries/${delivery.id}`, text('Attempt 1')],
  ['/default/diff', async (page) => {
    await page.getByRole('treegrid', { name: 'Changes' }).getByRole('row', { name: /^message .* added$/ }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Change', exact: true }).waitFor();
  }],
  ['/bare/diff', text('Nothing has changed')],
  ['/default/snapshots', table('Snapshots'), [
    [press('Create snapshot'), dialog('Snapshot of default')],
    [press('Restore before'), asks('Restore before?')],
    [press('Fork from before'), dialog('Fork default')],
    [press('Delete before'), asks('Delete before?')],
  ]],
  ['/bare/snapshots', text('There is no snapshot')],
  ['/default/faults', table('Faults'), [
    [press('Add fault'), async (page) => {
      await page.getByRole('dialog', { name: 'Add fault' }).getByRole('textbox', { name: 'Rule' }).waitFor();
    }],
    [press('Remove all'), (page) => page.getByRole('alertdialog').waitFor()],
  ]],
  ['/bare/faults', text('Nothing is broken on purpose here')],
  ['/default/verdict', (page) => page.getByRole('textbox', { name: 'Expectations' }).waitFor()],
  ['/default/seed', (page) => page.getByRole('textbox', { name: 'Seed document' }).waitFor()],
  ['/default/credentials', (page) => page.getByRole('button', { name: 'Copy as .env' }).waitFor()],
  ['/child/settings', press('Save settings'), [[press('Delete'), asks('Delete Child?')]]],
  ['/-/verdicts', table('Verdicts')],
  ['/nowhere', (page) => page.getByRole('heading', { level: 1, name: 'This environment is gone' }).waitFor()],
];

// Between the phone and the desk no dialog changes.
for (const [width, colorScheme, all] of [[320, 'dark', true], [768, 'dark', false], [1440, 'light', true]]) {
  test(`every screen${all ? ' and dialog' : ''} of Worlds: ${width} px, ${colorScheme} and the other theme`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 800 } });
    const { page } = p;
    await page.goto(`${server.ui}worlds#key=${server.credentials.admin.key}`);
    await table('Environments')(page);
    for (const [path, ready, dialogs = []] of screens()) {
      await page.goto(`${server.ui}worlds${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await ready(page);
      await checkBothThemes(page, `worlds${path}`, colorScheme);
      for (const [n, [open, opened]] of (all ? dialogs : []).entries()) {
        await open(page);
        await opened(page);
        await checkBothThemes(page, `worlds${path}, dialog ${n}`, colorScheme);
        await page.keyboard.press('Escape');
        await page.locator('[role=dialog], [role=alertdialog]').first().waitFor({ state: 'detached' });
      }
    }
    p.expect(/status of 4\d\d/);
    await p.close();
  });
}
