import assert from 'node:assert/strict';
import { test } from 'node:test';
import { focusOn, live, message, openPage, sendSignIn, signIn, signInAsAdmin, until } from './page.mjs';
import { browser, send, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', async () => {
  await join('ann@example.com', 'Ann Ford');
  await join('bob@example.com', 'Bob Hill');
});

const password = 'correct horse battery';

/** Makes an account, which joins the workspace, with one channel more than that of all. */
async function join(email, name) {
  const base = server.credentials.messaging.base_url;
  const account = await send('POST', `${base}/api/auth/signup`, { email, password, name }, '');
  const { access_token } = await send('POST', `${base}/api/workspaces/${server.credentials.messaging.workspace_id}/join`, {}, account.access_token);
  const { channels } = await send('POST', `${base}/api/conversations.list`, {}, access_token);
  await send('POST', `${base}/api/conversations.join`, { channel: channels.find((c) => c.name === 'random').id }, access_token);
}
/** Posts as the bot. */
const post = (channel, text) => send('POST', `${server.credentials.messaging.base_url}/api/chat.postMessage`, { channel, text }, server.credentials.messaging.bot_token);

async function say(page, where, text) {
  const box = page.getByRole('textbox', { name: `Message ${where}` });
  await box.fill(text);
  await box.press('Enter');
  await message(page, text).first().waitFor();
}

test('a wrong password is told, and the focus goes back to the address', async () => {
  const p = await openPage(browser, server);
  await p.page.goto(server.ui);
  await p.page.getByLabel('Email').fill('nobody@example.com');
  await p.page.getByLabel('Password', { exact: true }).fill('wrong password');
  await p.page.getByRole('button', { name: 'Sign in' }).click();
  await p.page.getByRole('alert').getByText('The e-mail address or the password is wrong.').waitFor();
  assert.equal(await p.page.getByLabel('Email').inputValue(), 'nobody@example.com');
  await focusOn(p.page.getByLabel('Email'));
  p.expect(/401/);
  await p.close();
});

test('two people talk, react, thread, edit and delete', async () => {
  const [a, b] = [await openPage(browser, server), await openPage(browser, server)];
  await signIn(a.page, server, 'ann@example.com', password);
  await signIn(b.page, server, 'bob@example.com', password);
  await a.page.getByRole('heading', { name: '#general' }).waitFor();
  await b.page.getByRole('heading', { name: '#general' }).waitFor();
  await Promise.all([live(a.page), live(b.page)]);

  await say(a.page, '#general', 'Lunch at noon');
  await message(b.page, 'Lunch at noon').waitFor();

  await message(b.page, 'Lunch at noon').hover();
  await message(b.page, 'Lunch at noon').getByRole('button', { name: 'React', exact: true }).click();
  await b.page.getByRole('searchbox', { name: 'Search emoji' }).fill('tada');
  await b.page.getByRole('grid', { name: 'Emoji' }).getByRole('button', { name: 'tada' }).click();
  const reaction = message(a.page, 'Lunch at noon').getByRole('button', { name: 'tada, 1 person' });
  await reaction.waitFor();
  assert.equal(await reaction.getAttribute('aria-pressed'), 'false');
  await reaction.click();
  await message(b.page, 'Lunch at noon').getByRole('button', { name: 'tada, 2 people' }).waitFor();

  await message(b.page, 'Lunch at noon').hover();
  await message(b.page, 'Lunch at noon').getByRole('button', { name: 'Reply in thread' }).click();
  const thread = b.page.getByRole('complementary', { name: 'Thread' });
  await thread.getByRole('textbox', { name: 'Reply in thread' }).fill('I am in');
  await thread.getByRole('textbox', { name: 'Reply in thread' }).press('Enter');
  await thread.getByRole('article', { name: /I am in/ }).waitFor();
  await message(a.page, 'Lunch at noon').getByRole('button', { name: '1 reply' }).click();
  await a.page.getByRole('feed', { name: 'Thread messages' }).getByRole('article', { name: /I am in/ }).waitFor();
  await a.page.getByRole('button', { name: 'Close thread' }).click();
  await a.page.getByRole('feed', { name: 'Thread messages' }).waitFor({ state: 'detached' });

  await message(a.page, 'Lunch at noon').hover();
  await message(a.page, 'Lunch at noon').getByRole('button', { name: 'Edit' }).click();
  await a.page.getByRole('textbox', { name: 'Edit message' }).fill('Lunch at one');
  await a.page.getByRole('button', { name: 'Save changes' }).click();
  await message(b.page, 'Lunch at one').first().waitFor();
  await message(b.page, 'Lunch at one').first().getByText('(edited)').waitFor();

  await say(a.page, '#general', 'Wrong window');
  await message(b.page, 'Wrong window').waitFor();
  await message(a.page, 'Wrong window').hover();
  await message(a.page, 'Wrong window').getByRole('button', { name: 'Delete' }).click();
  await a.page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await message(b.page, 'Wrong window').waitFor({ state: 'detached' });

  await a.close();
  await b.close();
});

