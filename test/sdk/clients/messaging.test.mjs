// Programs by others that talk to messaging.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SlackAPIClient } from 'slack-web-api-client';
import slackNotify from 'slack-notify';
import { serve } from '../process.mjs';
import { witnessed } from '../witness.mjs';
import { redirected, require, third, tools } from './programs.mjs';

let s, m;
before(async () => {
  s = await serve();
  m = s.credentials.messaging;
});
after(() => s?.stop());

const rest = async (path, body) => {
  const reply = await fetch(`${m.base_url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${m.user_token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return reply.json();
};

test('slack-web-api-client posts, changes, reacts, reads and is refused', () => witnessed(s, third('messaging', 'slack-web-api-client'), async (w) => {
  const client = new SlackAPIClient(m.bot_token, { baseUrl: `${w.base_url}/api/` });
  assert.equal((await client.auth.test()).bot_id, m.bot_id);
  const { channel } = await client.conversations.create({ name: 'edge' });
  const { ts } = await client.chat.postMessage({ channel: channel.id, text: 'a & b', blocks: [{ type: 'section', text: { type: 'mrkdwn', text: '*hi*' } }] });
  await client.chat.update({ channel: channel.id, ts, text: 'changed' });
  await client.reactions.add({ channel: channel.id, timestamp: ts, name: 'tada' });
  await client.chat.postMessage({ channel: channel.id, thread_ts: ts, text: 'reply' });
  assert.equal((await client.conversations.replies({ channel: channel.id, ts })).messages.length, 2);
  assert.equal((await client.conversations.history({ channel: channel.id, limit: 1 })).messages[0].text, 'changed');
  assert.ok((await client.users.list({ limit: 10 })).members.length > 0);
  assert.ok((await client.conversations.list({ types: 'public_channel' })).channels.some((c) => c.id === channel.id));
  await client.chat.delete({ channel: channel.id, ts });
  await assert.rejects(client.chat.postMessage({ channel: 'C0ABSENT00', text: 'x' }), (e) => e.error === 'channel_not_found');
}));

test('slack-notify posts through an incoming webhook', () => witnessed(s, third('messaging', 'slack-notify', { runs: 'it knows https alone: redirected' }), async (w) => {
  const { channel } = await rest('/api/conversations.create', { name: 'hooks' });
  const made = await rest('/api/webhooks/incoming', { channel: channel.id });
  Object.assign(process.env, redirected({ 'hooks.slack.com': w.url }));
  require('./redirect.cjs');
  const slack = slackNotify(made.url.replace(new URL(made.url).origin, 'https://hooks.slack.com'));
  await slack.send({ text: 'deployed', unfurl_links: 1, fields: { version: '1.2.3' }, username: 'Deploy' });
  await slack.alert('it broke');
  const texts = (await rest('/api/conversations.history', { channel: channel.id })).messages.map((x) => x.text);
  assert.ok(texts.includes('deployed') && texts.includes('it broke'), JSON.stringify(texts));
}));

test('the reference tool server reads and posts', () => witnessed(s, third('messaging', '@modelcontextprotocol/server-slack', { runs: 'its address is fixed: redirected' }), async (w) => {
  const call = await tools('@modelcontextprotocol/server-slack/dist/index.js', { SLACK_BOT_TOKEN: m.bot_token, SLACK_TEAM_ID: m.workspace_id, ...redirected({ 'slack.com': w.base_url }) });
  try {
    const { channel } = await rest('/api/conversations.create', { name: 'tools' });
    await rest('/api/conversations.invite', { channel: channel.id, users: m.bot_user_id });
    assert.ok(JSON.parse(await call('slack_list_channels')).channels.some((c) => c.id === channel.id));
    const { ts } = JSON.parse(await call('slack_post_message', { channel_id: channel.id, text: 'hello' }));
    assert.ok(JSON.parse(await call('slack_reply_to_thread', { channel_id: channel.id, thread_ts: ts, text: 'reply' })).ok);
    assert.ok(JSON.parse(await call('slack_add_reaction', { channel_id: channel.id, timestamp: ts, reaction: 'tada' })).ok);
    assert.ok(JSON.parse(await call('slack_get_channel_history', { channel_id: channel.id })).messages.some((x) => x.ts === ts));
    assert.equal(JSON.parse(await call('slack_get_thread_replies', { channel_id: channel.id, thread_ts: ts })).messages.length, 2);
    assert.ok(JSON.parse(await call('slack_get_users')).members.length > 0);
    assert.ok(JSON.parse(await call('slack_get_user_profile', { user_id: m.admin_user_id })).ok);
  } finally {
    await call.close();
  }
}));
