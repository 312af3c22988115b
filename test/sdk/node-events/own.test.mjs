// What a person's own clients hear of themselves, so that a list of conversations is right without asking: each event goes to all connections of
// that person and to nobody else's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { connector } from './connect.mjs';
import { until } from './receiver.mjs';

let s, sockets;
before(async () => {
  s = await start();
  sockets = connector(s);
});
after(async () => {
  sockets?.close();
  await s?.stop();
});

const own = ['channel_joined', 'channel_left', 'channel_marked', 'app_changed'];

test('a client hears its person join, read, star, leave, and change an app', async () => {
  const [ann, ben] = [await s.person(), await s.person()];
  const [first, second, other] = [await sockets.connect(ann.jwt), await sockets.connect(ann.jwt, ['polling']), await sockets.connect(ben.jwt)];
  const of = (client) => client.heard.filter((h) => own.includes(h.name));
  const both = async (name) => {
    for (const client of [first, second]) {
      await until(() => of(client).some((h) => h.name === name), name);
    }
    const { event } = of(first).findLast((h) => h.name === name);
    assert.deepEqual(of(second).findLast((h) => h.name === name).event, event);
    for (const client of [first, second]) {
      client.heard.length = 0;
    }
    return event;
  };
  const channel = await s.channel();
  await ann.client.conversations.join({ channel: channel.id });
  assert.deepEqual(await both('channel_joined'), { type: 'channel_joined', channel: channel.id });

  const said = await ann.client.chat.postMessage({ channel: channel.id, text: 'read me' });
  const read = await s.rest('PUT', '/api/client/read', { token: ann.jwt, body: { channel: channel.id, ts: said.ts } });
  assert.equal(read.status, 200);
  const mark = { channel: channel.id, last_read: said.ts, unread_count: 0, mention_count: 0, starred: false };
  assert.deepEqual(read.body, mark);
  assert.deepEqual(await both('channel_marked'), mark);
  await s.rest('PUT', '/api/client/stars', { token: ann.jwt, body: { channel: channel.id, starred: true } });
  assert.deepEqual(await both('channel_marked'), { ...mark, starred: true });

  const manifest = { display_information: { name: `Own ${channel.id}` }, features: { bot_user: { display_name: 'own' } }, oauth_config: { scopes: { bot: ['chat:write'] } } };
  const app = await s.rest('POST', '/api/apps', { token: ann.jwt, body: { manifest } });
  assert.equal(app.status, 201);
  assert.deepEqual(await both('app_changed'), { app_id: app.body.app_id });

  await ann.client.conversations.rename({ channel: channel.id, name: `new-${channel.id.toLowerCase()}` }).catch(() => undefined);
  await ann.client.conversations.leave({ channel: channel.id });
  assert.deepEqual(await both('channel_left'), { type: 'channel_left', channel: channel.id });
  assert.deepEqual(of(other), []);
});
