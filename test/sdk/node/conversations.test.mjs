// The fifteen conversations methods, but for their pages (pagination.test.mjs).
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TS, refused, start } from './harness.mjs';

describe('conversations', () => {
  let s;
  let person;
  before(async () => { s = await start(); person = await s.person(); });
  after(() => s.stop());

  const system = async (channel, subtype) => {
    const { messages } = await s.admin.conversations.history({ channel });
    return messages.filter((m) => m.subtype === subtype);
  };

  describe('create', () => {
    it('makes a public channel and joins its creator', async () => {
      const name = s.name('made');
      const { channel: c } = await s.admin.conversations.create({ name });
      assert.match(c.id, /^C[A-Z0-9]{8,}$/);
      assert.equal(c.name, name);
      assert.equal(c.name_normalized, name);
      assert.equal(c.creator, s.messaging.admin_user_id);
      assert.equal(c.context_team_id, s.messaging.workspace_id);
      const flags = { is_channel: true, is_group: false, is_im: false, is_mpim: false, is_private: false, is_archived: false, is_general: false, is_shared: false, is_ext_shared: false, is_org_shared: false, is_pending_ext_shared: false, is_member: true };
      for (const [key, want] of Object.entries(flags)) assert.equal(c[key], want, key);
      assert.ok(Number.isInteger(c.created) && c.created > 1.5e9 && c.created < 1e10);
      assert.ok(Number.isInteger(c.updated) && c.updated > 1e12, 'updated is in milliseconds');
      assert.equal(c.unlinked, 0);
      assert.deepEqual(c.topic, { value: '', creator: '', last_set: 0 });
      assert.deepEqual(c.purpose, { value: '', creator: '', last_set: 0 });
      assert.deepEqual(c.previous_names, []);
      assert.deepEqual(c.pending_shared, []);
      assert.equal(c.last_read, '0000000000.000000');
      assert.equal(c.latest ?? null, null);
      const joins = await system(c.id, 'channel_join');
      assert.equal(joins.length, 1);
      assert.equal(joins[0].user, s.messaging.admin_user_id);
      assert.equal(joins[0].inviter, undefined);
    });

    it('makes a private channel', async () => {
      const c = await s.channel(s.admin, { is_private: true });
      assert.match(c.id, /^C/);
      assert.deepEqual([c.is_channel, c.is_group, c.is_private], [true, false, true]);
    });

    it('checks names', async () => {
      const create = (name) => s.admin.conversations.create({ name });
      await refused(create(''), 'invalid_name_required');
      await refused(create('x'.repeat(81)), 'invalid_name_maxlength');
      for (const bad of ['Upper', 'with space', 'dot.ted', 'ex!claim']) await refused(create(bad), 'invalid_name_specials');
      await refused(create('---'), 'invalid_name_punctuation');
      const { name } = await s.channel();
      await refused(create(name), 'name_taken');
      const hidden = await s.channel(s.admin, { is_private: true });
      await refused(person.client.conversations.create({ name: hidden.name }), 'name_taken');
      assert.equal((await create(`чат-${s.name()}`)).ok, true);
    });
  });

  describe('info', () => {
    it('shows what was asked for', async () => {
      const c = await s.channel();
      const plain = (await s.admin.conversations.info({ channel: c.id })).channel;
      assert.equal(plain.num_members, undefined);
      assert.equal(plain.locale, undefined);
      const more = (await s.admin.conversations.info({ channel: c.id, include_num_members: true, include_locale: true })).channel;
      assert.equal(more.num_members, 1);
      assert.match(more.locale, /^[a-z]{2}-[A-Z]{2}$/);
      const outside = (await s.bot.conversations.info({ channel: c.id })).channel;
      assert.equal(outside.is_member, false);
      assert.equal(outside.last_read, undefined);
    });

    it('hides what the caller may not see', async () => {
      const c = await s.channel(s.admin, { is_private: true });
      await refused(s.bot.conversations.info({ channel: c.id }), 'channel_not_found');
      await refused(person.client.conversations.info({ channel: c.id }), 'channel_not_found');
      await refused(s.bot.conversations.info({ channel: 'C0NOTHING00' }), 'channel_not_found');
      const dm = (await s.admin.conversations.open({ users: person.id })).channel.id;
      await refused(s.bot.conversations.info({ channel: dm }), 'channel_not_found');
    });
  });

  describe('list', () => {
    it('gives public channels by default, others by type and membership', async () => {
      const open = await s.channel();
      const closed = await s.channel(s.admin, { is_private: true });
      const { channel: { id: im } } = await s.admin.conversations.open({ users: person.id });
      const other = await s.person();
      const { channel: { id: mpim } } = await s.admin.conversations.open({ users: `${person.id},${other.id}` });
      const ids = async (client, types) => (await client.conversations.list({ types, limit: 900 })).channels.map((c) => c.id);
      assert.ok((await ids(s.bot)).includes(open.id));
      assert.ok(!(await ids(s.admin)).includes(closed.id));
      assert.ok((await ids(s.admin, 'private_channel')).includes(closed.id));
      assert.ok(!(await ids(s.admin, 'private_channel')).includes(open.id));
      assert.ok(!(await ids(s.bot, 'private_channel')).includes(closed.id));
      const all = await ids(s.admin, 'public_channel, private_channel,mpim,im');
      for (const id of [open.id, closed.id, im, mpim]) assert.ok(all.includes(id), id);
      assert.ok(!(await ids(s.bot, 'im,mpim')).some((id) => id === im || id === mpim));
      const entry = (await s.admin.conversations.list({ types: 'im' })).channels.find((c) => c.id === im);
      assert.equal(entry.is_im, true);
      assert.equal(entry.user, person.id);
      assert.equal(entry.name, undefined);
      const group = (await s.admin.conversations.list({ types: 'mpim' })).channels.find((c) => c.id === mpim);
      assert.match(group.name, /^mpdm-/);
    });

    it('carries members and always a cursor', async () => {
      const c = await s.channel();
      const r = await s.admin.conversations.list({ limit: 900 });
      assert.equal(r.response_metadata.next_cursor, '');
      assert.equal(r.channels.find((x) => x.id === c.id).num_members, 1);
      const names = r.channels.map((x) => x.name);
      assert.ok(names.includes('general') && names.includes('random'));
      assert.equal(r.channels.filter((x) => x.is_general).length, 1);
    });

    it('leaves archived channels out on request', async () => {
      const c = await s.channel();
      await s.admin.conversations.archive({ channel: c.id });
      const ids = async (exclude_archived) => (await s.admin.conversations.list({ exclude_archived, limit: 900 })).channels.map((x) => x.id);
      assert.ok((await ids(false)).includes(c.id));
      assert.ok(!(await ids(true)).includes(c.id));
    });

    it('refuses bad arguments', async () => {
      await refused(s.bot.conversations.list({ types: 'nonsense' }), 'invalid_types');
      await refused(s.bot.conversations.list({ limit: 1000 }), 'invalid_limit');
      await refused(s.bot.conversations.list({ limit: -1 }), 'invalid_limit');
      await refused(s.bot.conversations.list({ cursor: 'nonsense' }), 'invalid_cursor');
    });
  });

  describe('join and leave', () => {
    it('joins once and says so', async () => {
      const c = await s.channel();
      const r = await s.bot.conversations.join({ channel: c.id });
      assert.equal(r.channel.id, c.id);
      assert.equal(r.channel.is_member, true);
      assert.equal(r.warning, undefined);
      const again = await s.bot.conversations.join({ channel: c.id });
      assert.equal(again.warning, 'already_in_channel');
      assert.deepEqual(again.response_metadata.warnings, ['already_in_channel']);
      assert.equal((await system(c.id, 'channel_join')).length, 2);
    });

    it('leaves, and says when there was nothing to leave', async () => {
      const c = await s.channel();
      await s.bot.conversations.join({ channel: c.id });
      assert.equal((await s.bot.conversations.leave({ channel: c.id })).not_in_channel, undefined);
      assert.equal((await s.bot.conversations.leave({ channel: c.id })).not_in_channel, true);
      assert.equal((await system(c.id, 'channel_leave')).length, 1);
    });

    it('refuses what cannot be joined or left', async () => {
      const closed = await s.channel(s.admin, { is_private: true });
      await refused(s.bot.conversations.join({ channel: closed.id }), 'channel_not_found');
      await refused(s.admin.conversations.join({ channel: closed.id }), 'method_not_supported_for_channel_type');
      await refused(s.admin.conversations.leave({ channel: closed.id }), 'last_member');
      const { channel: { id: im } } = await s.admin.conversations.open({ users: person.id });
      await refused(s.admin.conversations.join({ channel: im }), 'method_not_supported_for_channel_type');
      await refused(s.admin.conversations.leave({ channel: im }), 'method_not_supported_for_channel_type');
      const gone = await s.channel();
      await s.admin.conversations.archive({ channel: gone.id });
      await refused(s.bot.conversations.join({ channel: gone.id }), 'is_archived');
      const { channels } = await s.admin.conversations.list();
      await refused(s.admin.conversations.leave({ channel: channels.find((c) => c.is_general).id }), 'cant_leave_general');
    });
  });

  describe('invite and kick', () => {
    it('invites several at once, with the inviter in the message', async () => {
      const c = await s.channel();
      const r = await s.admin.conversations.invite({ channel: c.id, users: `${person.id}, ${s.messaging.bot_user_id}` });
      assert.equal(r.channel.id, c.id);
      const { members } = await s.admin.conversations.members({ channel: c.id });
      assert.deepEqual([...members].sort(), [person.id, s.messaging.bot_user_id, s.messaging.admin_user_id].sort());
      const joins = (await system(c.id, 'channel_join')).filter((m) => m.inviter);
      assert.deepEqual(joins.map((m) => m.inviter), [s.messaging.admin_user_id, s.messaging.admin_user_id]);
    });

    it('takes an array as the client encodes it', async () => {
      const c = await s.channel();
      assert.equal((await s.admin.apiCall('conversations.invite', { channel: c.id, users: [person.id] })).ok, true);
    });

    it('adds nobody when one cannot be added, but for force', async () => {
      const c = await s.channel();
      const bad = await refused(s.admin.conversations.invite({ channel: c.id, users: `${person.id},U0NOTHING00` }), 'user_not_found');
      assert.deepEqual(bad.errors, [{ user: 'U0NOTHING00', ok: false, error: 'user_not_found' }]);
      assert.equal((await s.admin.conversations.members({ channel: c.id })).members.length, 1);
      const forced = await s.admin.conversations.invite({ channel: c.id, users: `${person.id},U0NOTHING00`, force: true });
      assert.equal(forced.errors.length, 1);
      assert.equal((await s.admin.conversations.members({ channel: c.id })).members.length, 2);
      const twice = await refused(s.admin.conversations.invite({ channel: c.id, users: person.id }), 'already_in_channel');
      assert.deepEqual(twice.errors, [{ user: person.id, ok: false, error: 'already_in_channel' }]);
      await refused(s.admin.conversations.invite({ channel: c.id, users: s.messaging.admin_user_id }), 'cant_invite_self');
      await refused(s.admin.conversations.invite({ channel: c.id, users: '' }), 'no_user');
      await refused(s.bot.conversations.invite({ channel: c.id, users: person.id }), 'not_in_channel');
    });

    it('kicks', async () => {
      const c = await s.channel();
      await s.admin.conversations.invite({ channel: c.id, users: person.id });
      const r = await s.admin.conversations.kick({ channel: c.id, user: person.id });
      assert.deepEqual(r.errors ?? {}, {});
      assert.ok(!Array.isArray(r.errors));
      await refused(s.admin.conversations.kick({ channel: c.id, user: person.id }), 'not_in_channel');
      await refused(s.admin.conversations.kick({ channel: c.id, user: s.messaging.admin_user_id }), 'cant_kick_self');
      await refused(s.admin.conversations.kick({ channel: c.id, user: 'U0NOTHING00' }), 'user_not_found');
      const { channels } = await s.admin.conversations.list();
      await refused(s.admin.conversations.kick({ channel: channels.find((x) => x.is_general).id, user: person.id }), 'cant_kick_from_general');
      assert.equal((await system(c.id, 'channel_leave')).length, 1);
    });
  });

  describe('rename, topic, purpose', () => {
    it('renames and remembers', async () => {
      const c = await s.channel();
      const name = s.name('renamed');
      const r = await s.admin.conversations.rename({ channel: c.id, name });
      assert.equal(r.channel.name, name);
      assert.deepEqual(r.channel.previous_names, [c.name]);
      const [said] = await system(c.id, 'channel_name');
      assert.deepEqual([said.name, said.old_name], [name, c.name]);
      const other = await s.channel();
      await refused(s.admin.conversations.rename({ channel: c.id, name: other.name }), 'name_taken');
      await refused(s.admin.conversations.rename({ channel: c.id, name: 'Not Good' }), 'invalid_name_specials');
      await refused(s.bot.conversations.rename({ channel: c.id, name: s.name() }), 'not_in_channel');
      await s.admin.conversations.invite({ channel: c.id, users: person.id });
      await refused(person.client.conversations.rename({ channel: c.id, name: s.name() }), 'not_authorized');
    });

    for (const [method, key] of [['setTopic', 'topic'], ['setPurpose', 'purpose']]) {
      it(`${method} sets, clears and escapes`, async () => {
        const c = await s.channel();
        const r = await s.admin.conversations[method]({ channel: c.id, [key]: 'a & b' });
        assert.equal(r.channel.id, c.id);
        assert.equal(r.channel[key].value, 'a &amp; b');
        assert.equal(r.channel[key].creator, s.messaging.admin_user_id);
        assert.ok(Number.isInteger(r.channel[key].last_set) && r.channel[key].last_set > 0);
        assert.equal(r[key], 'a &amp; b');
        await s.admin.conversations[method]({ channel: c.id, [key]: 'a & b' });
        const said = await system(c.id, `channel_${key}`);
        assert.equal(said.length, 1, 'no message when nothing changed');
        assert.equal(said[0][key], 'a &amp; b');
        assert.equal((await s.admin.conversations[method]({ channel: c.id, [key]: '' })).channel[key].value, '');
        await refused(s.admin.conversations[method]({ channel: c.id, [key]: 'x'.repeat(251) }), 'too_long');
        const missing = await refused(s.admin.apiCall(`conversations.${method}`, { channel: c.id }), 'invalid_arguments');
        assert.deepEqual(missing.response_metadata.messages, [`[ERROR] missing required field: ${key}`]);
        await refused(s.bot.conversations[method]({ channel: c.id, [key]: 'x' }), 'not_in_channel');
        const { channel: { id: im } } = await s.admin.conversations.open({ users: person.id });
        await refused(s.admin.conversations[method]({ channel: im, [key]: 'x' }), 'method_not_supported_for_channel_type');
      });
    }
  });

  describe('archive', () => {
    it('stops writing, not reading', async () => {
      const c = await s.channel();
      const { ts } = await s.admin.chat.postMessage({ channel: c.id, text: 'kept' });
      await s.admin.conversations.archive({ channel: c.id });
      assert.equal((await s.admin.conversations.info({ channel: c.id })).channel.is_archived, true);
      assert.ok((await s.admin.conversations.history({ channel: c.id })).messages.some((m) => m.ts === ts));
      await refused(s.admin.conversations.archive({ channel: c.id }), 'already_archived');
      await refused(s.admin.chat.postMessage({ channel: c.id, text: 'x' }), 'is_archived');
      await refused(s.admin.conversations.setTopic({ channel: c.id, topic: 'x' }), 'is_archived');
      await refused(s.admin.conversations.invite({ channel: c.id, users: person.id }), 'is_archived');
      await refused(s.admin.reactions.add({ channel: c.id, timestamp: ts, name: 'wave' }), 'is_archived');
    });

    it('refuses general, outsiders and direct messages', async () => {
      const { channels } = await s.admin.conversations.list();
      await refused(s.admin.conversations.archive({ channel: channels.find((x) => x.is_general).id }), 'cant_archive_general');
      const c = await s.channel();
      await refused(s.bot.conversations.archive({ channel: c.id }), 'not_in_channel');
      const { channel: { id: im } } = await s.admin.conversations.open({ users: person.id });
      await refused(s.admin.conversations.archive({ channel: im }), 'method_not_supported_for_channel_type');
    });
  });

  describe('open', () => {
    it('gives one direct message for each pair', async () => {
      const p = await s.person();
      const first = await s.admin.conversations.open({ users: p.id });
      assert.match(first.channel.id, /^D/);
      assert.equal(first.already_open, undefined);
      const second = await s.admin.conversations.open({ users: p.id });
      assert.deepEqual([second.channel.id, second.no_op, second.already_open], [first.channel.id, true, true]);
      const back = await p.client.conversations.open({ users: s.messaging.admin_user_id, return_im: true });
      assert.equal(back.channel.id, first.channel.id);
      assert.equal(back.channel.is_im, true);
      assert.equal(back.channel.user, s.messaging.admin_user_id, 'the other one');
      assert.equal((await s.admin.conversations.open({ channel: first.channel.id })).channel.id, first.channel.id);
      assert.deepEqual((await s.admin.conversations.members({ channel: first.channel.id })).members.sort(), [p.id, s.messaging.admin_user_id].sort());
    });

    it('gives one group message for each set of people', async () => {
      const [a, b] = [await s.person(), await s.person()];
      const first = await s.admin.conversations.open({ users: `${a.id},${b.id}` });
      assert.match(first.channel.id, /^G/);
      const other = await b.client.conversations.open({ users: `${s.messaging.admin_user_id},${a.id}` });
      assert.equal(other.channel.id, first.channel.id);
      const { channel } = await s.admin.conversations.info({ channel: first.channel.id });
      assert.deepEqual([channel.is_mpim, channel.is_group, channel.is_channel, channel.is_private], [true, true, false, true]);
    });

    it('refuses nobody, strangers and crowds', async () => {
      await refused(s.admin.conversations.open({}), 'users_list_not_supplied');
      await refused(s.admin.conversations.open({ users: 'U0NOTHING00' }), 'user_not_found');
      await refused(s.admin.conversations.open({ channel: 'D0NOTHING00' }), 'channel_not_found');
      const c = await s.channel();
      await refused(s.admin.conversations.open({ channel: c.id }), 'method_not_supported_for_channel_type');
      const crowd = await Promise.all(Array.from({ length: 9 }, () => s.person()));
      await refused(s.admin.conversations.open({ users: crowd.map((p) => p.id).join(',') }), 'too_many_users');
    });
  });

  describe('history and replies', () => {
    it('reads newest first, with the fields of the method', async () => {
      const c = await s.channel();
      const ts = [];
      for (let i = 0; i < 3; i += 1) ts.push((await s.admin.chat.postMessage({ channel: c.id, text: `m${i}` })).ts);
      const r = await s.admin.conversations.history({ channel: c.id, limit: 3 });
      assert.deepEqual(r.messages.map((m) => m.ts), [...ts].reverse());
      assert.equal(r.has_more, true);
      assert.equal(r.pin_count, 0);
      const rest = await s.admin.conversations.history({ channel: c.id });
      assert.equal(rest.has_more, false);
      assert.ok(!rest.response_metadata?.next_cursor);
      assert.ok(rest.messages.every((m) => m.channel === undefined && m.type === 'message' && TS.test(m.ts)));
    });

    it('honours oldest, latest and inclusive', async () => {
      const c = await s.channel();
      const ts = [];
      for (let i = 0; i < 4; i += 1) ts.push((await s.admin.chat.postMessage({ channel: c.id, text: `m${i}` })).ts);
      const between = async (args) => (await s.admin.conversations.history({ channel: c.id, ...args })).messages.map((m) => ts.indexOf(m.ts)).filter((i) => i >= 0);
      assert.deepEqual(await between({ oldest: ts[1] }), [3, 2]);
      assert.deepEqual(await between({ oldest: ts[1], inclusive: true }), [3, 2, 1]);
      assert.deepEqual(await between({ latest: ts[2] }), [1, 0]);
      assert.deepEqual(await between({ oldest: ts[0], latest: ts[3] }), [2, 1]);
      assert.deepEqual(await between({ oldest: ts[2], latest: ts[2], inclusive: true }), [2]);
      assert.deepEqual(await between({ latest: ts[2], inclusive: true, limit: 1 }), [2]);
      assert.deepEqual(await between({ oldest: '0' }), [3, 2, 1, 0]);
      assert.deepEqual(await between({ latest: String(Math.floor(Number(ts[0])) - 10) }), []);
    });

    it('is open to users in public channels and closed to outside bots', async () => {
      const c = await s.channel();
      assert.equal((await person.client.conversations.history({ channel: c.id })).ok, true);
      await refused(s.bot.conversations.history({ channel: c.id }), 'not_in_channel');
      await refused(s.bot.conversations.replies({ channel: c.id, ts: '1.000000' }), 'not_in_channel');
    });

    it('refuses bad bounds and cursors', async () => {
      const c = await s.channel();
      const history = (args) => s.admin.conversations.history({ channel: c.id, ...args });
      await refused(history({ oldest: 'x' }), 'invalid_ts_oldest');
      await refused(history({ latest: 'x' }), 'invalid_ts_latest');
      await refused(history({ cursor: 'x' }), 'invalid_cursor');
      await refused(s.admin.conversations.history({ channel: 'C0NOTHING00' }), 'channel_not_found');
      assert.equal((await history({ limit: 5000 })).ok, true, 'too many is cut, not refused');
    });

    it('gives a thread from any of its messages', async () => {
      const c = await s.channel();
      const parent = (await s.admin.chat.postMessage({ channel: c.id, text: 'p' })).ts;
      const alone = await s.admin.conversations.replies({ channel: c.id, ts: parent });
      assert.deepEqual(alone.messages.map((m) => m.ts), [parent]);
      const one = (await s.admin.chat.postMessage({ channel: c.id, text: '1', thread_ts: parent })).ts;
      const two = (await s.admin.chat.postMessage({ channel: c.id, text: '2', thread_ts: parent })).ts;
      for (const ts of [parent, one]) {
        const r = await s.admin.conversations.replies({ channel: c.id, ts });
        assert.deepEqual(r.messages.map((m) => m.ts), [parent, one, two]);
        assert.equal(r.has_more, false);
      }
      await refused(s.admin.conversations.replies({ channel: c.id, ts: '1000000000.000001' }), 'thread_not_found');
      await refused(s.admin.apiCall('conversations.replies', { channel: c.id }), 'thread_not_found');
    });
  });

  describe('members', () => {
    it('lists people and bots of what the caller sees', async () => {
      const c = await s.channel(s.bot);
      assert.deepEqual((await s.admin.conversations.members({ channel: c.id })).members, [s.messaging.bot_user_id]);
      await refused(s.admin.conversations.members({ channel: 'C0NOTHING00' }), 'channel_not_found');
      await refused(s.admin.conversations.members({ channel: c.id, limit: 1000 }), 'invalid_limit');
      await refused(s.admin.conversations.members({ channel: c.id, cursor: 'x' }), 'invalid_cursor');
    });
  });
});
