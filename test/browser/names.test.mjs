// What a person reads and writes is what was meant: drafts are not lost, what cannot be taken back is asked for, and names stand where ids were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, openPage, until } from './page.mjs';
import { admin, browser, send, server, setUp } from './server.mjs';

let base;
let long;

setUp('--fixture', 'demo', '--rate-limits', 'off', async () => {
  base = server.credentials.messaging.base_url;
  long = await admin('/environments', { id: 'long', name: `A world ${'w'.repeat(90)}`, ephemeral: true, clock: '2026-03-02T09:00:00Z', document: { messaging: { users: { ann: { email: 'ann@long.example', name: 'Ann Ash' } } } } });
});

/** How the pages order names. */
const inOrder = (names) => names.toSorted(new Intl.Collator('en-GB', { numeric: true, sensitivity: 'base' }).compare);

const call = (method, body) => send('POST', `${base}/api/${method}`, body, server.credentials.messaging.user_token);

/** Opens a page with the admin key, as somebody, in the general channel of the demo world unless another path is given. */
async function open(as, options = {}, path = 'e/default/messaging') {
  const p = await openPage(browser, server, { reducedMotion: 'reduce', ...options });
  await p.page.goto(`${server.ui}${path}#key=${server.credentials.admin.key}${as ? `&as=${as}` : ''}`);
  await p.page.getByRole('heading', { level: 1 }).waitFor();
  return p;
}

test('a draft is not lost to the button of commands, and completes nothing while it is only shown', async () => {
  const p = await open('lena.park');
  const { page } = p;
  const box = page.getByRole('textbox', { name: 'Message #general' });
  await box.fill('three o’clock');
  await page.getByRole('button', { name: 'Commands' }).click();
  assert.equal(await box.inputValue(), '/three o’clock');
  await box.fill('Ask @p');
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
  await page.reload();
  await page.getByRole('article').first().waitFor();
  await live(page);
  assert.equal(await box.inputValue(), 'Ask @p');
  await new Promise((resolve) => setTimeout(resolve, 500)); // completions are read after a pause
  assert.equal(await page.getByRole('listbox', { name: 'Suggestions' }).count(), 0);
  await box.click();
  await page.keyboard.press('End');
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option').first().waitFor();
  await box.fill('');
  await p.close();
});

