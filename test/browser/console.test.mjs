// The admin key: by link and by field, acting as people, looking without a trace.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { live, message, openPage, signInAsAdmin, until } from './page.mjs';
import { admin, browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo');

test('a link of `understudy ui` signs in, and leaves no key in the address', async () => {
  const link = execFileSync(server.binary, ['ui', '--data', server.data, '--as', 'lena.park'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  assert.match(link, /#.*key=adm_/);
  const before = JSON.stringify(await admin('/environments/default/diff'));
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(link);
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await page.getByRole('article').first().waitFor();
  assert.ok(!page.url().includes('adm_'));
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes('adm_'), 'the key is not kept beyond the tab');
  await page.getByRole('status', { name: 'Acting as Lena Park' }).waitFor();
  await page.getByRole('button', { name: 'Acting as Lena Park' }).waitFor();

  // Looking around changes nothing and is not recorded.
  for (const name of ['Unreads', 'Threads', 'People', 'Apps and integrations']) {
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  await page.getByRole('link', { name: 'support', exact: true }).click();
  await page.getByRole('heading', { name: '#support' }).waitFor();
  await page.getByRole('article').first().waitFor();
  assert.equal(JSON.stringify(await admin('/environments/default/diff')), before);
  assert.deepEqual((await admin('/environments/default/requests?client=web')).requests, []);

  // What is done is done by her, and recorded.
  const box = page.getByRole('textbox', { name: 'Message #support' });
  await box.fill('Looking into it');
  await box.press('Enter');
  await message(page, 'Lena Park at .*Looking into it').first().waitFor();
  // The message is shown at once, before the server has answered.
  const recorded = await until('it is recorded', async () => (await admin('/environments/default/requests?client=web')).requests[0]);
  assert.equal(recorded.path, '/api/chat.postMessage');

  // A reload acts as her still; another tab gets the key from this one.
  await page.reload();
  await page.getByRole('status', { name: 'Acting as Lena Park' }).waitFor();
  const second = await p.context.newPage();
  await second.goto(`${server.ui}worlds`);
  await second.getByRole('table', { name: 'Environments' }).getByRole('link', { name: 'default' }).waitFor();
  await second.close();

  // Another person.
  await page.getByRole('button', { name: 'Acting as Lena Park' }).click();
  await page.getByRole('menuitem', { name: 'Act as…' }).click();
  // Enter right behind the last letter means what is found by it, not what was found before.
  let find;
  const entered = new Promise((resolve) => (find = resolve));
  await page.getByRole('dialog', { name: 'Act as' }).getByRole('option').first().waitFor();
  await page.route((url) => url.pathname.endsWith('/people') && url.search.includes('jon'), async (route) => {
    await entered;
    await route.continue();
  });
  await page.getByRole('combobox', { name: 'Find a person' }).fill('jon');
  await page.keyboard.press('Enter');
  find();
  await page.getByRole('status', { name: 'Acting as Jon Abel' }).waitFor();
  await p.close();
});

test('the admin key is given in a field; a wrong one is told', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(server.ui);
  await page.getByRole('tablist', { name: 'How to sign in' }).getByRole('tab', { name: 'Admin key' }).click();
  await page.getByLabel('Admin key', { exact: true }).fill('adm_wrong');
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByRole('alert').getByText('This is not the admin key').waitFor();
  p.expect(/401/);
  await page.getByLabel('Admin key', { exact: true }).fill(server.credentials.admin.key);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByRole('heading', { name: 'Environments' }).waitFor();

  // Messaging opens as the admin; the switch finds environments by name.
  const made = await admin('/environments', { name: 'Winter exam', clock: '2026-03-02T09:00:00Z' });
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Messaging' }).click();
  await page.getByRole('status', { name: 'Acting as Admin' }).waitFor();
  await page.getByRole('button', { name: 'Environment: default' }).click();
  await page.getByRole('dialog', { name: 'Environments' }).getByRole('combobox', { name: 'Find environment' }).fill('winter');
  await page.getByRole('option', { name: /Winter exam/ }).click();
  await page.getByRole('button', { name: `Environment: ${made.id}` }).waitFor();
  await page.getByRole('button', { name: /Clock: frozen at 2026-03-02/ }).click();
  const clock = page.getByRole('dialog', { name: 'Clock' });
  await clock.getByRole('button', { name: '+1 h' }).click();
  await clock.waitFor({ state: 'detached' });
  await until('an hour has passed', async () => /T10:00:00/.test((await admin(`/environments/${made.id}`)).clock.now));
  // The hour has ended the session too: a new one is begun without a word.
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'API docs' }).click();
  await page.getByRole('link', { name: 'Admin plane' }).waitFor();
  await page.getByRole('button', { name: 'Acting as Admin' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('adm_'));
  p.expect(/401/); // of the session that the clock has ended
  await p.close();
});

test('status, profile, presence, workspace settings, an invitation', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  const menu = async (name) => {
    await page.getByRole('button', { name: 'Signed in as Admin' }).click();
    await page.getByRole('menuitem', { name }).click();
  };
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await menu('Set a status');
  const status = page.getByRole('dialog', { name: 'Set a status' });
  await status.getByRole('textbox', { name: 'Status', exact: true }).fill('On holiday');
  await status.getByLabel('Status emoji').fill('palm_tree');
  await status.getByLabel('Clear after').selectOption({ label: '1 day' });
  await status.getByRole('button', { name: 'Save status' }).click();
  await status.waitFor({ state: 'detached' });
  await menu('Profile');
  const profile = page.getByRole('complementary', { name: 'Profile' });
  await profile.getByText('On holiday').waitFor();
  assert.match(page.url(), /pane=profile/);
  await profile.getByRole('button', { name: 'Edit profile' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit profile' });
  await edit.getByLabel('Title').fill('Keeper of keys');
  await edit.getByRole('button', { name: 'Save profile' }).click();
  await profile.getByText('Keeper of keys').waitFor();
  await menu('Set yourself as away');
  await profile.getByText('away', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Workspace: Understudy' }).click();
  await page.getByRole('menuitem', { name: 'Workspace settings' }).click();
  await page.getByLabel('Workspace name').fill('Northwind');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.getByRole('button', { name: 'Workspace: Northwind' }).waitFor();
  await page.getByLabel('Invite by e-mail address').fill('new@example.com');
  await page.getByRole('button', { name: 'Invite', exact: true }).click();
  await page.getByRole('list', { name: 'Invitations' }).getByText('new@example.com').waitFor();
  await page.getByRole('button', { name: 'Delete invitation of new@example.com' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nobody is invited.').waitFor();
  await p.close();
});

test('a channel renamed elsewhere is renamed here; a day is jumped to', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(`${server.ui}e/default/messaging#key=${server.credentials.admin.key}&as=lena.park`);
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);
  const { channels } = await (
    await fetch(`${server.credentials.messaging.base_url}/api/conversations.list?limit=200`, {
      headers: { Authorization: `Bearer ${server.credentials.messaging.user_token}` },
    })
  ).json();
  const random = channels.find((c) => c.name === 'random');
  const renamed = await fetch(`${server.credentials.messaging.base_url}/api/conversations.rename?channel=${random.id}&name=coffee`, {
    headers: { Authorization: `Bearer ${server.credentials.messaging.user_token}` },
  });
  assert.equal((await renamed.json()).ok, true);
  await page.getByRole('link', { name: 'coffee', exact: true }).waitFor();

  // A channel that one is not in has its name, and is joined.
  const made = await fetch(`${server.credentials.messaging.base_url}/api/conversations.create?name=tea`, {
    headers: { Authorization: `Bearer ${server.credentials.messaging.user_token}` },
  });
  const general = page.url();
  await page.goto(general.replace(/[^/]*$/, (await made.json()).channel.id));
  await page.getByText('You are not in #tea').waitFor();
  await page.getByRole('button', { name: 'Join #tea' }).click();
  await page.getByRole('textbox', { name: 'Message #tea' }).waitFor();
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await page.getByRole('button', { name: 'Jump to date' }).last().click();
  await page.getByRole('dialog', { name: 'Jump to date' }).getByLabel('Date').fill('2000-01-01');
  await page.getByRole('button', { name: 'Jump', exact: true }).click();
  await page.waitForURL(/at=/);
  await page.getByRole('article').first().waitFor();
  await p.close();
});
