// What happens to open pages when who they are ends: the admin key is changed, a session runs out, its tokens are renewed
// by three tabs at once, the person or the workspace is gone, sign-ins are refused. Nothing that was written is lost, the
// page says what is the matter, and asks nobody again and again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, message, openPage, until } from './page.mjs';
import { send as ask, browser, server, setUp } from './server.mjs';

let key;
const password = 'correct horse battery';

setUp('--rate-limits', 'off', () => {
  key = server.credentials.admin.key;
});

const send = (method, path, body, token = key) => ask(method, server.origin + path, body, token);

/** Makes a world, and a person in it who has an account: {env, email, base}. */
async function worldWith(name) {
  const { id: env, messaging } = await send('POST', '/admin/v1/environments', {});
  const base = `/e/${env}/messaging`;
  const email = `${name.toLowerCase()}@example.com`;
  const account = await send('POST', `${base}/api/auth/signup`, { email, password, name });
  await send('POST', `${base}/api/workspaces/${messaging.workspace_id}/join`, {}, account.access_token);
  return { env, email, base, messaging };
}

async function signInTo(page, { env, email }, keep = true) {
  await page.goto(`${server.ui}sign-in?env=${env}`);
  await fillIn(page, email);
  await page.getByRole('checkbox', { name: 'Keep me signed in' }).setChecked(keep);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await open(page);
}
async function fillIn(page, email) {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
}
async function open(page) {
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);
}
const box = (page) => page.getByRole('textbox', { name: 'Message #general' });
const advance = (env, by) => send('POST', `/admin/v1/environments/${env}/clock`, { advance: by });

/** Asserts that a page comes to rest: what it still needs to show itself comes first, but nothing is asked again and again. */
async function isQuiet(page) {
  let asked = [];
  const note = (r) => asked.push(`${r.method()} ${new URL(r.url()).pathname}`);
  page.on('request', note);
  for (let tries = 0; tries < 8; tries++) {
    asked = [];
    await page.waitForTimeout(2500);
    if (asked.length <= 3) {
      break;
    }
  }
  page.off('request', note);
  assert.ok(asked.length <= 3, `asked ${asked.length} times: ${asked.slice(0, 6).join(', ')}`);
}
const refused = /status of (401|403|404|429)|WebSocket/;

