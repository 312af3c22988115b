// auth.test, tokens, and what every reply carries.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

describe('auth.test', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());

  it('tells a bot token who it is', async () => {
    const r = await s.bot.auth.test();
    assert.equal(r.ok, true);
    assert.equal(r.team_id, s.messaging.workspace_id);
    assert.equal(r.user_id, s.messaging.bot_user_id);
    assert.equal(r.bot_id, s.messaging.bot_id, 'bolt needs bot_id to leave its own posts alone');
    assert.equal(r.is_enterprise_install, false);
    assert.match(r.url, /^https?:\/\/.+\/$/);
    assert.ok(r.team && r.user);
  });

  it('tells a user token who it is, without a bot id', async () => {
    const r = await s.admin.auth.test();
    assert.equal(r.user_id, s.messaging.admin_user_id);
    assert.equal(r.bot_id, undefined);
  });

  it('takes a JWT as that user', async () => {
    const p = await s.person();
    assert.equal((await p.client.auth.test()).user_id, p.id);
  });

  it('takes the token from the call instead of the client', async () => {
    const r = await s.client().auth.test({ token: s.messaging.bot_token });
    assert.equal(r.user_id, s.messaging.bot_user_id);
  });

  it('refuses at once: no token, unknown tokens, unknown methods', async () => {
    await refused(s.client().auth.test(), 'not_authed');
    for (const bad of ['xoxb-1-1-nothing', 'xoxp-nothing', 'nothing', 'eyJhbGciOiJub25lIn0.e30.']) {
      await refused(s.client(bad).auth.test(), 'invalid_auth');
    }
    for (const method of ['files.list', 'pins.add', 'views.open', 'admin.users.list', 'chat.nothing', 'auth.revoke']) {
      await refused(s.bot.apiCall(method), 'unknown_method');
    }
    await refused(s.client('xoxb-nothing').apiCall('files.list'), 'unknown_method');
  });

  it('names the scopes of the token and of the method', async () => {
    const { client } = await s.app(['chat:write', 'users:read']);
    const r = await client.users.list({ limit: 1 });
    assert.deepEqual([...r.response_metadata.scopes].sort(), ['chat:write', 'users:read']);
    assert.ok(r.response_metadata.acceptedScopes.includes('users:read'));
  });

  it('sends the headers that clients look at', async () => {
    const r = await fetch(`${s.base}/api/auth.test`, { method: 'POST', headers: { authorization: `Bearer ${s.messaging.bot_token}` } });
    assert.equal(r.status, 200);
    assert.equal(r.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.ok(r.headers.get('x-oauth-scopes'));
    assert.ok(r.headers.get('x-slack-req-id'));
    assert.equal(r.headers.get('content-encoding'), null);
  });
});
