// Apps: created in the pages, run as a real bolt process, used from the conversation.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { live, message, openPage, signInAsAdmin } from './page.mjs';
import { browser, send, server, setUp } from './server.mjs';

let port;
const children = [];

setUp('--fixture', 'demo', async () => {
  port = await freePort();
});
after(() => Promise.all(children.map((c) => new Promise((resolve) => (c.once('exit', resolve), c.kill('SIGKILL'))))));

/** Returns a port for later, from those that no connection is given by itself. */
async function freePort() {
  for (;;) {
    const wanted = 20_000 + Math.floor(Math.random() * 12_000);
    const s = createServer();
    const free = await new Promise((resolve) => {
      s.once('error', () => resolve(false));
      s.listen(wanted, '127.0.0.1', () => s.close(() => resolve(true)));
    });
    if (free) {
      return wanted;
    }
  }
}

/** Starts the app. What it returns waits until the app has printed a line. */
async function startApp(secrets) {
  const child = spawn(process.execPath, ['bolt-app.mjs'], {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      PORT: String(port),
      BOT_TOKEN: secrets.botToken,
      SIGNING_SECRET: secrets.signingSecret,
      API_URL: `${server.credentials.messaging.base_url}/api/`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout });
  const printed = (wanted) =>
    new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the app ended with ${code}`)));
      lines.on('line', (line) => line === wanted && resolve());
    });
  await printed('ready');
  return printed;
}

async function killApp() {
  const [child] = children.splice(0);
  await new Promise((resolve) => (child.once('exit', resolve), child.kill('SIGKILL')));
}

test('an app is created, run, used and removed', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('link', { name: 'Apps and integrations' }).click();
  await page.getByRole('button', { name: 'Create an app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create an app' });
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill('display_information: {');
  await dialog.getByRole('button', { name: 'Create app' }).click();
  await dialog.getByRole('alert').waitFor();
  const url = `http://127.0.0.1:${port}/slack/events`;
  await dialog.getByRole('textbox', { name: 'Manifest' }).fill(`display_information: {name: Approvals}
features:
  bot_user: {display_name: approvals}
  slash_commands: [{command: /approve, url: "${url}", description: Ask for approval, usage_hint: what}]
oauth_config: {scopes: {bot: ["chat:write", commands, "channels:join"]}}
settings: {interactivity: {is_enabled: true, request_url: "${url}"}}`);
  await dialog.getByRole('button', { name: 'Create app' }).click();
  const kept = page.getByRole('dialog', { name: 'Keep these secrets' });
  await kept.getByRole('button', { name: 'Copy bot token' }).waitFor();
  const [botToken, signingSecret] = await kept.locator('code').allTextContents();
  assert.match(botToken, /^xoxb-/);
  await kept.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('table', { name: 'Apps' }).getByRole('link', { name: 'Approvals' }).waitFor();
  assert.ok(!(await page.content()).includes(botToken), 'the token is not kept in the page');
  await page.getByRole('tab', { name: 'Slash commands' }).click();
  await page.getByRole('table', { name: 'Slash commands' }).getByText('/approve').waitFor();
  const printed = await startApp({ botToken, signingSecret });

  // The bot must be in the channel to speak there.
  await send('GET', `${server.credentials.messaging.base_url}/api/conversations.join?channel=${await generalId()}`, undefined, botToken);
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);
  const box = page.getByRole('textbox', { name: 'Message #general' });

  // An answer for one's own eyes is shown, and dismissed.
  await box.fill('/approve');
  await page.getByRole('button', { name: 'Send' }).click();
  const own = message(page, 'Say what to approve');
  await own.getByText('Only visible to you').waitFor();
  await own.getByRole('button', { name: 'Dismiss' }).click();
  await own.waitFor({ state: 'detached' });

  // A command that there is not.
  await box.fill('/nothing here');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByText('There is no command /nothing').waitFor();
  assert.equal(await box.inputValue(), '/nothing here');

  await box.fill('/approve the budget');
  await page.getByRole('button', { name: 'Send' }).click();
  const asked = message(page, 'Approve the budget').first();
  await asked.getByRole('button', { name: 'Approve', exact: true }).waitFor();

  // A select reaches the app, which answers to who chose.
  await asked.getByRole('combobox', { name: 'Urgency' }).click();
  await page.getByRole('option', { name: 'High' }).click();
  await message(page, 'Noted: High').getByText('Only visible to you').waitFor();

  // What asks first sends nothing when it is refused.
  await asked.getByRole('button', { name: 'Refuse', exact: true }).click();
  await page.getByRole('alertdialog', { name: 'Refuse it?' }).getByRole('button', { name: 'Keep it' }).click();

  // A button reaches the app, whose message replaces the old one.
  await asked.getByRole('button', { name: 'Approve', exact: true }).click();
  await message(page, 'the budget approved').getByText('approved by').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0);

  // An app that is gone is told of.
  await box.fill('/approve the trip');
  await page.getByRole('button', { name: 'Send' }).click();
  const trip = message(page, 'Approve the trip').first();
  await trip.getByRole('button', { name: 'Approve', exact: true }).waitFor();
  const held = printed('held');
  await box.fill('/approve without an answer');
  await page.getByRole('button', { name: 'Send' }).click();
  await held;
  await box.fill('/approve without an answer, and more');
  await killApp();
  const told = page.getByRole('alert').getByText(/^The app did not answer: /);
  await told.waitFor();
  await page.getByRole('alert').getByRole('button', { name: 'Dismiss' }).click();
  await told.waitFor({ state: 'detached' });
  assert.equal(await box.inputValue(), '/approve without an answer, and more');
  await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
  await box.fill('');
  await trip.getByRole('button', { name: 'Approve', exact: true }).click();
  await trip.getByRole('alert').getByText(/^The app did not answer: /).waitFor();
  assert.equal((await trip.getByRole('alert').textContent()).match(/did not answer/g).length, 1);

  // A command runs once, however often it is sent while the app answers; what is written meanwhile stays.
  await startApp({ botToken, signingSecret });
  let runs = 0;
  await page.route('**/api/commands/execute', async (route) => {
    runs++;
    const response = await route.fetch();
    await box.press('Enter');
    await box.fill('and then');
    await route.fulfill({ response });
  });
  await box.fill('/approve the journey');
  await box.press('Enter');
  await message(page, 'Approve the journey').first().waitFor();
  await page.getByRole('button', { name: 'Send', disabled: false }).waitFor();
  assert.equal(await box.inputValue(), 'and then');
  // So does one whose answer is lost; its text stays.
  await page.unroute('**/api/commands/execute');
  await page.route('**/api/commands/execute', async (route) => {
    runs++;
    await route.fetch();
    await route.abort('connectionreset');
  });
  await box.fill('/approve the way back');
  await box.press('Enter');
  await page.getByRole('alert').getByText('The server does not answer.').waitFor();
  await message(page, 'Approve the way back').first().waitFor();
  assert.equal(await box.inputValue(), '/approve the way back');
  await new Promise((resolve) => setTimeout(resolve, 1500)); // time for another one
  assert.equal(runs, 2);
  for (const what of ['journey', 'way back']) {
    assert.equal(await message(page, `Approve the ${what}`).count(), 1);
  }
  await page.unroute('**/api/commands/execute');
  await killApp();

  await page.getByRole('link', { name: 'Apps and integrations' }).click();
  await page.getByRole('link', { name: 'Approvals' }).click();
  await page.getByRole('button', { name: 'Delete Approvals' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('table', { name: 'Apps' }).getByRole('link', { name: 'Understudy' }).waitFor();
  await page.getByRole('link', { name: 'Approvals' }).waitFor({ state: 'detached' });
  p.expect(/status of (404|502)|ERR_CONNECTION_RESET/); // the command that there is not, the app that is gone, the lost answer
  await p.close();
});

