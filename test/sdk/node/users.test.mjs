// users.list, .info, .profile.get, .profile.set, .setPresence.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

describe('users', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());

  it('lists people and bots', async () => {
    const p = await s.person();
    const r = await s.bot.users.list({});
    assert.ok(Number.isInteger(r.cache_ts));
    assert.equal(r.response_metadata.next_cursor, '');
    const byId = new Map(r.members.map((m) => [m.id, m]));
    assert.equal(byId.get(s.messaging.bot_user_id).is_bot, true);
    assert.equal(byId.get(s.messaging.bot_user_id).profile.bot_id, s.messaging.bot_id);
    assert.equal(byId.get(p.id).is_bot, false);
    assert.equal(byId.get(s.messaging.admin_user_id).is_admin, true);
    assert.equal(byId.get(p.id).is_admin, false);
    assert.ok(r.members.every((m) => m.team_id === s.messaging.workspace_id));
    await refused(s.bot.users.list({ cursor: 'nonsense' }), 'invalid_cursor');
  });

  it('shows one user whole', async () => {
    const { user } = await s.bot.users.info({ user: s.messaging.admin_user_id });
    for (const key of ['id', 'team_id', 'name', 'real_name', 'tz', 'tz_label', 'color', 'who_can_share_contact_card']) assert.equal(typeof user[key], 'string', key);
    for (const key of ['deleted', 'is_admin', 'is_owner', 'is_primary_owner', 'is_restricted', 'is_ultra_restricted', 'is_bot', 'is_app_user', 'is_email_confirmed']) assert.equal(typeof user[key], 'boolean', key);
    for (const key of ['tz_offset', 'updated']) assert.ok(Number.isInteger(user[key]), key);
    assert.match(user.color, /^[0-9a-f]{6}$/);
    assert.ok(Number.isInteger(user.profile.status_expiration));
    assert.equal(user.profile.email, s.messaging.admin_email);
    assert.equal(user.locale, undefined);
    assert.match((await s.bot.users.info({ user: user.id, include_locale: true })).user.locale, /^[a-z]{2}-[A-Z]{2}$/);
    await refused(s.bot.users.info({ user: 'U0NOTHING00' }), 'user_not_found');
    await refused(s.bot.apiCall('users.info'), 'invalid_arguments');
  });

  it('shows several users', async () => {
    const p = await s.person();
    const { users } = await s.bot.apiCall('users.info', { users: `${p.id},${s.messaging.bot_user_id}` });
    assert.deepEqual(users.map((u) => u.id).sort(), [p.id, s.messaging.bot_user_id].sort());
  });

  it('hides the address from bots without users:read.email', async () => {
    const { client } = await s.app(['users:read', 'users.profile:read']);
    assert.equal((await client.users.info({ user: s.messaging.admin_user_id })).user.profile.email, undefined);
    assert.ok((await client.users.list()).members.every((m) => m.profile.email === undefined));
    const more = await s.app(['users:read', 'users:read.email']);
    assert.equal((await more.client.users.info({ user: s.messaging.admin_user_id })).user.profile.email, s.messaging.admin_email);
  });

  it('reads a profile', async () => {
    const own = await s.admin.users.profile.get({});
    assert.equal(own.profile.email, s.messaging.admin_email);
    const other = await s.admin.users.profile.get({ user: s.messaging.bot_user_id, include_labels: true });
    assert.equal(other.profile.bot_id, s.messaging.bot_id);
    assert.equal(other.profile.api_app_id, s.messaging.app_id);
    await refused(s.admin.users.profile.get({ user: 'U0NOTHING00' }), 'user_not_found');
  });

  it('sets a profile, whole or by name and value', async () => {
    const p = await s.person();
    const r = await p.client.users.profile.set({ profile: { status_text: 'out', status_emoji: ':palm_tree:', status_expiration: 0, display_name: 'Pat', nothing: 'x' } });
    assert.equal(r.profile.status_text, 'out');
    assert.equal(r.profile.status_emoji, ':palm_tree:');
    assert.equal(r.profile.status_expiration, 0);
    assert.equal(r.profile.display_name, 'Pat');
    assert.equal(typeof r.username, 'string');
    await p.client.users.profile.set({ name: 'real_name', value: 'Pat Jones' });
    const { user } = await s.bot.users.info({ user: p.id });
    assert.equal(user.real_name, 'Pat Jones');
    assert.equal(user.profile.real_name_normalized, 'Pat Jones');
    assert.deepEqual([user.profile.first_name, user.profile.last_name], ['Pat', 'Jones']);
    assert.equal((await p.client.users.profile.set({ profile: { status_text: '' } })).profile.status_text, '', 'an empty status clears it');
  });

  it('refuses bad profiles and other people', async () => {
    const p = await s.person();
    const set = (args) => p.client.apiCall('users.profile.set', args);
    await refused(set({}), 'invalid_profile');
    await refused(set({ profile: 'nonsense' }), 'invalid_profile');
    await refused(set({ profile: '[]' }), 'invalid_profile');
    await refused(set({ profile: { status_text: 'x'.repeat(101) } }), 'too_long');
    await refused(set({ user: s.messaging.admin_user_id, profile: { title: 'x' } }), 'not_admin');
    assert.equal((await s.admin.users.profile.set({ user: p.id, profile: { title: 'Chief' } })).profile.title, 'Chief');
  });

  it('sets presence', async () => {
    for (const presence of ['away', 'auto']) assert.equal((await s.admin.users.setPresence({ presence })).ok, true);
    await refused(s.admin.users.setPresence({ presence: 'busy' }), 'invalid_presence');
    await refused(s.admin.apiCall('users.setPresence'), 'invalid_presence');
  });
});