test('a channel is archived only when that is confirmed, and a private one is left so', async () => {
  const p = await open(server.credentials.messaging.admin_email);
  const { page } = p;
  for (const [name, is_private] of [['to-archive', false], ['to-leave', true]]) {
    const { channel } = await call('conversations.create', { name, is_private });
    await call('conversations.invite', { channel: channel.id, users: server.credentials.messaging.bot_user_id }); // the last member could not leave
  }
  await page.getByRole('link', { name: 'to-archive', exact: true }).click();
  await page.getByRole('button', { name: 'Channel details' }).click();
  await page.getByRole('button', { name: 'Archive channel' }).click();
  const ask = page.getByRole('alertdialog', { name: 'Archive #to-archive?' });
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('textbox', { name: 'Message #to-archive' }).waitFor();
  await page.getByRole('button', { name: 'Archive channel' }).click();
  await ask.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This channel is archived').waitFor();
  await page.getByRole('link', { name: 'to-leave', exact: true }).click();
  await page.getByRole('button', { name: 'Channel details' }).click();
  await page.getByRole('button', { name: 'Leave channel' }).click();
  await page.getByRole('alertdialog', { name: 'Leave #to-leave?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByRole('link', { name: 'to-leave', exact: true }).waitFor({ state: 'detached' });
  await p.close();
});

test('a channel that a message names is called by its name, also for who is not in it', async () => {
  const p = await open(server.credentials.messaging.admin_email);
  const { page } = p;
  const { channel } = await call('conversations.create', { name: 'elsewhere' });
  await call('conversations.leave', { channel: channel.id });
  await call('chat.postMessage', { channel: 'general', text: `See <#${channel.id}> for more.` });
  await page.getByRole('article', { name: /See #elsewhere for more\./ }).getByRole('link', { name: '#elsewhere' }).waitFor();
  await p.close();
});

test('channels and people are in the order of their names', async () => {
  for (const name of ['release-10', 'release-2', 'release-1']) {
    await call('conversations.create', { name });
  }
  const p = await open(server.credentials.messaging.admin_email);
  const { page } = p;
  const area = `${server.ui}e/default/messaging/${server.credentials.messaging.workspace_id}`;
  const firsts = (list) => page.getByRole('list', { name: list }).locator('a[href], button.author').allTextContents();
  await page.goto(`${area}/-/channels`);
  await page.getByRole('button', { name: 'Leave release-2' }).waitFor();
  const channels = await firsts('Channels');
  assert.deepEqual(channels.filter((n) => n.startsWith('#release')), ['#release-1', '#release-2', '#release-10']);
  assert.deepEqual(channels, inOrder(channels));
  await page.goto(`${area}/-/people`);
  await page.getByRole('button', { name: 'Yuki Mori' }).waitFor();
  const people = await firsts('People');
  assert.deepEqual(people, inOrder(people));
  await p.close();
});

test('who is in no workspace yet is told so, and waits for nothing', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(`${server.ui}sign-in`);
  await page.getByLabel('Email').fill('nora@new.example');
  await page.getByLabel('Password', { exact: true }).fill('not this one');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const wrong = page.getByRole('alert').getByText('The e-mail address or the password is wrong.');
  await wrong.waitFor();
  const color = (of) => of.evaluate((e) => getComputedStyle(e).color);
  assert.notEqual(await color(wrong), await color(page.locator('body')));
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Nora New');
  await page.getByLabel('Email').fill('nora@new.example');
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('You are in no workspace yet.').waitFor();
  await page.getByRole('button', { name: 'Join Understudy' }).waitFor();
  assert.equal(await page.locator('.mantine-Skeleton-root').count(), 0);
  assert.equal(await page.getByRole('status', { name: 'Connection' }).textContent(), '');
  p.expect(/status of (401|403|404)/);
  await p.close();
});

test('who has no account is told so by the settings of the workspace', async () => {
  const p = await open('ann@long.example', {}, 'e/long/messaging');
  const { page } = p;
  await page.goto(`${server.ui}e/long/messaging/${long.messaging.workspace_id}/-/settings`);
  await page.getByRole('alert').getByText('Ann Ash has no account that signs in').waitFor();
  assert.equal(await page.locator('.mantine-Skeleton-root').count(), 0);
  p.expect(/status of 401/);
  await p.close();
});

test('what the CRM refuses stands at the property, in words', async () => {
  const p = await open('', {}, 'e/default/crm/contacts');
  const { page } = p;
  await page.getByRole('button', { name: 'Create record' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create record' });
  const email = dialog.getByLabel('Email');
  await until('the focus', () => email.evaluate((e) => e === document.activeElement));
  await email.fill('not an address');
  await dialog.getByRole('button', { name: 'Create record' }).click();
  await dialog.getByText('Email address not an address is invalid', { exact: true }).waitFor();
  assert.equal(await email.getAttribute('aria-invalid'), 'true');
  assert.doesNotMatch(await dialog.textContent(), /isValid/);
  p.expect(/status of 400/);
  await p.close();
});

test('however long a name is, a dialog can be closed and the page does not scroll sideways', async () => {
  const p = await open('', { viewport: { width: 390, height: 800 } }, 'worlds');
  const { page } = p;
  await page.getByRole('row', { name: /^A world/ }).focus();
  await page.keyboard.press('f');
  const dialog = page.getByRole('dialog', { name: /^Fork A world/ });
  const { x, width } = await dialog.getByRole('button', { name: 'Close' }).boundingBox();
  assert.ok(x + width <= 390, `the button ends at ${x + width}`);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.goto(`${server.ui}worlds/long`);
  const heading = page.getByRole('heading', { level: 1, name: /^A world/ });
  await heading.waitFor();
  assert.ok(await heading.evaluate((e) => e.scrollWidth <= e.clientWidth), 'the heading is cut off');
  await p.close();
});

test('what a table cuts off is there as a tooltip, and times name their zone', async () => {
  const p = await open('', { viewport: { width: 1280, height: 800 }, timezoneId: 'America/New_York', locale: 'en-GB' }, 'e/default/traces/users?period=all');
  const { page } = p;
  const cell = page.getByRole('cell').filter({ hasText: 'lena.park@understudy.example' });
  await cell.hover();
  await until('the tooltip', async () => (await cell.getAttribute('title')) === 'lena.park@understudy.example');
  const time = page.getByRole('table', { name: 'Users' }).locator('time').first();
  assert.match(await time.getAttribute('title'), /GMT[-−][45]$|EST$|EDT$/);
  await page.goto(`${server.ui}worlds/long`);
  await page.getByRole('main').getByText('frozen at 2026-03-02 04:00').waitFor();
  await page.getByRole('button', { name: 'Clock: frozen at 2026-03-02 04:00' }).click();
  await page.getByRole('dialog', { name: 'Clock' }).getByText(/stands still at Monday[, ]+2 March 2026 at 04:00:00 (GMT[-−]5|EST)/).waitFor();
  await p.close();
});

test('where there is nothing the frame stays, with the ways to other areas', async () => {
  const p = await open('', {}, 'worlds');
  const { page } = p;
  for (const [path, name] of [['worlds/default/nowhere', 'There is no such page'], ['e/nosuchworld/messaging', 'This environment is gone']]) {
    await page.goto(`${server.ui}${path}`);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Worlds' }).waitFor();
  }
  p.expect(/status of 404/);
  await p.close();
});

test('on a phone Esc closes the list of conversations, messages of the page leave the areas free, and an opened change is in view', async () => {
  const p = await open('lena.park', { viewport: { width: 390, height: 800 } });
  const { page } = p;
  await page.getByRole('button', { name: 'Open the list of conversations' }).click();
  await page.getByRole('link', { name: 'random', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'random', exact: true }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: /^Acting as/ }).click();
  await page.getByRole('menuitem', { name: 'Set yourself as away' }).click();
  const said = await page.getByRole('status').getByText('You are away.').boundingBox();
  const areas = await page.getByRole('navigation', { name: 'Areas' }).boundingBox();
  assert.ok(said.y + said.height < areas.y, `${said.y} + ${said.height} covers ${areas.y}`);
  await page.goto(`${server.ui}worlds/default/diff`);
  const tree = page.getByRole('treegrid', { name: 'Changes' });
  await tree.getByRole('row', { name: /^(user|message)/ }).first().focus();
  await page.keyboard.press('ArrowRight');
  await tree.locator('[aria-level="3"]').first().focus();
  await page.keyboard.press('Enter');
  const pane = page.getByRole('region', { name: 'Change', exact: true });
  await pane.waitFor();
  await until('the change in view', async () => (await pane.boundingBox()).y < 700);
  await p.close();
});