test('what an app offers to choose is named, and shows what is chosen at first', async () => {
  const option = (value) => ({ text: { type: 'plain_text', text: value }, value });
  const options = ['low', 'middle', 'high'].map(option);
  const elements = [
    { type: 'radio_buttons', action_id: 'urgency', options, initial_option: option('high') },
    { type: 'checkboxes', action_id: 'levels', options, initial_options: [option('low'), option('middle')] },
    { type: 'static_select', action_id: 'level', placeholder: { type: 'plain_text', text: 'Which level' }, options, initial_option: option('middle') },
  ];
  const { base_url: base, bot_token: bot } = server.credentials.messaging;
  await send('POST', `${base}/api/chat.postMessage`, { channel: await generalId(), text: 'choose', blocks: [{ type: 'actions', elements }] }, bot);
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  const urgency = page.getByRole('radiogroup', { name: 'urgency' });
  await urgency.getByRole('radio', { name: 'high', checked: true }).waitFor();
  await urgency.getByRole('radio', { name: 'low', checked: false }).waitFor();
  const levels = page.getByRole('group', { name: 'levels' });
  await levels.getByRole('checkbox', { checked: true }).first().waitFor();
  assert.equal(await levels.getByRole('checkbox', { checked: true }).count(), 2);
  assert.equal(await page.getByRole('combobox', { name: 'Which level' }).inputValue(), 'middle');
  await p.close();
});

