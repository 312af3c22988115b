// Older majors of the clients post, read, page and receive as the current ones do.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { serve, freePort } from '../process.mjs';
import { versionOf, witnessed } from '../witness.mjs';

const require = createRequire(import.meta.url);
let s, m;

before(async () => {
  s = await serve();
  m = s.credentials.messaging;
});
after(() => s?.stop());

const until = async (probe, what) => {
  for (const began = Date.now(); Date.now() - began < 60_000; await new Promise((r) => setTimeout(r, 20))) {
    const got = await probe();
    if (got) return got;
  }
  throw new Error(`${what}: not within a minute`);
};

const official = (name, folder) => ({ service: 'messaging', kind: 'official', name, version: versionOf(require, folder) });

for (const major of [5, 6, 7, 8]) {
  test(`web-api ${major}`, () => witnessed(s, official('@slack/web-api', `web-api-${major}`), async (w) => {
    const { WebClient } = require(`web-api-${major}`);
    const client = new WebClient(m.bot_token, { slackApiUrl: `${w.base_url}/api/`, retryConfig: { retries: 0 } });
    assert.equal((await client.auth.test()).bot_id, m.bot_id);
    const { channel } = await client.conversations.create({ name: `major-${major}` });
    const blocks = [{ type: 'section', text: { type: 'mrkdwn', text: '*hi*' } }];
    const { ts, message } = await client.chat.postMessage({ channel: channel.id, text: 'a & b', blocks });
    assert.equal(message.text, 'a &amp; b');
    assert.equal((await client.chat.update({ channel: channel.id, ts, text: 'changed' })).text, 'changed');
    await client.reactions.add({ channel: channel.id, timestamp: ts, name: 'thumbsup' });
    await client.chat.postMessage({ channel: channel.id, text: 'reply', thread_ts: ts });
    const pages = [];
    for await (const page of client.paginate('conversations.replies', { channel: channel.id, ts, limit: 1 })) pages.push(page.messages.map((x) => x.text));
    assert.deepEqual(pages, [['changed'], ['reply']]);
    const markdown = await client.chat.postMessage({ channel: channel.id, markdown_text: '**bold** [link](https://x.io)' });
    assert.equal(markdown.message.text, 'bold link');
    await assert.rejects(client.chat.postMessage({ channel: channel.id, text: 'x', blocks: [{ type: 'section', foo: 1, text: blocks[0].text }] }), (e) => {
      assert.equal(e.data.error, 'invalid_blocks');
      assert.deepEqual(e.data.errors, ['invalid additional property: foo [json-pointer:/blocks/0]']);
      return true;
    });
    const users = [];
    for await (const page of client.paginate('users.list', { limit: 2 })) users.push(...page.members);
    assert.ok(users.some((u) => u.id === 'USLACKBOT'));
    await client.chat.delete({ channel: channel.id, ts });
    assert.equal((await client.conversations.replies({ channel: channel.id, ts })).messages[0].subtype, 'tombstone');
  }));
}

for (const major of [2, 3, 4, 5]) {
  test(`bolt ${major}`, () => witnessed(s, official('@slack/bolt', `bolt-${major}`), async (w) => {
    const { App } = require(`bolt-${major}`);
    const port = await freePort();
    const app = new App({ token: m.bot_token, signingSecret: m.signing_secret, logLevel: 'error', clientOptions: { slackApiUrl: `${w.base_url}/api/` } });
    const got = [];
    app.event('app_mention', async ({ event, say }) => { got.push(event); await say(`heard ${major}`); });

    await app.start(port);
    try {
      const url = `http://127.0.0.1:${port}/slack/events`;
      const rest = (path, body) => fetch(`${m.base_url}${path}`, { method: 'POST', headers: { authorization: `Bearer ${m.user_token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) });
      const subscribed = await rest('/api/events/subscribe', { url, event_types: ['app_mention'] });
      assert.equal(subscribed.status, 201);
      const { id } = await subscribed.json();
      const call = async (method, args) => (await rest(`/api/${method}`, args)).json();
      const { channel } = await call('conversations.create', { name: `bolt-${major}` });
      await call('conversations.invite', { channel: channel.id, users: m.bot_user_id });
      await call('chat.postMessage', { channel: channel.id, text: `<@${m.bot_user_id}> hello` });
      const event = await until(() => got.find((e) => e.type === 'app_mention'), 'the mention');
      assert.equal(event.channel, channel.id);
      await until(async () => (await call('conversations.history', { channel: channel.id })).messages.some((x) => x.text === `heard ${major}`), 'the answer');
      await fetch(`${m.base_url}/api/events/subscriptions/${id}`, { method: 'DELETE', headers: { authorization: `Bearer ${m.user_token}` } });
    } finally {
      await app.stop();
    }
  }));
}
