// Socket.IO through the official client, by polling and by WebSocket.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { connector } from './connect.mjs';
import { until } from './receiver.mjs';

let s, sockets, connect;
before(async () => {
  s = await start();
  sockets = connector(s);
  connect = sockets.connect;
});
after(async () => {
  sockets?.close();
  await s?.stop();
});

const hears = (c, what, match) => until(() => c.heard.find((h) => match(h.event, h.name)), what);

for (const transports of [['polling'], ['websocket'], ['polling', 'websocket']]) {
  test(`events arrive over ${transports.join(' then ')}`, async () => {
    const person = await s.person();
    const c = await connect(person.jwt, transports);
    const channel = await s.channel(person.client);
    await hears(c, 'channel_created', (e, name) => name === 'channel_created' && e.channel.id === channel.id);
    const { ts } = await person.client.chat.postMessage({ channel: channel.id, text: 'a <b> & c' });
    const got = await hears(c, 'message', (e) => e.ts === ts);
    assert.equal(got.name, 'message');
    assert.equal(got.event.text, 'a &lt;b&gt; &amp; c');
    assert.equal(got.event.channel, channel.id);
    assert.equal(got.event.type, 'message');
  });
}

test('a client hears what it is a member of, and nothing after it was removed', async () => {
  const [a, b] = [await s.person(), await s.person()];
  const c = await connect(b.jwt);
  const { channel } = await a.client.conversations.create({ name: s.name(), is_private: true });
  await a.client.chat.postMessage({ channel: channel.id, text: 'before' });
  await a.client.conversations.invite({ channel: channel.id, users: b.id });
  await a.client.chat.postMessage({ channel: channel.id, text: 'inside' });
  await hears(c, 'the message inside', (e) => e.text === 'inside');
  await a.client.conversations.kick({ channel: channel.id, user: b.id });
  await hears(c, 'its own leaving', (e, name) => name === 'member_left_channel' && e.user === b.id);
  await a.client.chat.postMessage({ channel: channel.id, text: 'after' });
  await a.client.chat.postMessage({ channel: b.id, text: 'direct' });
  await hears(c, 'a direct message in a conversation that is new', (e) => e.text === 'direct' && e.channel_type === 'im');
  for (const text of ['before', 'after']) assert.ok(!c.heard.some((h) => h.event.text === text), text);
});

test('tokens: bot and user are good, others are refused with the reason', async () => {
  const bot = await connect(s.messaging.bot_token);
  const user = await connect(s.messaging.user_token, ['polling']);
  await s.admin.chat.postMessage({ channel: 'general', text: 'to both' });
  await hears(bot, 'the bot', (e) => e.text === 'to both');
  await hears(user, 'the user', (e) => e.text === 'to both');
  await assert.rejects(connect('xoxb-wrong'), /invalid_auth/);
  await assert.rejects(connect(''), /not_authed/);
});

test('a client whose session or token has ended hears nothing more', async () => {
  const made = await s.rest('POST', '/environments', { token: s.credentials.admin.key, base: s.credentials.admin.base_url, body: {} });
  const there = made.body.messaging;
  const bot = await connect(there.bot_token, ['websocket'], there);
  const person = await s.person();
  const session = await connect(person.jwt);
  const out = await s.rest('POST', '/api/auth/logout', { token: person.jwt, body: {} });
  assert.equal(out.status, 204);
  await until(() => !session.connected, 'the session was cut off');
  const rotated = await s.rest('POST', '/api/admin/provision', { token: there.user_token, base: there.base_url, body: { rotate: true } });
  assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
  await until(() => !bot.connected, 'the bot was cut off');
});

test('scopes hold here too, and another environment is another world', async () => {
  const { app } = await s.app(['channels:read', 'users:read', 'channels:join']);
  const c = await connect(app.bot_token);
  const { channels } = await s.admin.conversations.list();
  await s.client(app.bot_token).conversations.join({ channel: channels.find((x) => x.name === 'general').id });
  const made = await s.rest('POST', '/environments', { token: s.credentials.admin.key, base: s.credentials.admin.base_url, body: {} });
  const there = await connect(made.body.messaging.user_token, ['websocket'], made.body.messaging);
  await assert.rejects(connect(s.messaging.user_token, ['websocket'], made.body.messaging), /invalid_auth/);
  await s.admin.chat.postMessage({ channel: 'general', text: 'scoped' });
  const person = await s.person();
  await person.client.users.profile.set({ profile: { status_text: 'x' } });
  const changed = await hears(c, 'user_change', (e, name) => name === 'user_change' && e.user.id === person.id);
  assert.equal(changed.event.user.profile.email, undefined);
  assert.ok(!c.heard.some((h) => h.name === 'message'), 'a message without channels:history');
  assert.equal(there.heard.length, 0);
});

test('a client that does not read is cut off, and others go on', async () => {
  const { default: net } = await import('node:net');
  const url = new URL(s.base);
  const deaf = net.connect(Number(url.port), url.hostname);
  deaf.on('error', () => {});
  const path = `${url.pathname}/socket.io/?EIO=4&transport=websocket`;
  deaf.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  await new Promise((resolve) => deaf.once('data', resolve));
  const text = Buffer.from(`40${JSON.stringify({ token: s.messaging.user_token })}`);
  const frame = Buffer.alloc(8 + text.length);
  frame[0] = 0x81;
  frame[1] = 0x80 | 126;
  frame.writeUInt16BE(text.length, 2);
  text.copy(frame, 8); // a mask of zeros
  deaf.write(frame);
  await new Promise((resolve) => setTimeout(resolve, 300));
  deaf.pause();
  let closed = false;
  deaf.on('close', () => { closed = true; });
  const good = await connect(s.messaging.user_token);
  const channel = await s.channel();
  const big = 'x'.repeat(38000);
  for (let i = 0; i < 260; i += 1) await s.admin.chat.postMessage({ channel: channel.id, text: `${i} ${big}` });
  await hears(good, 'the last message', (e) => e.channel === channel.id && e.text?.startsWith('259 '));
  const texts = good.heard.filter((h) => h.event.channel === channel.id && h.event.text?.includes('xxx')).map((h) => Number(h.event.text.split(' ')[0]));
  assert.deepEqual(texts, [...Array(260).keys()]);
  deaf.resume();
  await until(() => closed, 'the end of the deaf connection');
});
