// A Bolt app, unmodified, receives events, commands and clicks.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { freePort } from '../process.mjs';
import { boltApp, subscribe, until } from './receiver.mjs';

let s, bolt, command, events, general;
const TYPES = ['message', 'reaction_added', 'reaction_removed', 'channel_created', 'channel_archive', 'member_joined_channel',
  'member_left_channel', 'user_change', 'presence_change'];

before(async () => {
  s = await start();
  bolt = await boltApp(s, s.messaging);
  events = [];
  for (const type of TYPES) bolt.app.event(type, async ({ event, body, context }) => { events.push({ event, body, context }); });
  await subscribe(s, bolt.url, TYPES);
  command = await s.rest('POST', '/api/commands', { token: s.messaging.user_token, body: { command: '/deploy', url: bolt.url } });
  assert.equal(command.status, 201);
  const { channels } = await s.admin.conversations.list({ types: 'public_channel' });
  general = channels.find((c) => c.name === 'general').id;
});

after(async () => {
  await bolt?.stop();
  await s?.stop();
});

const seen = (what, match) => until(() => events.find((e) => match(e.event)), what);

test('an echo bot answers once and not itself', async () => {
  bolt.app.message('ping', async ({ say }) => { await say('ping pong'); });
  await s.admin.chat.postMessage({ channel: general, text: 'ping' });
  const echoes = async () => (await s.bot.conversations.history({ channel: general })).messages.filter((m) => m.text === 'ping pong').length;
  await until(echoes, 'the echo');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await echoes(), 1);
});

test('all nine event types arrive in the full envelope', async () => {
  const person = await s.person();
  const { channel } = await s.bot.conversations.create({ name: s.name() });
  await seen('channel_created', (e) => e.type === 'channel_created' && e.channel.id === channel.id);
  await seen('its own joining', (e) => e.type === 'member_joined_channel' && e.channel === channel.id && e.user === s.messaging.bot_user_id);
  await person.client.conversations.join({ channel: channel.id });
  const joined = await seen('joining', (e) => e.type === 'member_joined_channel' && e.user === person.id && e.channel === channel.id);
  assert.equal(joined.event.channel_type, 'C');
  const { ts } = await person.client.chat.postMessage({ channel: channel.id, text: 'look <here> & there' });
  const posted = await seen('message', (e) => e.type === 'message' && e.ts === ts);
  assert.equal(posted.event.text, 'look &lt;here&gt; &amp; there');
  assert.equal(posted.event.channel_type, 'channel');
  assert.equal(posted.event.event_ts, ts);
  await person.client.reactions.add({ channel: channel.id, timestamp: ts, name: 'tada' });
  await seen('reaction_added', (e) => e.type === 'reaction_added' && e.reaction === 'tada' && e.item.ts === ts && e.item_user === person.id);
  await person.client.reactions.remove({ channel: channel.id, timestamp: ts, name: 'tada' });
  await seen('reaction_removed', (e) => e.type === 'reaction_removed' && e.item.ts === ts);
  await person.client.chat.update({ channel: channel.id, ts, text: 'changed' });
  await seen('message_changed', (e) => e.subtype === 'message_changed' && e.message.text === 'changed' && e.previous_message.ts === ts);
  await person.client.chat.delete({ channel: channel.id, ts });
  await seen('message_deleted', (e) => e.subtype === 'message_deleted' && e.deleted_ts === ts);
  await person.client.conversations.setTopic({ channel: channel.id, topic: 'news' });
  await seen('channel_topic', (e) => e.subtype === 'channel_topic' && e.topic === 'news');
  await person.client.conversations.leave({ channel: channel.id });
  await seen('member_left_channel', (e) => e.type === 'member_left_channel' && e.user === person.id);
  await person.client.users.profile.set({ profile: { status_text: 'busy' } });
  const changed = await seen('user_change', (e) => e.type === 'user_change' && e.user.id === person.id);
  assert.equal(changed.event.user.profile.status_text, 'busy');
  assert.equal(changed.event.user.profile.email, person.email);
  await person.client.users.setPresence({ presence: 'away' });
  await seen('presence_change', (e) => e.type === 'presence_change' && e.user === person.id && e.presence === 'away');
  await s.admin.conversations.join({ channel: channel.id });
  await s.admin.conversations.archive({ channel: channel.id });
  await seen('channel_archive', (e) => e.type === 'channel_archive' && e.channel === channel.id);

  const { body } = posted;
  assert.equal(body.token, s.messaging.verification_token);
  assert.equal(body.team_id, s.messaging.workspace_id);
  assert.equal(body.api_app_id, s.messaging.app_id);
  assert.match(body.event_id, /^Ev[A-Z0-9]{8,11}$/);
  assert.equal(Number.isInteger(body.event_time), true);
  assert.equal(body.is_ext_shared_channel, false);
  assert.equal(typeof body.event_context, 'string');
  assert.deepEqual(body.authorizations, [{ enterprise_id: null, team_id: s.messaging.workspace_id, user_id: s.messaging.bot_user_id,
    is_bot: true, is_enterprise_install: false }]);
  assert.equal(new Set(events.map((e) => e.body.event_id)).size, events.length, 'event ids repeat');
});

