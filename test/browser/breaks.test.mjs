// What happens to open pages when the server dies and comes back, answers slowly or not at all, when the clocks differ
// and when there are thousands of channels and people.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, message, openPage, patience, signInAsAdmin } from './page.mjs';
import { browser, send, server, setUp } from './server.mjs';

let base;
let token;
const password = 'correct horse battery';

setUp('--fixture', 'demo', '--rate-limits', 'off', () => {
  base = server.credentials.messaging.base_url;
  token = server.credentials.messaging.user_token;
});

const call = (name, body, key = token) => send('POST', `${base}/api/${name}`, body, key);
const admin = (method, path, body) => send(method, `${server.origin}/admin/v1${path}`, body, server.credentials.admin.key);
/** Returns the texts of a conversation as the service has them, oldest first. */
const texts = async (channel) => (await call('conversations.history', { channel, limit: 100 })).messages.map((m) => m.text).reverse();
const made = async (name) => (await call('conversations.create', { name })).channel.id;

async function open(page, name) {
  await page.getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { name: `#${name}` }).waitFor();
  await live(page);
  return page.getByRole('textbox', { name: `Message #${name}` });
}
const say = async (box, text) => {
  await box.fill(text);
  await box.press('Enter');
};
/** Waits until the page shows nothing that is on its way or was not sent. */
const settled = (page) => page.waitForFunction(() => document.querySelectorAll('article').length > 0 && !document.querySelector('article.sending, article.failed'), undefined, { timeout: patience });
/** Asserts that a page shows each text once. */
async function once(page, wanted) {
  for (const text of wanted) {
    await message(page, text).first().waitFor();
    assert.equal(await message(page, text).count(), 1, text);
  }
}
const broken = /ERR_|WebSocket|status of (401|5\d\d)/;

test('the server is killed and comes back: nothing is missing, nothing is there twice, what was written is kept', async () => {
  const channel = await made('restarts');
  const [a, b] = [await openPage(browser, server), await openPage(browser, server)];
  await signInAsAdmin(a.page, server);
  await b.page.goto(`${server.ui}e/default/messaging#key=${server.credentials.admin.key}&as=lena.park`);
  await b.page.getByRole('heading', { level: 1 }).waitFor();
  const box = await open(a.page, 'restarts');
  await say(box, 'before the end');
  await settled(a.page);
  await server.kill();
  await a.page.getByRole('status', { name: 'Connection' }).getByText(/Reconnecting|Offline/).waitFor();
  // What is said while it is gone waits; what is being written stays; what was read can be read, menus open.
  await say(box, 'into the void');
  await message(a.page, 'into the void').getByText(/Not sent/).waitFor();
  await box.fill('half a thought');
  await message(a.page, 'before the end').waitFor();
  await server.again();
  for (let n = 1; n <= 3; n++) {
    await call('chat.postMessage', { channel, text: `meanwhile ${n}` });
  }
  const wanted = ['before the end', 'into the void', 'meanwhile 1', 'meanwhile 2', 'meanwhile 3'];
  await once(a.page, wanted);
  await settled(a.page);
  assert.equal(await box.inputValue(), 'half a thought');
  await live(a.page);
  await live(b.page);
  await box.press('Enter');
  await settled(a.page);
  const said = (await texts(channel)).filter((t) => !/joined/.test(t));
  assert.deepEqual([...said].sort(), [...wanted, 'half a thought'].sort());
  // Who acts as somebody goes on too.
  await b.page.getByRole('status', { name: 'Acting as Lena Park' }).waitFor();
  const general = await open(b.page, 'general');
  await say(general, 'still here');
  await message(b.page, 'still here').first().waitFor();
  await settled(b.page);
  a.expect(broken);
  b.allow(broken); // it asked for nothing, and may have found the server back at once
  await a.close();
  await b.close();
});

test('a screen that was never opened is asked for while the server is away: the page says so, and shows it as soon as the server is back', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(`${server.ui}worlds/default#key=${server.credentials.admin.key}`);
  await page.getByRole('heading', { level: 1, name: 'default' }).waitFor();
  await server.kill();
  await page.getByRole('link', { name: 'Snapshots' }).first().click();
  await page.getByRole('alert').getByText('The server does not answer').waitFor();
  assert.match(page.url(), /worlds\/default\/snapshots$/);
  await server.again();
  await page.getByRole('table', { name: 'Snapshots' }).waitFor();
  p.expect(broken);
  p.expect(/could not be loaded/);
  await p.close();
});

