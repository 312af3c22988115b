// Incoming webhooks through the official client, and by hand where it says nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { IncomingWebhook } from '@slack/webhook';
import { start } from '../node/harness.mjs';
import { receiver, until } from './receiver.mjs';

let s;
before(async () => { s = await start(); });
after(async () => { await s?.stop(); });

const create = async (channel, options = {}) => {
  const made = await s.rest('POST', '/api/webhooks/incoming', { token: s.messaging.user_token, body: { channel, ...options } });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
};

const post = async (url, body, type = 'application/json') => {
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
  return [reply.status, await reply.text()];
};

test('send: text, blocks, attachments and threads, under the name of the webhook', async () => {
  const channel = await s.channel();
  const hook = await create(channel.name, { name: 'build' });
  assert.equal(hook.channel, channel.id);
  const client = new IncomingWebhook(hook.url);
  assert.deepEqual(await client.send('a & b'), { text: 'ok' });
  await client.send({ text: 'fallback', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*bold*' } }], channel: '#elsewhere' });
  await client.send({ attachments: [{ text: 'attached', color: '#ff0000' }], username: 'robot', icon_emoji: ':robot_face:' });
  const { messages: [attached, blocks, text] } = await s.admin.conversations.history({ channel: channel.id });
  assert.equal(text.text, 'a &amp; b');
  assert.equal(text.subtype, 'bot_message');
  assert.equal(text.username, 'build');
  assert.equal(text.bot_id, s.messaging.bot_id);
  assert.equal(text.user, undefined);
  assert.equal(blocks.blocks[0].text.text, '*bold*');
  assert.equal(attached.attachments[0].text, 'attached');
  assert.equal(attached.username, 'robot');
  await client.send({ text: 'reply', thread_ts: text.ts });
  const { messages: [, reply] } = await s.admin.conversations.replies({ channel: channel.id, ts: text.ts });
  assert.equal(reply.text, 'reply');
});

test('a private channel needs no membership of the bot, and the form and the upstream address work', async () => {
  const channel = await s.channel(s.admin, { is_private: true });
  const hook = await create(channel.id);
  assert.deepEqual(await post(hook.url, new URLSearchParams({ payload: JSON.stringify({ text: 'form' }) }).toString(), 'application/x-www-form-urlencoded'),
    [200, 'ok']);
  const alias = `${s.base}/services/${s.messaging.workspace_id}/${hook.bot_id}/${hook.id}`;
  assert.deepEqual(await post(alias, '{"text":"alias"}'), [200, 'ok']);
  assert.deepEqual(await post(alias.replace(hook.bot_id, 'B0000000000'), '{"text":"x"}'), [404, 'no_service']);
  const { messages } = await s.admin.conversations.history({ channel: channel.id });
  assert.deepEqual(messages.map((m) => m.text).slice(0, 2), ['alias', 'form']);
});

test('refusals are plain text', async () => {
  const channel = await s.channel();
  const hook = await create(channel.id);
  assert.deepEqual(await post(hook.url, '{'), [400, 'invalid_payload']);
  assert.deepEqual(await post(hook.url, ''), [400, 'invalid_payload']);
  assert.deepEqual(await post(hook.url, '{}'), [400, 'no_text']);
  assert.deepEqual(await post(hook.url, '{"text":"x","blocks":[{"type":"nonsense"}]}'), [400, 'invalid_blocks']);
  assert.deepEqual(await post(`${s.base}/api/webhooks/incoming/nosuchsecret`, '{"text":"x"}'), [404, 'no_service']);
  await s.admin.conversations.archive({ channel: channel.id });
  assert.deepEqual(await post(hook.url, '{"text":"x"}'), [410, 'channel_is_archived']);
  await assert.rejects(new IncomingWebhook(hook.url).send('x'), /410/);
  const gone = await s.rest('DELETE', `/api/webhooks/incoming/${hook.id}`, { token: s.messaging.user_token });
  assert.equal(gone.status, 204);
  assert.deepEqual(await post(hook.url, '{"text":"x"}'), [404, 'no_service']);
});

test('the secret of a webhook is not in the recorded requests', async () => {
  const hook = await create((await s.channel()).id);
  await post(hook.url, '{"text":"x"}');
  const { body } = await s.rest('GET', '/environments/default/requests?limit=200', { token: s.credentials.admin.key, base: s.credentials.admin.base_url });
  const paths = body.requests.map((r) => r.path).filter((p) => p.includes('webhooks/incoming/'));
  assert.ok(paths.length > 0 && paths.every((p) => p.endsWith('[redacted]')), JSON.stringify(paths));
});

test('outgoing webhooks: public channels, trigger words, own secret; a private channel when asked', async () => {
  const { createHmac } = await import('node:crypto');
  const open = await s.channel();
  const closed = await s.channel(s.admin, { is_private: true });
  const r = await receiver();
  const make = async (body) => {
    const made = await s.rest('POST', '/api/webhooks/outgoing', { token: s.messaging.user_token, body: { url: r.url, ...body } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  try {
    const all = await make({});
    const words = await make({ trigger_words: ['deploy'], channel: open.name, url: `${r.url}/words` });
    const secret = await make({ channel: closed.id, url: `${r.url}/closed` });
    for (const text of ['hello', 'Deploy now', 'deployment', 'please deploy']) await s.admin.chat.postMessage({ channel: open.id, text });
    await s.admin.chat.postMessage({ channel: closed.id, text: 'private' });
    await until(() => r.got.length >= 6, 'six deliveries');
    const texts = (path) => r.got.filter((g) => g.path === path).map((g) => g.body.event.text);
    assert.deepEqual(texts('/hook'), ['hello', 'Deploy now', 'deployment', 'please deploy']);
    assert.deepEqual(texts('/hook/words'), ['Deploy now']);
    assert.deepEqual(texts('/hook/closed'), ['private']);
    const one = r.got.find((g) => g.path === '/hook/closed');
    const stamp = one.headers['x-slack-request-timestamp'];
    assert.equal(one.headers['x-slack-signature'], `v0=${createHmac('sha256', secret.signing_secret).update(`v0:${stamp}:${one.raw}`).digest('hex')}`);
    assert.equal(one.body.token, secret.token);
    assert.equal(one.body.type, 'event_callback');
    assert.equal(one.headers['user-agent'].startsWith('Slackbot 1.0'), true);
    const list = await s.rest('GET', '/api/webhooks/outgoing', { token: s.messaging.user_token });
    assert.deepEqual(list.body.webhooks.map((h) => h.id), [all.id, words.id, secret.id]);
    assert.ok(!JSON.stringify(list.body).includes(secret.signing_secret));
    for (const h of list.body.webhooks) {
      assert.equal((await s.rest('DELETE', `/api/webhooks/outgoing/${h.id}`, { token: s.messaging.user_token })).status, 204);
    }
    const before = r.got.length;
    await s.admin.chat.postMessage({ channel: open.id, text: 'after' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(r.got.length, before);
  } finally { r.stop(); }
});
