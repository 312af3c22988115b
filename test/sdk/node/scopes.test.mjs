// Every method asks for its scope, and says which one is missing.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

// What a bot must hold, by the kind of conversation where that matters.
const METHODS = {
  'chat.postMessage': { scope: 'chat:write', args: (x) => ({ channel: x.open, text: 'x' }) },
  'chat.update': { scope: 'chat:write', args: (x) => ({ channel: x.open, ts: x.ts, text: 'x' }) },
  'chat.delete': { scope: 'chat:write', args: (x) => ({ channel: x.open, ts: x.ts }) },
  'conversations.list': { scope: 'channels:read', args: () => ({}) },
  'conversations.create': { scope: 'channels:manage', args: (x) => ({ name: x.name() }) },
  'conversations.info': { scope: 'channels:read', args: (x) => ({ channel: x.open }) },
  'conversations.history': { scope: 'channels:history', args: (x) => ({ channel: x.open }) },
  'conversations.replies': { scope: 'channels:history', args: (x) => ({ channel: x.open, ts: x.ts }) },
  'conversations.members': { scope: 'channels:read', args: (x) => ({ channel: x.open }) },
  'conversations.join': { scope: 'channels:join', args: (x) => ({ channel: x.open }) },
  'conversations.leave': { scope: 'channels:manage', args: (x) => ({ channel: x.open }) },
  'conversations.archive': { scope: 'channels:manage', args: (x) => ({ channel: x.open }) },
  'conversations.invite': { scope: 'channels:manage', args: (x) => ({ channel: x.open, users: x.admin }) },
  'conversations.kick': { scope: 'channels:manage', args: (x) => ({ channel: x.open, user: x.admin }) },
  'conversations.rename': { scope: 'channels:manage', args: (x) => ({ channel: x.open, name: x.name() }) },
  'conversations.setTopic': { scope: 'channels:manage', args: (x) => ({ channel: x.open, topic: 'x' }) },
  'conversations.setPurpose': { scope: 'channels:manage', args: (x) => ({ channel: x.open, purpose: 'x' }) },
  'conversations.open': { scope: 'im:write', args: (x) => ({ users: x.admin }) },
  'reactions.add': { scope: 'reactions:write', args: (x) => ({ channel: x.open, timestamp: x.ts, name: 'wave' }) },
  'reactions.remove': { scope: 'reactions:write', args: (x) => ({ channel: x.open, timestamp: x.ts, name: 'wave' }) },
  'users.list': { scope: 'users:read', args: () => ({}) },
  'users.info': { scope: 'users:read', args: (x) => ({ user: x.admin }) },
  'users.profile.get': { scope: 'users.profile:read', args: () => ({}) },
  'users.setPresence': { scope: 'users:write', args: () => ({ presence: 'auto' }) },
};

describe('scopes', () => {
  let s;
  let x;
  let poor;
  before(async () => {
    s = await start();
    const open = (await s.channel()).id;
    const { ts } = await s.admin.chat.postMessage({ channel: open, text: 'x' });
    x = { open, ts, admin: s.messaging.admin_user_id, name: () => s.name() };
    poor = await s.app(['team:read', 'commands']);
  });
  after(() => s.stop());

  for (const [method, { scope, args }] of Object.entries(METHODS)) {
    it(`${method} needs ${scope}`, async () => {
      const data = await refused(poor.client.apiCall(method, args(x)), 'missing_scope');
      assert.ok(data.needed.split(',').includes(scope), `needed: ${data.needed}`);
      assert.deepEqual(data.provided.split(',').sort(), ['commands', 'team:read']);
      const rich = await s.app([scope]);
      const outcome = await rich.client.apiCall(method, args(x)).then((r) => r, (err) => err.data);
      assert.notEqual(outcome.error, 'missing_scope', JSON.stringify(outcome));
    });
  }

  it('auth.test needs none', async () => {
    assert.equal((await poor.client.auth.test()).user_id, poor.app.bot_user_id);
  });

  it('search and profile changes are for users, or for bots that hold the scope', async () => {
    for (const [method, args] of [['search.messages', { query: 'x' }], ['users.profile.set', { profile: { status_text: 'x' } }]]) {
      const outcome = await poor.client.apiCall(method, args).then((r) => r, (err) => err.data);
      assert.ok(['not_allowed_token_type', 'missing_scope'].includes(outcome.error), `${method}: ${JSON.stringify(outcome)}`);
    }
    const searcher = await s.app(['search:read']);
    assert.equal((await searcher.client.search.messages({ query: 'x' })).ok, true);
    const dresser = await s.app(['users.profile:write']);
    assert.equal((await dresser.client.users.profile.set({ profile: { status_text: 'here' } })).profile.status_text, 'here');
  });

  it('asks for the scope of the kind of conversation', async () => {
    const reader = await s.app(['channels:read', 'channels:history', 'channels:manage', 'chat:write']);
    const closed = await s.channel(s.admin, { is_private: true });
    await refused(reader.client.conversations.info({ channel: closed.id }), 'channel_not_found');
    await s.admin.conversations.invite({ channel: closed.id, users: reader.app.bot_user_id });
    const info = await refused(reader.client.conversations.info({ channel: closed.id }), 'missing_scope');
    assert.ok(info.needed.split(',').includes('groups:read'));
    assert.ok((await refused(reader.client.conversations.history({ channel: closed.id }), 'missing_scope')).needed.includes('groups:history'));
    assert.ok((await refused(reader.client.conversations.create({ name: s.name(), is_private: true }), 'missing_scope')).needed.includes('groups:write'));
    const { channel: im } = await reader.client.chat.postMessage({ channel: s.messaging.admin_user_id, text: 'x' });
    assert.ok((await refused(reader.client.conversations.history({ channel: im }), 'missing_scope')).needed.includes('im:history'));
    const list = await refused(reader.client.conversations.list({ types: 'public_channel,im,mpim' }), 'missing_scope');
    assert.equal(list.needed, 'im:read', 'the first that is missing');
    const single = await s.app(['im:write']);
    for (const { client } of [poor, single]) {
      const open = await refused(client.conversations.open({ users: `${s.messaging.admin_user_id},${s.messaging.bot_user_id}` }), 'missing_scope');
      assert.ok(open.needed.split(',').includes('mpim:write'), `needed: ${open.needed}`);
    }
  });

  it('another name needs chat:write.customize', async () => {
    const { client, app } = await s.app(['chat:write', 'channels:join']);
    await client.conversations.join({ channel: x.open });
    const data = await refused(client.chat.postMessage({ channel: x.open, text: 'x', username: 'Other' }), 'missing_scope');
    assert.ok(data.needed.includes('chat:write.customize'));
    assert.equal((await client.chat.postMessage({ channel: x.open, text: 'x' })).message.bot_id, app.bot_id);
  });
});
