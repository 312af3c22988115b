// Takes a picture of every screen, in both themes, wide and narrow, with ordinary
// and with hostile data. `make screenshots` puts them into .cache/screenshots, and
// those that the README shows into docs/images. Arguments are the names of screens; without any it takes all.
// Whatever goes wrong, server and browser are ended: a server that is left behind holds the output of `make` open.
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { send, startBrowser, startServer } from './server.mjs';
import { play, steps } from './walk.mjs';

const root = join(import.meta.dirname, '..', '..');
const out = join(root, '.cache', 'screenshots');
const shown = join(root, 'docs', 'images');
const largest = 150_000;
const minutes = 15;
// What the README and the docs show.
const published = {
  'light-wide-conversation': 'conversation',
  'dark-wide-thread': 'thread',
  'light-wide-apps': 'apps',
  'dark-wide-trace': 'trace',
  'light-narrow-conversation': 'narrow',
  'dark-wide-worlds': 'worlds',
};

const only = process.argv.slice(2);
mkdirSync(out, { recursive: true });
mkdirSync(shown, { recursive: true });
const server = await startServer('--fixture', 'demo', '--rate-limits', 'off');
process.once('exit', () => server.kill());
const browser = await startBrowser({ emoji: true });
// What is under way fails when the browser ends, and with it the program.
const limit = setTimeout(() => {
  console.error(`the pictures are not done after ${minutes} minutes`);
  void browser.close();
}, minutes * 60_000);
const base = server.credentials.messaging.base_url;
const key = `#key=${server.credentials.admin.key}`;

const call = (method, body) => send('POST', `${base}/api/${method}`, body, server.credentials.messaging.user_token);

/** Waits until nothing is loaded any more, but not for streams, which never end, and until emoji are shown as such. */
async function quiet(page) {
  await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
  await page.evaluate(() => document.fonts.ready);
}

/** Opens a page whose waits end after a while. */
async function newPage(options) {
  const context = await browser.newContext({ reducedMotion: 'reduce', locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  return page;
}

/** Makes a page the one of somebody who has the admin key, whichever screens are asked for. */
async function signedIn(page) {
  await page.goto(`${area}/${id('general')}${key}&as=lena.park`);
  await page.getByRole('article').first().waitFor();
}

/** Fills a channel with what people and programs may send. */
async function hostile() {
  const { channel } = await call('conversations.create', { name: 'hostile' });
  const long = 'a'.repeat(3_900);
  const texts = [
    long,
    '\u202eright to left override \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627',
    'zero\u200bwidth\u200b\u200b\u200b and \ufeff marks',
    '*'.repeat(500) + '_'.repeat(500) + '~'.repeat(500),
    '```' + 'const x = 1;\n'.repeat(280) + '```',
    ':no_such_emoji: :tada: <javascript:alert(1)|click> <https://example.com/|a link> <@U0000000000>',
    '> quote\n> quote\n\n1. one\n2. two\n\u2022 three',
    'Z\u0351\u036b\u0343\u036a\u0302'.repeat(40),
  ];
  for (const text of texts) {
    await call('chat.postMessage', { channel: channel.id, text });
  }
  await call('chat.postMessage', {
    channel: channel.id,
    text: 'blocks',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'h'.repeat(150) } },
      { type: 'section', text: { type: 'mrkdwn', text: 'A *section* with a button' }, accessory: { type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'b'.repeat(75) } } },
      { type: 'section', fields: Array.from({ length: 10 }, (_, i) => ({ type: 'mrkdwn', text: `*Field ${i}*\nvalue` })) },
      { type: 'actions', elements: [{ type: 'external_select', action_id: 'e', placeholder: { type: 'plain_text', text: 'External' } }, { type: 'datepicker', action_id: 'd' }] },
      { type: 'divider' },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'context' }] },
    ],
  });
  return channel.id;
}

const channel = await hostile();
const { channels } = await call('conversations.list', { limit: 200 });
const id = (name) => channels.find((c) => c.name === name)?.id ?? channel;
const team = server.credentials.messaging.workspace_id;
const area = `${server.ui}e/default/messaging/${team}`;

