// The REST control plane: accounts, workspaces, apps, provisioning, docs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refused, start } from './harness.mjs';

describe('control plane', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());

  const wants = (r, status, code) => {
    assert.equal(r.status, status, JSON.stringify(r.body));
    if (code) assert.equal(r.body.error, code);
    if (status >= 400) {
      assert.equal(typeof r.body.error, 'string');
      assert.equal(typeof r.body.message, 'string');
      assert.equal(r.body.ok, undefined, 'no envelope here');
    }
    return r.body;
  };
  const signup = (body) => s.rest('POST', '/api/auth/signup', { body });
  const fresh = () => ({ email: `${s.name('mail')}@example.com`, password: 'long enough', name: 'Sam' });

  describe('accounts', () => {
    it('signs up, with a workspace or without', async () => {
      const who = fresh();
      const bare = wants(await signup(who), 201);
      assert.deepEqual([bare.token_type, bare.account.email, bare.account.name], ['Bearer', who.email, 'Sam']);
      assert.ok(bare.access_token && bare.refresh_token && Number.isInteger(bare.expires_in) && bare.expires_in > 0);
      assert.equal(bare.workspace ?? null, null);
      const founder = wants(await signup({ ...fresh(), workspace_name: 'Founders' }), 201);
      assert.equal(founder.workspace.name, 'Founders');
      assert.match(founder.workspace.id, /^T[A-Z0-9]{8,}$/);
      assert.match(founder.user.id, /^U[A-Z0-9]{8,}$/);
      const { channels } = await s.client(founder.access_token).conversations.list();
      assert.deepEqual(channels.map((c) => c.name).sort(), ['general', 'random']);
    });

    it('refuses bad sign-ups', async () => {
      const who = fresh();
      wants(await signup(who), 201);
      wants(await signup(who), 409);
      for (const bad of [{ ...fresh(), password: 'short' }, { ...fresh(), email: 'nonsense' }, { ...fresh(), email: undefined }]) {
        const r = await signup(bad);
        assert.ok([400, 422].includes(r.status), JSON.stringify(r));
        wants(r, r.status);
      }
      const raw = await fetch(`${s.base}/api/auth/signup`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' });
      assert.equal(raw.status, 400);
    });

    it('logs in, and only with the right password', async () => {
      const p = await s.person();
      const r = wants(await s.rest('POST', '/api/auth/login', { body: { email: p.email, password: p.password, workspace_id: s.messaging.workspace_id } }), 200);
      assert.equal(r.user.id, p.id);
      assert.equal((await s.client(r.access_token).auth.test()).user_id, p.id);
      wants(await s.rest('POST', '/api/auth/login', { body: { email: p.email, password: 'wrong password' } }), 401);
      wants(await s.rest('POST', '/api/auth/login', { body: { email: 'nobody@example.com', password: 'wrong password' } }), 401);
      wants(await s.rest('POST', '/api/auth/login', { body: { email: s.messaging.admin_email, password: s.messaging.admin_password } }), 200);
    });

    it('rotates refresh tokens and ends the family of a reused one', async () => {
      const first = wants(await signup(fresh()), 201);
      const refresh = (refresh_token) => s.rest('POST', '/api/auth/refresh', { body: { refresh_token } });
      const second = wants(await refresh(first.refresh_token), 200);
      assert.notEqual(second.refresh_token, first.refresh_token);
      wants(await refresh(first.refresh_token), 401);
      wants(await refresh(second.refresh_token), 401);
      wants(await refresh('nonsense'), 401);
    });

    it('logs out', async () => {
      const up = wants(await signup(fresh()), 201);
      wants(await s.rest('POST', '/api/auth/logout', { token: up.access_token, body: { refresh_token: up.refresh_token } }), 204);
      wants(await s.rest('POST', '/api/auth/refresh', { body: { refresh_token: up.refresh_token } }), 401);
    });

    it('tells who is asking', async () => {
      const p = await s.person();
      const me = wants(await s.rest('GET', '/api/auth/me', { token: p.jwt }), 200);
      assert.equal(me.account.email, p.email);
      assert.equal(me.user.id, p.id);
      assert.equal(me.workspace.id, s.messaging.workspace_id);
      assert.deepEqual(me.workspaces.map((w) => w.id), [s.messaging.workspace_id]);
      const admin = wants(await s.rest('GET', '/api/auth/me', { token: s.messaging.user_token }), 200);
      assert.equal(admin.user.id, s.messaging.admin_user_id);
      wants(await s.rest('GET', '/api/auth/me'), 401);
      wants(await s.rest('GET', '/api/auth/me', { token: 'nonsense' }), 401);
    });
  });

  describe('workspaces', () => {
    it('are made, read, changed, left to admins, and deleted', async () => {
      const owner = wants(await signup(fresh()), 201);
      const made = wants(await s.rest('POST', '/api/workspaces', { token: owner.access_token, body: { name: 'Second', domain: s.name('second') } }), 201);
      const { id } = made.workspace;
      const path = `/api/workspaces/${id}`;
      assert.equal((await s.client(made.access_token).auth.test()).team_id, id);
      assert.ok(wants(await s.rest('GET', '/api/workspaces', { token: made.access_token }), 200).workspaces.some((w) => w.id === id));
      assert.equal(wants(await s.rest('GET', path, { token: made.access_token }), 200).workspace.name, 'Second');
      assert.equal(wants(await s.rest('PUT', path, { token: made.access_token, body: { name: 'Renamed' } }), 200).workspace.name, 'Renamed');

      const guest = wants(await signup(fresh()), 201);
      const outsider = await s.rest('GET', path, { token: guest.access_token });
      assert.ok([403, 404].includes(outsider.status), `${outsider.status}`);
      const joined = wants(await s.rest('POST', `${path}/join`, { token: guest.access_token }), 200);
      assert.equal(joined.workspace.id, id);
      const { channels } = await s.client(joined.access_token).conversations.list();
      assert.equal(channels.find((c) => c.is_general).is_member, true, 'who joins is put into general');
      wants(await s.rest('PUT', path, { token: joined.access_token, body: { name: 'Mine' } }), 403);
      wants(await s.rest('DELETE', path, { token: joined.access_token }), 403);
      wants(await s.rest('DELETE', path, { token: made.access_token }), 204);
      const gone = await s.rest('GET', path, { token: made.access_token });
      assert.ok([401, 403, 404].includes(gone.status), `${gone.status}`);
      const outcome = await s.client(made.access_token).auth.test().catch((err) => err.data);
      assert.equal(outcome.ok, false, 'a deleted workspace takes nobody');
    });

    it('refuse bad names and unknown ids', async () => {
      const owner = wants(await signup(fresh()), 201);
      const r = await s.rest('POST', '/api/workspaces', { token: owner.access_token, body: {} });
      assert.ok([400, 422].includes(r.status), `${r.status}`);
      wants(await s.rest('POST', '/api/workspaces/T0NOTHING00/join', { token: owner.access_token }), 404);
      wants(await s.rest('POST', '/api/workspaces', { body: { name: 'x' } }), 401);
    });
  });

  describe('apps', () => {
    const create = (manifest, token = s.messaging.user_token) => s.rest('POST', '/api/apps', { token, body: { manifest } });

    it('come from a manifest, with a bot of their own', async () => {
      const { app, client } = await s.app(['chat:write', 'users:read'], 'Helper');
      assert.match(app.app_id, /^A[A-Z0-9]{8,}$/);
      assert.match(app.bot_id, /^B[A-Z0-9]{8,}$/);
      assert.match(app.bot_user_id, /^U[A-Z0-9]{8,}$/);
      assert.match(app.bot_token, /^xoxb-/);
      assert.ok(app.signing_secret && app.verification_token);
      assert.deepEqual(app.scopes.bot, ['chat:write', 'users:read']);
      const me = await client.auth.test();
      assert.deepEqual([me.user_id, me.bot_id], [app.bot_user_id, app.bot_id]);
      const { user } = await client.users.info({ user: app.bot_user_id });
      assert.deepEqual([user.is_bot, user.profile.api_app_id], [true, app.app_id]);
      const list = wants(await s.rest('GET', '/api/apps', { token: s.messaging.user_token }), 200);
      assert.ok(list.apps.some((a) => a.app_id === app.app_id));
      assert.ok(!JSON.stringify(list).includes(app.bot_token) && !JSON.stringify(list).includes(app.signing_secret), 'no secrets');
    });

    it('have their manifest checked', async () => {
      for (const manifest of [undefined, 'text', {}, { display_information: {} }, { display_information: { name: 'x'.repeat(36) } },
        { display_information: { name: 'ok' }, oauth_config: { scopes: { bot: ['no:such:scope'] } } },
        { display_information: { name: 'ok' }, oauth_config: { scopes: { bot: 'chat:write' } } }]) {
        const r = await create(manifest);
        assert.ok([400, 422].includes(r.status), `${JSON.stringify(manifest)}: ${r.status}`);
        wants(r, r.status);
      }
      wants(await create({ display_information: { name: 'x' } }, s.messaging.bot_token), 403);
      wants(await create({ display_information: { name: 'x' } }, 'nonsense'), 401);
    });
  });

  it('answers health, docs and its own description', async () => {
    assert.deepEqual(wants(await s.rest('GET', '/api/health'), 200), { status: 'ok' });
    const doc = wants(await s.rest('GET', '/api/openapi.json'), 200);
    assert.match(doc.openapi, /^3\.1/);
    assert.equal(Object.keys(doc.paths).filter((p) => /\/[a-z]+\.[A-Za-z.]+$/.test(p) && !p.endsWith('.json')).length, 27);
    const page = await fetch(`${s.base}/api/docs`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type'), /^text\/html/);
    for (const [, url] of (await page.text()).matchAll(/(?:src|href)="([^"#]+)"/g)) {
      const asset = new URL(url, `${s.base}/api/docs`);
      assert.equal(asset.origin, new URL(s.base).origin, `${url} must come from this server`);
      assert.equal((await fetch(asset)).status, 200, url);
    }
  });

  it('refuses unknown routes and methods in its own form', async () => {
    wants(await s.rest('GET', '/api/workspaces/T1/nothing', { token: s.messaging.user_token }), 404);
    wants(await s.rest('DELETE', '/api/auth/login'), 405);
  });
});

describe('provisioning', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());
  const provision = (token, body = {}) => s.rest('POST', '/api/admin/provision', { token, body });

  it('rotates the default tokens and keeps the ids', async () => {
    const old = s.messaging;
    const { client: other } = await s.app(['chat:write']);
    const jwt = (await s.person()).client;
    const r = await provision(old.user_token, { rotate: true });
    assert.equal(r.status, 200, JSON.stringify(r.body));
    for (const key of ['workspace_id', 'app_id', 'bot_id', 'bot_user_id', 'admin_user_id']) assert.equal(r.body[key], old[key], key);
    for (const key of ['bot_token', 'user_token']) {
      assert.notEqual(r.body[key], old[key]);
      const { error } = await s.client(old[key]).auth.test().catch((err) => err.data);
      assert.ok(['token_revoked', 'invalid_auth'].includes(error), `${key}: ${error}`);
      assert.equal((await s.client(r.body[key]).auth.test()).ok, true);
    }
    assert.equal((await other.auth.test()).ok, true, 'other apps keep their tokens');
    assert.equal((await jwt.auth.test()).ok, true, 'people stay signed in');
    const stored = JSON.parse(readFileSync(join(s.dir, 'credentials.json'), 'utf8')).messaging;
    assert.deepEqual([stored.bot_token, stored.user_token], [r.body.bot_token, r.body.user_token]);
    s.messaging = r.body;
  });

  it('makes another workspace with everything in it', async () => {
    const r = await provision(s.credentials.admin.key, { workspace_name: 'Elsewhere' });
    assert.equal(r.status, 200, JSON.stringify(r.body));
    assert.notEqual(r.body.workspace_id, s.messaging.workspace_id);
    for (const key of ['bot_token', 'user_token']) assert.equal((await s.client(r.body[key]).auth.test()).team_id, r.body.workspace_id);
    assert.equal((await s.admin.auth.test()).ok, true, 'the default one is untouched');
    const login = await s.rest('POST', '/api/auth/login', { body: { email: r.body.admin_email, password: r.body.admin_password } });
    assert.equal(login.status, 200);
  });

  it('is for admins', async () => {
    const p = await s.person();
    assert.equal((await provision(undefined)).status, 401);
    assert.equal((await provision('nonsense')).status, 401);
    assert.equal((await provision(p.jwt, { rotate: true })).status, 403);
    assert.equal((await provision(s.messaging.bot_token, { rotate: true })).status, 403);
    await refused(s.client('nonsense').auth.test(), 'invalid_auth');
  });
});