test('slow and lost answers: everything is posted once, in its order, and says how it stands', async () => {
  const channel = await made('slow');
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  const box = await open(page, 'slow');
  // Every answer takes its time; the first post's answer is lost, the second never arrives, the third is cut.
  const match = { operation: 'messaging.chat.postMessage' };
  const rules = [
    { id: 'slow', on: 'request', match, when: { after: 3 }, do: { delay: { ms: 400 } } },
    { id: 'lost', on: 'request', match, when: { nth: [1] }, do: { drop: 'after' } },
    { id: 'never', on: 'request', match, when: { nth: [2] }, do: { drop: 'before' } },
    { id: 'cut', on: 'request', match, when: { nth: [3] }, do: { cut: 10 } },
  ];
  await admin('POST', '/environments/default/faults', { faults: rules });
  let post;
  const written = new Promise((resolve) => (post = resolve));
  await page.route('**/api/chat.postMessage', async (route) => {
    await written;
    await route.continue();
  });
  const wanted = ['one is lost', 'two is dropped', 'three is cut', 'four is slow', 'five is slow'];
  for (const text of wanted) {
    await say(box, text);
  }
  // What waits for its turn is shown as on its way.
  await page.locator('article.sending').filter({ hasText: 'five is slow' }).waitFor();
  post();
  await once(page, wanted);
  await settled(page);
  await once(page, wanted);
  const said = (await texts(channel)).filter((t) => !/joined/.test(t));
  assert.deepEqual([...said].sort(), [...wanted].sort());
  assert.ok(said.indexOf('four is slow') < said.indexOf('five is slow'), said.join(', '));
  await admin('DELETE', '/environments/default/faults');

  // Reading is slow: a skeleton stands where the messages will be. What only looks meets no rule, so the page waits itself.
  let read;
  const seen = new Promise((resolve) => (read = resolve));
  await page.route('**/api/client/messages?*', async (route) => {
    await seen;
    await route.continue();
  });
  await page.getByRole('link', { name: 'restarts', exact: true }).click();
  await page.locator('.mantine-Skeleton-root').first().waitFor();
  read();
  await page.getByRole('heading', { name: '#restarts' }).waitFor();
  await page.getByRole('article').first().waitFor();
  p.expect(broken);
  await p.close();
});

test('the clocks of browser and world differ, and the world goes by its own', async () => {
  await made('clocks');
  const p = await openPage(browser, server);
  const { page } = p;
  await page.clock.install({ time: new Date(Date.now() + 9 * 24 * 3600_000) });
  await page.clock.resume();
  await signInAsAdmin(page, server);
  const box = await open(page, 'clocks');
  await say(box, 'what time is it');
  await message(page, 'what time is it').first().waitFor();
  await settled(page);
  await call('chat.postMessage', { channel: (await call('conversations.list', { limit: 200 })).channels.find((c) => c.name === 'clocks').id, text: 'half past' });
  await once(page, ['what time is it', 'half past']);
  // In the order of the world, on one day, and that day is the world's.
  const shown = await page.getByRole('article').evaluateAll((list) => list.map((e) => e.textContent).filter((t) => /what time|half past/.test(t)));
  assert.equal(shown.length, 2);
  assert.match(shown[0], /what time/);
  const today = new Intl.DateTimeFormat('en-US', { weekday: 'long' }).format(new Date());
  const days = await page.getByRole('separator').allTextContents();
  assert.ok(days.some((d) => d.includes(today)), `${days} without ${today}`);
  // Its session is not judged by the browser's clock either.
  await page.reload();
  await message(page, 'half past').first().waitFor();
  await p.close();
});

