// Two workspaces of one environment never see each other.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

describe('isolation of workspaces', () => {
  let s;
  let far; // the other workspace's credentials
  let theirs; // its clients
  let channel;
  let ts;
  before(async () => {
    s = await start();
    const r = await s.rest('POST', '/api/admin/provision', { token: s.credentials.admin.key, body: { workspace_name: 'Far' } });
    assert.equal(r.status, 200, JSON.stringify(r.body));
    far = r.body;
    theirs = { admin: s.client(far.user_token), bot: s.client(far.bot_token) };
    channel = (await s.channel()).id;
    ({ ts } = await s.admin.chat.postMessage({ channel, text: 'nightingale' }));
  });
  after(() => s.stop());

  it('channels are not found from outside', async () => {
    for (const client of [theirs.admin, theirs.bot]) {
      for (const [method, args] of [
        ['chat.postMessage', { channel, text: 'x' }], ['chat.update', { channel, ts, text: 'x' }], ['chat.delete', { channel, ts }],
        ['conversations.info', { channel }], ['conversations.history', { channel }], ['conversations.replies', { channel, ts }],
        ['conversations.members', { channel }], ['conversations.join', { channel }], ['conversations.leave', { channel }],
        ['conversations.archive', { channel }], ['conversations.invite', { channel, users: far.bot_user_id }],
        ['conversations.kick', { channel, user: s.messaging.admin_user_id }], ['conversations.rename', { channel, name: 'x' }],
        ['conversations.setTopic', { channel, topic: 'x' }], ['conversations.setPurpose', { channel, purpose: 'x' }],
        ['conversations.open', { channel }], ['reactions.add', { channel, timestamp: ts, name: 'wave' }],
        ['reactions.remove', { channel, timestamp: ts, name: 'wave' }],
      ]) await refused(client.apiCall(method, args), 'channel_not_found');
    }
  });

  it('people are not found from outside', async () => {
    const user = s.messaging.admin_user_id;
    await refused(theirs.bot.users.info({ user }), 'user_not_found');
    await refused(theirs.bot.users.profile.get({ user }), 'user_not_found');
    await refused(theirs.admin.users.profile.set({ user, profile: { title: 'x' } }), 'user_not_found');
    await refused(theirs.admin.conversations.open({ users: user }), 'user_not_found');
    await refused(theirs.admin.chat.postMessage({ channel: user, text: 'x' }), 'channel_not_found');
    const own = (await theirs.admin.conversations.create({ name: s.name() })).channel.id;
    await refused(theirs.admin.conversations.invite({ channel: own, users: user }), 'user_not_found');
    assert.ok((await theirs.bot.users.list()).members.every((m) => m.team_id === far.workspace_id));
  });

  it('lists, names and searches stay inside', async () => {
    const { channels } = await theirs.admin.conversations.list({ team_id: s.messaging.workspace_id });
    assert.ok(!channels.some((c) => c.id === channel));
    const { name } = (await s.admin.conversations.info({ channel })).channel;
    await refused(theirs.bot.chat.postMessage({ channel: name, text: 'x' }), 'channel_not_found');
    const same = (await theirs.admin.conversations.create({ name })).channel;
    assert.notEqual(same.id, channel, 'a name may be used in both');
    assert.equal((await theirs.admin.search.messages({ query: 'nightingale' })).messages.total, 0);
    await theirs.admin.chat.postMessage({ channel: same.id, text: 'nightingale abroad' });
    assert.equal((await s.admin.search.messages({ query: 'nightingale' })).messages.total, 1);
    assert.equal((await theirs.admin.search.messages({ query: 'nightingale in:' + channel })).messages.total, 0);
  });

  it('cursors of one say nothing in the other', async () => {
    await s.channel();
    const { response_metadata } = await s.admin.conversations.list({ limit: 1 });
    const outcome = await theirs.admin.conversations.list({ limit: 50, cursor: response_metadata.next_cursor }).then((r) => r, (err) => err.data);
    assert.ok(!JSON.stringify(outcome.channels ?? []).includes(channel));
  });

  it('apps and accounts stay inside', async () => {
    const apps = await s.rest('GET', '/api/apps', { token: far.user_token });
    assert.ok(!apps.body.apps.some((a) => a.app_id === s.messaging.app_id));
    const read = await s.rest('GET', `/api/workspaces/${s.messaging.workspace_id}`, { token: far.user_token });
    assert.ok([403, 404].includes(read.status), `${read.status}`);
    const erase = await s.rest('DELETE', `/api/workspaces/${s.messaging.workspace_id}`, { token: far.user_token });
    assert.ok([403, 404].includes(erase.status), `${erase.status}`);
    assert.equal((await s.admin.auth.test()).ok, true);
  });
});