test('only what the bot may see', async () => {
  const person = await s.person();
  const { channel: closed } = await person.client.conversations.create({ name: s.name(), is_private: true });
  const { channel: open } = await person.client.conversations.create({ name: s.name() });
  await person.client.chat.postMessage({ channel: closed.id, text: 'secret' });
  await person.client.chat.postMessage({ channel: open.id, text: 'unheard' });
  await person.client.conversations.invite({ channel: closed.id, users: s.messaging.bot_user_id });
  await person.client.chat.postMessage({ channel: closed.id, text: 'welcome' });
  const heard = await seen('the message after the invitation', (e) => e.text === 'welcome');
  assert.equal(heard.event.channel_type, 'group');
  await person.client.conversations.kick({ channel: closed.id, user: s.messaging.bot_user_id });
  await person.client.chat.postMessage({ channel: closed.id, text: 'gone' });
  await person.client.chat.postMessage({ channel: general, text: 'last' });
  await seen('the last message', (e) => e.text === 'last');
  for (const text of ['secret', 'unheard', 'gone']) assert.ok(!events.some((e) => e.event.text === text), `heard ${text}`);
});

test('direct messages reach the bot', async () => {
  const person = await s.person();
  await person.client.chat.postMessage({ channel: s.messaging.bot_user_id, text: 'psst' });
  const heard = await seen('the direct message', (e) => e.text === 'psst');
  assert.equal(heard.event.channel_type, 'im');
});

test('slash commands: acknowledgement, answer, response_url', async () => {
  let mode = 'ack';
  const got = [];
  bolt.app.command('/deploy', async ({ command, ack, respond }) => {
    got.push(command);
    if (mode === 'ack') return ack();
    if (mode === 'text') return ack('only you');
    if (mode === 'channel') return ack({ response_type: 'in_channel', text: 'deployed' });
    await ack();
    for (let i = 1; i <= 6; i += 1) {
      await respond({ response_type: 'in_channel', text: `late ${i}` }).then(() => got.push(i), (e) => got.push(`${e}`));
    }
  });
  const run = async (text) => {
    const r = await s.rest('POST', '/api/commands/execute', { token: s.messaging.user_token, body: { command: '/deploy', text, channel: general } });
    assert.equal(r.status, 200, JSON.stringify(r.body));
    assert.equal(r.body.ok, true);
    return r.body.response;
  };
  assert.equal(await run('a & b <c>'), null);
  assert.equal(got[0].text, 'a & b <c>');
  assert.equal(got[0].channel_name, 'general');
  assert.equal(got[0].user_id, s.messaging.admin_user_id);
  mode = 'text';
  assert.deepEqual(await run(''), { response_type: 'ephemeral', text: 'only you' });
  mode = 'channel';
  assert.deepEqual(await run(''), { response_type: 'in_channel', text: 'deployed' });
  const posted = async (text) => (await s.bot.conversations.history({ channel: general })).messages.some((m) => m.text === text);
  assert.ok(await posted('deployed'));
  mode = 'late';
  await run('');
  await until(() => got.length >= 4 + 6, 'six answers');
  assert.deepEqual(got.slice(4, 9), [1, 2, 3, 4, 5]);
  assert.match(got[9], /404/);
  assert.ok(await posted('late 5'));
  for (const text of ['only you', 'late 6']) assert.ok(!(await posted(text)), text);
});

test('slash commands that cannot be run', async () => {
  const run = (body, token = s.messaging.user_token) => s.rest('POST', '/api/commands/execute', { token, body });
  assert.equal((await run({ command: '/nothing', channel: general })).status, 404);
  assert.equal((await s.rest('POST', '/api/commands', { token: s.messaging.user_token, body: { command: '/deploy', url: bolt.url } })).status, 409);
  await s.rest('POST', '/api/commands', { token: s.messaging.user_token, body: { command: '/dead', url: 'http://127.0.0.1:9/x' } });
  const dead = await run({ command: '/dead', channel: general });
  assert.equal(dead.status, 502);
  assert.equal(dead.body.error, 'command_failed');
});