test('thousands of channels and people are listed, found and opened', async () => {
  const numbers = Array.from({ length: 3_000 }, (_, n) => n);
  const people = Object.fromEntries(numbers.map((n) => [`member${n}`, { name: `Member ${n} Okonkwo`, email: `member${n}@many.example` }]));
  const channels = Object.fromEntries(numbers.map((n) => [`team-${n}`, { members: ['admin'] }]));
  channels['team-2999'].purpose = 'The last one';
  channels['a'.repeat(80)] = { members: ['admin'] };
  await admin('POST', '/environments', { id: 'crowd' });
  await admin('POST', '/environments/crowd/seed', { messaging: { users: people, channels } });
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${server.ui}e/crowd/messaging#key=${server.credentials.admin.key}`);
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'team-0', exact: true }).waitFor();
  assert.ok((await page.locator('nav[aria-label=Channels] a').count()) < 200, 'only what is in view is drawn');
  const began = Date.now();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('team-2999');
  await page.getByRole('option', { name: /team-2999/ }).first().click();
  await page.getByRole('heading', { name: '#team-2999' }).waitFor();
  assert.ok(Date.now() - began < 10_000);
  // Someone who was never seen on a screen is found by name, and by the completion of a mention.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to' }).fill('Member 2871');
  await page.getByRole('option', { name: /Member 2871 Okonkwo/ }).click();
  await page.getByRole('complementary', { name: 'Profile' }).getByRole('heading', { name: 'Member 2871 Okonkwo' }).waitFor();
  const box = page.getByRole('textbox', { name: 'Message #team-2999' });
  await box.pressSequentially('@member2871');
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: /Member 2871/ }).click();
  await box.press('Enter');
  await message(page, 'Member 2871').first().waitFor();
  await page.goto(`${server.ui}e/crowd/messaging/${page.url().split('/')[6]}/-/people`);
  await page.getByRole('searchbox', { name: 'Find people' }).fill('Member 1777');
  await page.getByText('Member 1777 Okonkwo').waitFor();
  await p.close();
});

test('two people in a channel while their world is reset, forked and deleted', async () => {
  const { id: env, messaging } = await admin('POST', '/environments', {});
  const url = `${server.origin}/e/${env}/messaging`;
  const post = (text) => send('POST', `${url}/api/chat.postMessage`, { channel: 'general', text }, messaging.bot_token);
  const account = await send('POST', `${url}/api/auth/signup`, { email: 'two@example.com', password, name: 'Two' }, 'none');
  await send('POST', `${url}/api/workspaces/${messaging.workspace_id}/join`, {}, account.access_token);
  const pages = [await openPage(browser, server), await openPage(browser, server)];
  for (const [{ page }, who] of [[pages[0], 'admin'], [pages[1], 'two@example.com']]) {
    await page.goto(`${server.ui}e/${env}/messaging#key=${server.credentials.admin.key}&as=${who}`);
    await page.getByRole('heading', { name: '#general' }).waitFor();
    await live(page);
  }
  const [a, b] = pages.map((p) => p.page);
  const box = a.getByRole('textbox', { name: 'Message #general' });
  await say(box, 'before the fork');
  await once(b, ['before the fork']);
  // A fork is another world: what is said here is not said there.
  const fork = await admin('POST', `/environments/${env}/fork`, {});
  await say(box, 'after the fork');
  await once(b, ['after the fork']);
  const there = await send('POST', `${server.origin}/e/${fork.id}/messaging/api/conversations.history`, { channel: a.url().split('/').pop().split('?')[0] }, fork.messaging.user_token);
  assert.ok(there.messages.some((m) => m.text === 'before the fork') && !there.messages.some((m) => m.text === 'after the fork'));
  // A reset takes away what was said; what is being written stays, and goes on.
  await box.fill('half a thought');
  await admin('POST', `/environments/${env}/reset`);
  await message(a, 'after the fork').first().waitFor({ state: 'detached' });
  await live(a);
  assert.equal(await box.inputValue(), 'half a thought');
  await box.press('Enter');
  await settled(a);
  await post('after the reset');
  await once(a, ['half a thought', 'after the reset']);
  await admin('DELETE', `/environments/${env}`);
  for (const page of [a, b]) {
    await page.getByRole('heading', { name: 'This environment is gone' }).waitFor();
  }
  for (const p of pages) {
    p.allow(/ERR_|WebSocket|status of (401|404|409|5\d\d)/); // which of its calls meet the reset and the end
    await p.close();
  }
});