test('what is unread is counted, and read in another tab', async () => {
  const a = await openPage(browser, server);
  await signIn(a.page, server, 'ann@example.com', password);
  await a.page.getByRole('link', { name: 'random', exact: true }).click();
  await a.page.getByRole('heading', { name: '#random' }).waitFor();
  const b = await openPage(browser, server);
  await signIn(b.page, server, 'bob@example.com', password);
  await b.page.getByRole('link', { name: 'general', exact: true }).click();
  await b.page.getByRole('heading', { name: '#general' }).waitFor();
  await live(b.page);
  await say(a.page, '#random', 'Anyone here');
  await b.page.locator('a[aria-label="random"][aria-description*="1 unread"]').waitFor();
  const second = await b.context.newPage();
  await second.goto(`${server.ui}e/default/messaging`);
  await second.getByRole('link', { name: 'random', exact: true }).click();
  await message(second, 'Anyone here').waitFor();
  await b.page.locator('a[aria-label="random"]:not([aria-description])').waitFor();
  await a.close();
  await b.close();
});

test('channels are made, found, joined and left; a direct conversation is opened', async () => {
  const p = await openPage(browser, server);
  await signInAsAdmin(p.page, server);
  await p.page.getByRole('button', { name: 'Create a channel' }).click();
  const dialog = p.page.getByRole('dialog', { name: 'Create a channel' });
  await dialog.getByLabel('Name').fill('Not a Name');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await dialog.getByText(/invalid name/).waitFor();
  await dialog.getByLabel('Name').fill('tea-room');
  await dialog.getByLabel('Purpose (optional)').fill('About tea');
  await dialog.getByRole('button', { name: 'Create channel' }).click();
  await p.page.getByRole('heading', { name: '#tea-room' }).waitFor();
  await p.page.getByRole('button', { name: 'Browse channels' }).click();
  await p.page.getByRole('searchbox', { name: 'Find channels' }).fill('support');
  await p.page.getByRole('button', { name: 'Join support' }).click();
  await p.page.getByRole('button', { name: 'Leave support' }).waitFor();
  await p.page.getByRole('link', { name: 'support', exact: true }).waitFor();
  await p.page.getByRole('button', { name: 'New message' }).click();
  await p.page.getByRole('combobox', { name: 'To' }).fill('lena');
  await p.page.getByRole('option', { name: 'Lena Park' }).click();
  await p.page.keyboard.press('Escape'); // closes the list, which stands over the button
  await p.page.getByRole('option', { name: 'Lena Park' }).waitFor({ state: 'hidden' });
  await p.page.getByRole('button', { name: 'Open conversation' }).click();
  await p.page.getByRole('heading', { name: 'Lena Park' }).waitFor();
  await p.close();
});

test('an invitation is accepted, in a workspace that is closed to others', async () => {
  const base = server.credentials.messaging.base_url;
  const post = async (path, token, body) =>
    (await fetch(base + path, { method: 'POST', headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }, body: JSON.stringify(body) })).json();
  const owner = await post('/api/auth/signup', '', { email: 'owner@example.com', password, name: 'Olga Owner', workspace_name: 'Closed Club' });
  const guest = await post('/api/auth/signup', '', { email: 'guest@example.com', password, name: 'Gus Guest' });
  assert.ok(guest.access_token);
  const invited = await post(`/api/workspaces/${owner.workspace.id}/invitations`, owner.access_token, { email: 'guest@example.com' });
  const secret = (invited.url ?? invited.invitation.url).split('/').pop();
  const p = await openPage(browser, server);
  const { page } = p;
  await signIn(page, server, 'guest@example.com', password);
  await page.getByRole('heading', { name: 'Workspaces' }).waitFor();
  await page.getByLabel('Invitation link').fill(`${server.ui}e/default/messaging/-/join#invitation=${secret}`);
  await page.getByRole('button', { name: 'Show invitation' }).click();
  await page.getByText('Closed Club').first().waitFor();
  await page.getByRole('button', { name: 'Join Closed Club' }).click();
  await page.getByRole('button', { name: 'Workspace: Closed Club' }).waitFor();
  await page.getByRole('heading', { name: '#general' }).waitFor();
  p.expect(/status of (401|403|404)/);
  await p.close();
});