test('a session that runs out: the page asks who it is, and goes on where it was with all that was written', async () => {
  const world = await worldWith('Ann');
  const p = await openPage(browser, server);
  const { page } = p;
  await signInTo(page, world);
  await box(page).fill('first of all');
  await box(page).press('Enter');
  await message(page, 'first of all').first().waitFor();
  // An edit is begun, and a message is half written, when the session ends: it is sent, in vain.
  await message(page, 'first of all').first().hover();
  await message(page, 'first of all').getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Edit message' }).fill('first of all, better');
  await box(page).fill('said too late');
  // The page hears of it by its live connection, too: it is held until the message is on its way.
  let go;
  const sent = new Promise((resolve) => (go = resolve));
  await page.route('**/api/auth/refresh', async (route) => {
    await sent;
    await route.continue();
  });
  await advance(world.env, '960h');
  await box(page).press('Enter');
  await box(page).fill('half a thought');
  go();
  await page.getByText('Your session has ended').waitFor();
  await isQuiet(page);
  await fillIn(page, world.email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await open(page);
  assert.equal(await box(page).inputValue(), 'half a thought');
  const late = message(page, 'said too late').first();
  await late.getByText('Not sent').waitFor();
  await late.getByRole('button', { name: 'Retry' }).click();
  await late.getByText('Not sent').waitFor({ state: 'detached' });
  await message(page, 'first of all').first().hover();
  await message(page, 'first of all').first().getByRole('button', { name: 'Edit' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Edit message' }).inputValue(), 'first of all, better');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await message(page, 'first of all, better').first().waitFor();
  assert.equal(await message(page, 'said too late').count(), 1);
  p.expect(refused);
  await p.close();
});

for (const keep of [true, false]) {
  test(`three tabs renew one session at once, ${keep ? 'kept' : 'not kept'} by the browser`, async () => {
    const world = await worldWith(keep ? 'Kim' : 'Kai');
    const p = await openPage(browser, server);
    const { page, context } = p;
    await signInTo(page, world, keep);
    const tabs = [page];
    while (tabs.length < 3) {
      // A tab that is opened from another begins with a copy of what that one stores.
      const [tab] = await Promise.all([context.waitForEvent('page'), page.evaluate(() => void window.open(location.href))]);
      tabs.push(tab);
      await open(tab);
    }
    const renewals = [];
    context.on('response', (r) => r.url().endsWith('/auth/refresh') && renewals.push(r.status()));
    const pages = (name) => async () => {
      await Promise.all(tabs.map((tab) => tab.getByRole('link', { name }).click()));
      await Promise.all(tabs.map((tab) => tab.getByRole('heading', { name }).waitFor()));
    };
    // When somebody signs out, the server looks at every live connection: all tabs hear at once that their session has ended.
    const signOut = async () => {
      const guest = await send('POST', `${world.base}/api/auth/signup`, { email: `guest${renewals.length}@example.com`, password, name: 'Guest' });
      await send('POST', `${world.base}/api/auth/logout`, { refresh_token: guest.refresh_token }, guest.access_token);
    };
    for (const act of [pages('People'), pages('Threads'), signOut, signOut]) {
      const before = renewals.length;
      await advance(world.env, '2h');
      await act();
      await until('a renewal', () => renewals.length > before); // or the next step of the clock ends what this one did not
      await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Signed in as', exact: false }).waitFor()));
      await Promise.all(tabs.map(live));
    }
    assert.ok(renewals.length >= 4 && renewals.every((status) => status === 200), renewals.join(' '));
    for (const tab of tabs) {
      await tab.reload();
      await tab.getByRole('button', { name: keep ? 'Signed in as Kim' : 'Signed in as Kai' }).waitFor();
    }
    p.expect(refused);
    await p.close();
  });
}

test('sign-ins that are refused for a time say for how long, and nothing is tried by itself', async () => {
  const world = await worldWith('Lou');
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(`${server.ui}sign-in?env=${world.env}`);
  // At once: the failures of a minute count.
  await Promise.all(Array.from({ length: 10 }, () => assert.rejects(send('POST', `${world.base}/api/auth/login`, { email: world.email, password: 'wrong wrong' }))));
  await fillIn(page, world.email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText(/Too many tries\. Try again in \d+ s/).waitFor();
  assert.equal(await page.getByLabel('Email').inputValue(), world.email);
  assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), password);
  await isQuiet(page);
  p.expect(refused);
  await p.close();
});

test('a person who is gone is asked who they are, and who acted as one is told', async () => {
  const world = await worldWith('Mia');
  const [a, b] = [await openPage(browser, server), await openPage(browser, server)];
  await signInTo(a.page, world);
  await b.page.goto(`${server.ui}e/${world.env}/messaging#key=${key}&as=${world.email}`);
  await b.page.getByRole('status', { name: 'Acting as Mia' }).waitFor();
  await open(b.page);
  await box(a.page).fill('half a thought');
  await send('POST', `/admin/v1/environments/${world.env}/reset`);
  await a.page.getByText('Your session has ended').waitFor();
  await isQuiet(a.page);
  await b.page.getByText('Mia is not in this environment any more.').waitFor();
  await b.page.getByRole('status', { name: 'Acting as Admin' }).waitFor();
  await open(b.page);
  await isQuiet(b.page);
  a.expect(refused);
  b.expect(refused);
  await a.close();
  await b.close();
});

test('a workspace that is deleted leaves its people without one, and says so', async () => {
  const world = await worldWith('Noa');
  const p = await openPage(browser, server);
  const { page } = p;
  await signInTo(page, world);
  await send('DELETE', `${world.base}/api/workspaces/${world.messaging.workspace_id}`, undefined, world.messaging.user_token);
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await isQuiet(page);
  p.expect(refused);
  await p.close();
});

test('the admin key is changed: the pages ask for the new one and go on', async () => {
  const world = await worldWith('Pat');
  const [a, b] = [await openPage(browser, server), await openPage(browser, server)];
  await a.page.goto(`${server.ui}e/${world.env}/messaging#key=${key}&as=${world.email}`);
  await a.page.getByRole('status', { name: 'Acting as Pat' }).waitFor();
  await open(a.page);
  await b.page.goto(`${server.ui}worlds/${world.env}/seed#key=${key}`);
  const document = b.page.getByRole('textbox', { name: 'Seed document' });
  await document.fill('messaging: {channels: {launch: {purpose: Out}}}');
  // Twice: the key before the newest one is good for a minute more.
  for (let n = 0; n < 2; n++) {
    key = (await send('POST', '/admin/v1/key/rotate')).key;
  }
  await advance(world.env, '2h'); // the acting session ends
  await box(a.page).fill('said too late');
  await box(a.page).press('Enter');
  await a.page.getByText('The admin key was changed.').waitFor();
  await isQuiet(a.page);
  await a.page.getByLabel('Admin key').fill(key);
  await a.page.getByRole('button', { name: 'Open the console' }).click();
  await a.page.getByRole('status', { name: 'Acting as Pat' }).waitFor();
  await message(a.page, 'said too late').first().getByRole('button', { name: 'Retry' }).click();
  await message(a.page, 'said too late').first().getByText('Not sent').waitFor({ state: 'detached' });

  await b.page.getByRole('button', { name: 'Check' }).click();
  const dialog = b.page.getByRole('dialog', { name: 'The admin key was changed' });
  await dialog.getByLabel('Admin key').fill('adm_wrong');
  await dialog.getByRole('button', { name: 'Open the console' }).click();
  await dialog.getByRole('alert').getByText('This is not the admin key.').waitFor();
  await dialog.getByLabel('Admin key').fill(key);
  await dialog.getByRole('button', { name: 'Open the console' }).click();
  await dialog.waitFor({ state: 'detached' });
  await b.page.getByRole('button', { name: 'Check' }).click();
  await b.page.getByText('The document is sound: nothing was changed.').waitFor();
  assert.match(await document.innerText(), /launch/);
  a.expect(refused);
  b.expect(refused);
  await a.close();
  await b.close();
});
