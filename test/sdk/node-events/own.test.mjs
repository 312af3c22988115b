// What a person's own clients hear of themselves, so that a list of conversations is right without asking: each event goes to all connections of
// that person and to nobody else's, and is as the OpenAPI document describes it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { connector } from './connect.mjs';
import { receiver, until } from './receiver.mjs';

let s, sockets, app, described;
before(async () => {
  s = await start();
  sockets = connector(s);
  app = await receiver(() => ({ body: JSON.stringify({ text: 'only you' }), headers: { 'content-type': 'application/json' } }));
  described = (await s.rest('GET', '/api/openapi.json')).body.webhooks;
});
after(async () => {
  sockets?.close();
  app?.stop();
  await s?.stop();
});

const own = ['channel_joined', 'channel_left', 'channel_marked', 'app_changed', 'ephemeral_message'];

/** Asserts that an event has the members that its description names as required, and no others than it names. */
function fits(name, event) {
  const { schema } = described[name].post.requestBody.content['application/json'];
  const check = (value, { required = [], properties = {} }, where) => {
    for (const member of required) assert.ok(member in value, `${where} without ${member}`);
    for (const [member, of] of Object.entries(value)) {
      assert.ok(member in properties, `${where}: ${member} is not described`);
      if (properties[member].properties) check(of, properties[member], `${where}.${member}`);
      if ('const' in properties[member]) assert.equal(of, properties[member].const);
    }
  };
  check(event, schema, name);
}

test('a client hears its person join, read, star, rename, leave, change an app and get an answer', async () => {
  const [ann, ben] = [await s.person(), await s.person()];
  const [first, second, other] = [await sockets.connect(ann.jwt), await sockets.connect(ann.jwt, ['polling']), await sockets.connect(ben.jwt)];
  const both = async (name) => {
    const isOwn = (h) => h.name === name;
    for (const client of [first, second]) await until(() => client.heard.some(isOwn), name);
    const { event } = first.heard.findLast(isOwn);
    assert.deepEqual(second.heard.findLast(isOwn).event, event);
    fits(name, event);
    for (const client of [first, second]) client.heard.length = 0;
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

  const name = s.name('renamed');
  await s.admin.conversations.rename({ channel: channel.id, name });
  assert.equal((await both('channel_rename')).channel.name, name);
  await until(() => other.heard.some((h) => h.name === 'channel_rename'), 'channel_rename in the workspace');

  const manifest = { display_information: { name: `Own ${channel.id}` }, features: { bot_user: { display_name: 'own' } }, oauth_config: { scopes: { bot: ['chat:write', 'commands'] } } };
  const made = await s.rest('POST', '/api/apps', { token: ann.jwt, body: { manifest } });
  assert.equal(made.status, 201);
  assert.deepEqual(await both('app_changed'), { app_id: made.body.app_id });

  const command = await s.rest('POST', '/api/commands', { token: ann.jwt, body: { command: '/own', url: app.url, app_id: made.body.app_id } });
  assert.equal(command.status, 201, JSON.stringify(command.body));
  const run = await s.rest('POST', '/api/commands/execute', { token: ann.jwt, body: { command: '/own', text: '', channel: channel.id } });
  assert.equal(run.status, 200, JSON.stringify(run.body));
  const shown = await both('ephemeral_message');
  assert.deepEqual([shown.channel, shown.user, shown.message.text, shown.message.is_ephemeral], [channel.id, ann.id, 'only you', true]);

  await ann.client.conversations.leave({ channel: channel.id });
  await until(() => first.heard.some((h) => h.name === 'member_left_channel'), 'member_left_channel');
  const lefts = first.heard.filter((h) => h.name === 'channel_left');
  assert.equal(lefts.length, 1, 'it is sent once');
  const left = await both('channel_left');
  assert.deepEqual(left, { type: 'channel_left', channel: channel.id, actor_id: ann.id, event_ts: left.event_ts });
  assert.deepEqual(other.heard.filter((h) => own.includes(h.name)), []);
});