test('marks of what is unread, and the list of threads', async () => {
  const a = await openPage(browser, server);
  const b = await openPage(browser, server);
  await signIn(a.page, server, 'ann@example.com', password);
  await signIn(b.page, server, 'bob@example.com', password);
  for (const { page } of [a, b]) {
    await page.getByRole('link', { name: 'random', exact: true }).click();
    await page.getByRole('heading', { name: '#random' }).waitFor();
    await live(page);
  }
  await say(a.page, '#random', 'Mark one');
  await say(a.page, '#random', 'Mark two');
  await message(b.page, 'Mark two').waitFor();

  // From a message on it is unread again; a line says so, the link counts, and the list of what is unread reads it.
  const keepUnread = async () => {
    await message(b.page, 'Mark one').hover();
    await message(b.page, 'Mark one').getByRole('button', { name: 'Mark unread from here' }).click();
    await b.page.locator('a[aria-label="random"][aria-description*="2 unread"]').waitFor();
  };
  await keepUnread();
  await b.page.getByRole('link', { name: 'Unreads' }).click();
  await b.page.getByRole('region', { name: '#random' }).getByRole('article', { name: /Mark two/ }).waitFor();
  await b.page.waitForFunction(() => /^\(\d+\) /.test(document.title));
  await b.page.getByRole('link', { name: 'random', exact: true }).click();
  await b.page.getByRole('separator', { name: 'New messages' }).waitFor();
  await keepUnread(); // or it is read after a second in view
  await b.page.getByRole('link', { name: 'Unreads' }).click();
  await b.page.getByRole('button', { name: 'Mark all as read' }).click();
  await b.page.getByText('Nothing is unread.').waitFor();
  await b.page.locator('a[aria-label="random"]:not([aria-description])').waitFor();

  // A reply makes a thread of both; the list shows it and opens it.
  await message(a.page, 'Mark one').hover();
  await message(a.page, 'Mark one').getByRole('button', { name: 'Reply in thread' }).click();
  const reply = a.page.getByRole('complementary', { name: 'Thread' }).getByRole('textbox', { name: 'Reply in thread' });
  await reply.fill('Below one');
  await a.page.getByRole('checkbox', { name: 'Also send to #random' }).check();
  await reply.press('Enter');
  await message(a.page, 'Below one').nth(1).waitFor(); // in the thread, and in the channel
  await a.page.getByRole('button', { name: 'Close thread' }).click();
  await a.page.getByRole('link', { name: 'Threads' }).click();
  const thread = a.page.getByRole('region', { name: 'Thread in #random' }).first();
  await thread.getByRole('article', { name: /Below one/ }).waitFor();
  await thread.getByRole('button', { name: 'Open thread' }).click();
  await a.page.getByRole('feed', { name: 'Thread messages' }).getByRole('article', { name: /Below one/ }).waitFor();
  await a.close();
  await b.close();
});

test('search finds a reply and opens it in its thread', async () => {
  const p = await openPage(browser, server);
  await signInAsAdmin(p.page, server);
  await p.page.getByRole('searchbox', { name: 'Search messages' }).fill('layout engine');
  await p.page.keyboard.press('Enter');
  await p.page.getByRole('status').getByText('Matches: 1').waitFor();
  await p.page.getByRole('list', { name: 'Search results' }).getByRole('button').first().click();
  await p.page.getByRole('feed', { name: 'Thread messages' }).getByRole('article', { name: /layout engine/ }).waitFor();
  await p.close();
});

test('a search that is sent while messaging opens is not lost to the start page', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  const hold = async (address) => {
    let letGo;
    const held = new Promise((resolve) => (letGo = resolve));
    await page.route(address, async (route) => {
      await held;
      await route.continue();
    });
    return letGo;
  };
  const boot = await hold(/\/api\/client\/boot/);
  const screen = await hold(/\/assets\/Search-[^/]*\.js/);
  const { admin_email: email, admin_password: secret } = server.credentials.messaging;
  await sendSignIn(page, server, email, secret);
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('layout engine');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/-\/search\?q=/);
  boot();
  await page.getByRole('link', { name: 'general', exact: true }).waitFor();
  screen();
  await page.getByRole('status').getByText('Matches: 1').waitFor();
  assert.match(page.url(), /\/-\/search\?q=layout/);
  await p.close();
});

test('a break of the connection leaves no gap', async () => {
  const a = await openPage(browser, server);
  await signIn(a.page, server, 'ann@example.com', password);
  await a.page.getByRole('link', { name: 'general', exact: true }).click();
  await a.page.getByRole('heading', { name: '#general' }).waitFor();
  await live(a.page);
  await a.context.setOffline(true);
  await a.page.evaluate(() => dispatchEvent(new Event('offline')));
  for (const text of ['while away 1', 'while away 2']) {
    await post('general', text);
  }
  await a.context.setOffline(false);
  await message(a.page, 'while away 2').waitFor();
  assert.equal(await message(a.page, 'while away 1').count(), 1);
  a.allow(/ERR_INTERNET_DISCONNECTED|WebSocket/); // it may ask for nothing while it is away
  await a.close();
});