const screens = {
  'sign-in': async (page) => page.goto(`${server.ui}sign-in`),
  'sign-up': async (page) => page.goto(`${server.ui}sign-up`),
  conversation: async (page) => {
    await page.goto(`${area}/${id('general')}`);
    await page.getByRole('article').first().waitFor();
  },
  thread: async (page) => {
    await page.goto(`${area}/${id('engineering')}`);
    await page.getByRole('button', { name: /repl(y|ies)$/ }).last().click();
    await page.getByRole('feed', { name: 'Thread messages' }).waitFor();
  },
  hostile: async (page) => {
    await page.goto(`${area}/${channel}`);
    const join = page.getByRole('button', { name: 'Join' });
    await page.getByRole('article').first().or(join).first().waitFor();
  },
  details: async (page) => page.goto(`${area}/${id('general')}?pane=details`),
  members: async (page) => page.goto(`${area}/${id('general')}?pane=members`),
  profile: async (page) => page.goto(`${area}/${id('general')}?pane=profile&user=${server.credentials.messaging.admin_user_id}`),
  'hostile-details': async (page) => page.goto(`${area}/${channel}?pane=details`),
  'no-channel': async (page) => page.goto(`${area}/CNOWHERE`),
  unreads: async (page) => page.goto(`${area}/-/unreads`),
  threads: async (page) => page.goto(`${area}/-/threads`),
  channels: async (page) => page.goto(`${area}/-/channels`),
  people: async (page) => page.goto(`${area}/-/people`),
  search: async (page) => page.goto(`${area}/-/search?q=export`),
  'search-empty': async (page) => page.goto(`${area}/-/search?q=nothinglikethis`),
  ...Object.fromEntries(
    [['Create a channel', 'create-channel'], ['New message', 'new-message'], ['Set a status', 'set-status'], ['Keyboard shortcuts', 'shortcuts']].map(([title, name]) => [
      name,
      async (page) => {
        await page.goto(`${area}/${id('random')}`);
        await page.getByRole('heading', { name: '#random' }).waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Go to' }).fill(title);
        await page.getByRole('option', { name: `${title} action` }).click();
        await page.getByRole('dialog', { name: title }).waitFor();
      },
    ]),
  ),
  'go-to': async (page) => {
    await page.goto(`${area}/${id('random')}`);
    await page.getByRole('button', { name: 'Go to…' }).click();
    await page.getByRole('combobox', { name: 'Go to' }).fill('e');
  },
  'environment-switch': async (page) => {
    await page.goto(`${area}/${id('random')}`);
    await page.getByRole('button', { name: 'Environment: default' }).click();
    await page.getByRole('combobox', { name: 'Find environment' }).waitFor();
  },
  emoji: async (page) => {
    await page.goto(`${area}/${id('random')}`);
    await page.getByRole('button', { name: 'Emoji' }).first().click();
    await page.getByRole('grid', { name: 'Emoji' }).waitFor();
  },
  'list-of-conversations': async (page) => {
    await page.goto(`${area}/${id('random')}`);
    await page.getByRole('heading', { name: '#random' }).waitFor();
    const open = page.getByRole('button', { name: 'Open the list of conversations' });
    if (await open.isVisible()) {
      await open.click();
    }
  },
  ...Object.fromEntries(
    ['messaging', 'unreads', 'threads', 'channels', 'people', 'apps', 'webhooks', 'commands'].map((name) => [
      `empty-${name}`,
      async (page) => {
        await page.goto(`${server.ui}e/${empty.id}/messaging${name === 'messaging' ? '' : `/${empty.messaging.workspace_id}/-/${name}`}`);
      },
    ]),
  ),
  apps: async (page) => page.goto(`${area}/-/apps`),
  webhooks: async (page) => page.goto(`${area}/-/webhooks`),
  commands: async (page) => page.goto(`${area}/-/commands`),
  app: async (page) => page.goto(`${area}/-/apps/${server.credentials.messaging.app_id}`),
  subscriptions: async (page) => page.goto(`${area}/-/subscriptions`),
  settings: async (page) => page.goto(`${area}/-/settings`),
  workspaces: async (page) => page.goto(`${server.ui}e/default/messaging/-/workspaces`),
  traces: async (page) => page.goto(`${server.ui}e/default/traces`),
  sessions: async (page) => page.goto(`${server.ui}e/default/traces/sessions`),
  trace: async (page) => {
    await page.goto(`${server.ui}e/default/traces/sessions?errors=true`);
    await page.getByRole('table', { name: 'Sessions' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Next error' }).click();
    await page.getByRole('complementary', { name: 'Event details' }).waitFor();
  },
  tools: async (page) => page.goto(`${server.ui}e/default/traces/tools`),
  tool: async (page) => page.goto(`${server.ui}e/default/traces/tools/post_update`),
  users: async (page) => page.goto(`${server.ui}e/default/traces/users`),
  'trace-events': async (page) => page.goto(`${server.ui}e/default/traces/events`),
  'trace-keys': async (page) => page.goto(`${server.ui}e/default/traces/keys`),
  worlds: async (page) => page.goto(`${server.ui}worlds`),
  world: async (page) => page.goto(`${server.ui}worlds/default`),
  ...Object.fromEntries(
    ['snapshots', 'diff', 'requests', 'events', 'deliveries', 'seed', 'faults', 'verdict', 'credentials', 'settings'].map((name) => [
      `world-${name}`,
      async (page) => page.goto(`${server.ui}worlds/default/${name}`),
    ]),
  ),
  request: async (page) => {
    await page.goto(`${server.ui}worlds/default/requests?method=POST`);
    await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Changes' }).or(page.getByText('Changes')).first().waitFor();
  },
  contacts: async (page) => page.goto(`${server.ui}e/default/crm/contacts`),
  record: async (page) => {
    await page.goto(`${server.ui}e/default/crm/companies`);
    await page.getByRole('table', { name: 'Companies' }).getByRole('link').first().click();
  },
  'deals-board': async (page) => page.goto(`${server.ui}e/default/crm/deals/-/board`),
  issues: async (page) => page.goto(`${server.ui}e/default/tracker`),
  'issues-board': async (page) => page.goto(`${server.ui}e/default/tracker/ENG/board`),
  issue: async (page) => page.goto(`${server.ui}e/default/tracker/issue/ENG-12`),
  projects: async (page) => page.goto(`${server.ui}e/default/tracker/projects`),
  cycles: async (page) => page.goto(`${server.ui}e/default/tracker/ENG/cycles`),
  graphql: async (page) => page.goto(`${server.ui}e/default/tracker/graphql`),
  docs: async (page) => page.goto(`${server.ui}e/default/docs`),
  preferences: async (page) => page.goto(`${server.ui}preferences`),
};

let empty;
for (const name of ['Winter exam', 'nightly-regression', 'a'.repeat(90)]) {
  const made = await send('POST', `${server.origin}/admin/v1/environments`, { name, clock: '2026-03-02T09:00:00Z' }, server.credentials.admin.key);
  empty ??= made;
}
await play(join(server.data, 'credentials.json'), 10);
for (const colorScheme of ['light', 'dark']) {
  for (const [width, viewport] of Object.entries({ wide: { width: 1280, height: 760 }, narrow: { width: 360, height: 720 } })) {
    const page = await newPage({ viewport, colorScheme });
    await signedIn(page);
    for (const [name, open] of Object.entries(screens)) {
      if (only.length > 0 && !only.includes(name)) {
        continue;
      }
      await open(page).catch((e) => {
        throw new Error(`${colorScheme} ${width} ${name}: ${e.message}`);
      });
      await page.locator('h1').first().waitFor();
      await quiet(page);
      const file = `${colorScheme}-${width}-${name}`;
      await page.screenshot({ path: join(out, `${file}.png`) });
      const to = published[file];
      if (to) {
        const path = join(out, `${file}.png`);
        if (statSync(path).size > largest) {
          throw new Error(`${file} has more than ${largest} bytes`);
        }
        copyFileSync(path, join(shown, `${to}.png`));
      }
    }
    await page.context().close();
  }
}
// The way from a failed run to its cause, for docs/ui.md.
const page = await newPage({ viewport: { width: 1280, height: 720 } });
await signedIn(page);
for (const [name, step] of steps) {
  await step(page, `${server.ui}e/default/traces`);
  await quiet(page);
  const path = join(shown, `${name}.png`);
  await page.screenshot({ path });
  if (statSync(path).size > largest) {
    throw new Error(`${name} has more than ${largest} bytes`);
  }
}
await browser.close();
await server.stop();
clearTimeout(limit);
console.log(`pictures of ${Object.keys(screens).length} screens are in ${out}`);