test('interactions that no app takes', async () => {
  const post = (payload) => s.rest('POST', '/api/interactions', { token: s.messaging.user_token, body: { payload } });
  const none = await post({ type: 'shortcut', callback_id: 'x' });
  assert.equal(none.status, 422);
  assert.equal(none.body.error, 'interactivity_not_configured');
  assert.equal((await post({ type: 'view_submission' })).status, 400);
  assert.equal((await post({ type: 'block_actions', channel: { id: 'C0NOSUCHONE' }, message: { ts: '1.000001' } })).status, 404);
});

test('a click updates its message through response_url', async () => {
  const port = await freePort();
  const manifest = { display_information: { name: 'Voter' },
    oauth_config: { scopes: { bot: ['chat:write', 'chat:write.public', 'channels:history', 'channels:join'] } },
    features: { slash_commands: [{ command: '/vote', url: `http://127.0.0.1:${port}/slack/events`, description: 'vote' }] },
    settings: { interactivity: { is_enabled: true, request_url: `http://127.0.0.1:${port}/slack/events` },
      event_subscriptions: { request_url: `http://127.0.0.1:${port}/slack/events`, bot_events: ['message.channels', 'app_mention'] } } };
  const { body: made } = await s.rest('POST', '/api/apps', { token: s.messaging.user_token, body: { manifest } });
  const { default: { App, HTTPReceiver, LogLevel } } = await import('@slack/bolt');
  const receiver = new HTTPReceiver({ signingSecret: made.signing_secret, logLevel: LogLevel.ERROR });
  const app = new App({ token: made.bot_token, receiver, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: `${s.base}/api/` } });
  await app.start({ port, host: '127.0.0.1' });
  try {
    const heard = [];
    app.event('message', async ({ event }) => { heard.push(event); });
    app.command('/vote', async ({ ack }) => ack('vote!'));
    let clicked;
    app.action('yes', async ({ body, action, ack, respond }) => {
      clicked = { body, action };
      await ack();
      await respond({ replace_original: true, text: 'thanks' });
    });
    let shortcut;
    app.shortcut('star', async ({ shortcut: got, ack, respond }) => {
      shortcut = got;
      await ack();
      await respond({ delete_original: true });
    });
    const client = s.client(made.bot_token);
    await client.conversations.join({ channel: general });
    const { ts } = await client.chat.postMessage({ channel: general, text: 'vote', blocks: [{ type: 'actions', block_id: 'b1',
      elements: [{ type: 'button', action_id: 'yes', value: '1', text: { type: 'plain_text', text: 'Yes' } }] }] });
    const click = await s.rest('POST', '/api/interactions', { token: s.messaging.user_token, body: { payload: { type: 'block_actions',
      channel: { id: general }, message: { ts }, actions: [{ type: 'button', action_id: 'yes', block_id: 'b1', value: '1' }] } } });
    assert.equal(click.status, 200, JSON.stringify(click.body));
    assert.deepEqual(click.body, { ok: true, response: null });
    assert.equal(clicked.action.action_id, 'yes');
    assert.equal(clicked.body.message.ts, ts);
    assert.equal(clicked.body.user.id, s.messaging.admin_user_id);
    assert.equal(clicked.body.container.message_ts, ts);
    const texts = async () => (await client.conversations.history({ channel: general })).messages.filter((m) => m.ts === ts).map((m) => m.text);
    await until(async () => (await texts())[0] === 'thanks', 'the replaced message');
    const star = await s.rest('POST', '/api/interactions', { token: s.messaging.user_token, body: { app_id: made.app_id,
      payload: { type: 'message_action', callback_id: 'star', channel: { id: general }, message_ts: ts } } });
    assert.equal(star.status, 200, JSON.stringify(star.body));
    assert.equal(shortcut.callback_id, 'star');
    await until(async () => (await texts()).length === 0, 'the deleted message');

    // What the manifest asks for is registered: events and commands.
    await s.admin.chat.postMessage({ channel: general, text: 'by manifest' });
    await until(() => heard.find((e) => e.text === 'by manifest'), 'the event that the manifest asks for');
    const vote = await s.rest('POST', '/api/commands/execute', { token: s.messaging.user_token, body: { command: '/vote', channel: general } });
    assert.equal(vote.body.response.text, 'vote!');
  } finally { await app.stop(); }
});
