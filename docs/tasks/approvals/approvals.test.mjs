// node --test: a bot is tested with a command, a click and deliveries that come twice.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { fork } from 'understudy-test';

const document = readFileSync(new URL('world.yaml', import.meta.url), 'utf8');
let w, bot;

before(async () => {
  const port = await freePort();
  w = await fork({ fixture: 'demo', seed: 7, document, destinations: { 'http://bot.invalid': `http://127.0.0.1:${port}` } });
  const app = w.credentials.messaging.apps.find(({ name }) => name === 'approvals');
  bot = spawn(process.execPath, [process.env.BOT ?? 'bot.mjs'], {
    stdio: 'inherit',
    env: { ...process.env, ...await w.env(), SLACK_BOT_TOKEN: app.bot_token, SLACK_SIGNING_SECRET: app.signing_secret, PORT: port },
  });
  await listening(port);
});

after(async () => {
  bot?.kill();
  await w?.delete();
});

test('a click approves, and nothing else happens', async () => {
  const jon = w.person('messaging/jon.abel');
  await jon.run('/approve 42', { channel: '#general' });
  const { ts } = await jon.wait({ channel: '#general', text: { contains: 'Approve 42?' } });
  await w.person('messaging/lena.park').click({ channel: '#general', ts }, 'approve');
  await w.settle();
  // Posted and then edited by the bot: since the fork that is one insert, as it reads now.
  await w.expect({ inserted: 'messaging.message', where: { ts, plain: { contains: 'approved by @lena.park' } } }, { nothing_else: true });
});

test('a delivery that comes twice is answered once', async () => {
  await w.fault({ id: 'twice', on: 'delivery', match: { event: 'message' }, when: { probability: 0.2 }, do: { duplicate: 1 } });
  // One question after the other: the seed then decides which deliveries come twice, however fast the bot is.
  const jon = w.person('messaging/jon.abel');
  const asked = [];
  for (let n = 1; n <= 6; n++) {
    const { ts } = await jon.say('#general', `status ${n}?`);
    asked.push({ ts });
    await jon.wait({ channel: '#general', thread: ts });
  }
  await w.settle();
  const [{ fired }] = await w.faults();
  assert.ok(fired > 0, 'no delivery came twice: ask more often');
  await w.expect(asked.map(({ ts }) => ({ inserted: 'messaging.message', where: { thread_ts: ts }, count: 1 })));
});

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((closed) => probe.close(closed));
  return port;
}

async function listening(port) {
  for (let tries = 0; tries < 500; tries++) {
    const socket = connect(port, '127.0.0.1');
    const open = await once(socket, 'connect').then(() => true, () => false);
    socket.destroy();
    if (open) return;
    await new Promise((later) => setTimeout(later, 20));
  }
  throw new Error('the bot does not listen');
}