async function generalId() {
  const { base_url: base, user_token: user } = server.credentials.messaging;
  const { channels } = await send('GET', `${base}/api/conversations.list?limit=200`, undefined, user);
  return channels.find((c) => c.name === 'general').id;
}

test('webhooks, subscriptions and commands are added and deleted', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('link', { name: 'Apps and integrations' }).click();
  const add = async (tab, button, fields, act) => {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog', { name: button });
    for (const [label, value] of Object.entries(fields)) {
      await dialog.getByLabel(label).fill(value);
    }
    await dialog.getByRole('button', { name: button }).click();
    return act(dialog);
  };
  await add('Incoming webhooks', 'Add incoming webhook', { Channel: 'general', 'Name (optional)': 'builds' }, async () => {
    const kept = page.getByRole('dialog', { name: 'Keep these secrets' });
    await kept.getByRole('button', { name: 'Copy webhook url' }).waitFor();
    const url = await kept.locator('code').textContent();
    assert.equal((await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'The build is green' }) })).status, 200);
    await kept.getByRole('button', { name: 'I have kept them' }).click();
  });
  await page.getByRole('table', { name: 'Incoming webhooks' }).getByText('#general').waitFor();
  await page.getByRole('button', { name: 'Delete builds' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No incoming webhook.').waitFor();

  await add('Outgoing webhooks', 'Add outgoing webhook', { URL: `http://127.0.0.1:${port}/out`, 'Name (optional)': 'outside' }, async () => {
    await page.getByRole('dialog', { name: 'Keep these secrets' }).getByRole('button', { name: 'I have kept them' }).click();
  });
  await page.getByRole('table', { name: 'Outgoing webhooks' }).getByText('all public ones').waitFor();
  await page.getByRole('button', { name: 'Delete outside' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();

  // Nobody answers the challenge: the dialog says so and stays.
  await add('Event subscriptions', 'Add event subscription', { URL: `http://127.0.0.1:${port}/events`, 'Event types': 'message reaction_added' }, (dialog) =>
    dialog.getByRole('alert').waitFor(),
  );
  await page.keyboard.press('Escape');
  p.expect(/status of 422/);

  await add('Slash commands', 'Add slash command', { Command: '/deploy', URL: `http://127.0.0.1:${port}/deploy` }, () => Promise.resolve());
  await page.getByRole('button', { name: 'Delete /deploy' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete /deploy' }).waitFor({ state: 'detached' });
  await p.close();
});