test('what is said between reading a page and listening is shown', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  let listen;
  const held = new Promise((resolve) => (listen = resolve));
  await page.routeWebSocket(/socket\.io/, async (socket) => {
    await held;
    socket.connectToServer();
  });
  const reading = [];
  page.on('request', (r) => r.url().includes('/api/client/') && reading.push(r.response().then((reply) => reply?.finished())));
  await signIn(page, server, 'ann@example.com', password);
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await page.getByRole('article').first().waitFor();
  await Promise.all(reading); // of the page, which has begun
  await post('general', 'said in between');
  assert.equal(await message(page, 'said in between').count(), 0);
  listen();
  await message(page, 'said in between').waitFor();
  await live(page);
  assert.equal(await message(page, 'said in between').count(), 1);
  await p.close();
});

test('signing out ends the session in all tabs', async () => {
  const a = await openPage(browser, server);
  await signIn(a.page, server, 'bob@example.com', password);
  const second = await a.context.newPage();
  await second.goto(`${server.ui}e/default/messaging`);
  await second.getByRole('heading', { level: 1 }).waitFor();
  await a.page.getByRole('button', { name: /^Signed in as/ }).click();
  await a.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await a.page.getByRole('button', { name: 'Sign in' }).waitFor();
  await second.getByRole('button', { name: 'Sign in' }).waitFor();
  await until('the session is forgotten', () => a.page.evaluate(() => Object.keys(localStorage).every((k) => !k.startsWith('us.session'))));
  await a.close();
});

test('two tabs of one browser are two people, also after a reload and new tokens', async () => {
  const p = await openPage(browser, server);
  const { page, context } = p;
  await signIn(page, server, 'ann@example.com', password);
  const second = await context.newPage();
  await signIn(second, server, 'bob@example.com', password);
  const is = (tab, name) => tab.getByRole('button', { name: `Signed in as ${name}` }).waitFor();
  // The first tab's access token ends: it is renewed as the person of this tab.
  await page.route('**/api/client/channels?*', (route) => route.fulfill({ status: 401, body: '{"error":"invalid_auth"}' }), { times: 1 });
  await page.getByRole('button', { name: 'Browse channels' }).click();
  await page.getByRole('button', { name: 'Leave random' }).waitFor();
  for (const tab of [page, second]) {
    await tab.reload();
  }
  await is(page, 'Ann Ford');
  await is(second, 'Bob Hill');
  // One signs out, the other stays; who signed out is nobody here, though a new tab is who signed in last.
  await page.getByRole('button', { name: /^Signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(server.ui);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await second.reload();
  await is(second, 'Bob Hill');
  p.expect(/status of 401/);
  await p.close();
});

test('the quick switcher finds what stands anywhere; what is not there says so', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await page.goto(`${server.ui}e/default/messaging#key=${server.credentials.admin.key}`);
  await page.getByRole('status', { name: 'Acting as Admin' }).waitFor();
  const sessions = await (
    await fetch(`${server.origin}/ingest/api/v1/sessions?limit=1`, { headers: { Authorization: `Bearer ${server.credentials.admin.key}` } })
  ).json();
  await page.getByRole('button', { name: 'Go to…' }).click();
  const box = page.getByRole('combobox', { name: 'Go to' });
  for (const [typed, option] of [
    ['gene', '#general'],
    ['lena', 'Lena Park @lena.park'],
    ['unre', 'Unreads page'],
    ['default', 'default environment'],
    ['eng-4', 'ENG-4 issue'],
    [sessions.sessions[0].session_id.slice(0, 12), new RegExp(sessions.sessions[0].session_id)],
    ['quill', /Quill Software.* companies/],
    ['create a', 'Create a channel action'],
  ]) {
    await box.fill(typed);
    await page.getByRole('option', { name: option }).first().waitFor();
  }
  await box.press('Enter');
  await page.getByRole('dialog', { name: 'Create a channel' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Workspace: Understudy' }).click();
  await page.getByRole('menuitemradio', { name: 'Understudy', checked: true }).waitFor();

  await page.goto(`${server.ui}e/default/messaging/${server.credentials.messaging.workspace_id}/CNOWHERE`);
  await page.getByRole('heading', { name: 'There is no such conversation' }).waitFor();
  const stranger = await openPage(browser, server);
  for (const tab of [page, stranger.page]) {
    await tab.goto(`${server.ui}e/nowhere/messaging`);
    await tab.getByRole('heading', { name: 'This environment is gone' }).waitFor();
    await tab.getByRole('link', { name: 'All environments' }).waitFor();
  }
  stranger.expect(/status of 404/);
  await stranger.close();
  p.expect(/status of 404/);
  await p.close();
});
