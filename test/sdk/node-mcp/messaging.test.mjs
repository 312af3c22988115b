// The eleven messaging tools, through the official client and both transports.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EmptyResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { TRANSPORTS, start } from './harness.mjs';

const TS = /^\d{10}\.\d{6}$/;

// Names, arguments and required arguments of the reference server, ours after them.
const REFERENCE = {
  msg_list_channels: [['limit', 'cursor'], []],
  msg_post_message: [['channel_id', 'text'], ['channel_id', 'text']],
  msg_reply_to_thread: [['channel_id', 'thread_ts', 'text'], ['channel_id', 'thread_ts', 'text']],
  msg_add_reaction: [['channel_id', 'timestamp', 'reaction'], ['channel_id', 'timestamp', 'reaction']],
  msg_get_channel_history: [['channel_id', 'limit'], ['channel_id']],
  msg_get_thread_replies: [['channel_id', 'thread_ts'], ['channel_id', 'thread_ts']],
  msg_get_users: [['cursor', 'limit'], []],
  msg_get_user_profile: [['user_id'], ['user_id']],
  msg_auth_test: [[], []],
  msg_search_messages: [['query'], ['query']],
  msg_open_dm: [['user_id'], ['user_id']],
};
const READ_ONLY = ['msg_list_channels', 'msg_get_channel_history', 'msg_get_thread_replies', 'msg_get_users', 'msg_get_user_profile', 'msg_auth_test', 'msg_search_messages'];

/** Reads page after page until there is no cursor; returns how many there were. */
async function pages(read) {
  let count = 0;
  let cursor;
  do {
    const page = await read(cursor);
    cursor = page.response_metadata?.next_cursor;
    count += 1;
  } while (cursor);
  return count;
}

for (const transport of TRANSPORTS) {
  describe(`messaging tools over ${transport}`, () => {
    let s;
    let bot;
    let channel;
    before(async () => {
      s = await start();
      bot = await s.tools(transport, 'messaging', s.credentials.messaging.bot_token);
      channel = (await s.method('conversations.create', { name: 'agents' })).channel.id;
    });
    after(() => s.stop());

    it('says who it acts as', () => {
      assert.equal(bot.client.getServerVersion().name, 'understudy-messaging');
      const { messaging } = s.credentials;
      for (const part of [messaging.bot_user_id, messaging.workspace_id, 'msg_list_channels']) assert.ok(bot.client.getInstructions().includes(part), part);
      assert.deepEqual(bot.client.getServerCapabilities(), { tools: {} });
    });

    it('refuses methods that there are not as JSON-RPC has it', async () => {
      await assert.rejects(bot.client.request({ method: 'no/such', params: {} }, EmptyResultSchema), { code: -32601 });
      await bot.client.ping();
    });

    it('lists the tools with all that a model needs', async () => {
      const tools = await bot.list();
      assert.deepEqual(tools.map((t) => t.name), Object.keys(REFERENCE));
      for (const t of tools) {
        const [args, required] = REFERENCE[t.name];
        const { properties = {} } = t.inputSchema;
        for (const name of args) assert.ok(properties[name], `${t.name} takes ${name}`);
        assert.deepEqual(t.inputSchema.required ?? [], required, t.name);
        assert.ok(t.description.length > 30 && t.title, t.name);
        for (const [name, p] of Object.entries(properties)) assert.ok(p.description && p.type, `${t.name}.${name}`);
        assert.equal(t.outputSchema.type, 'object');
        assert.equal(t.annotations.readOnlyHint, READ_ONLY.includes(t.name), t.name);
        assert.equal(t.annotations.destructiveHint, false, t.name);
        assert.equal(t.annotations.idempotentHint, !['msg_post_message', 'msg_reply_to_thread'].includes(t.name), t.name);
      }
      const limit = (name) => tools.find((t) => t.name === name).inputSchema.properties.limit;
      assert.deepEqual([limit('msg_list_channels').default, limit('msg_list_channels').maximum], [100, 200]);
      assert.deepEqual([limit('msg_get_users').default, limit('msg_get_users').maximum], [100, 200]);
      assert.equal(limit('msg_get_channel_history').default, 10);
      assert.equal(limit('msg_get_channel_history').type, 'number');
    });

    it('posts, replies, reacts and reads back', async () => {
      const posted = await bot.call('msg_post_message', { channel_id: channel, text: 'a < b & c' });
      assert.equal(posted.channel, channel);
      assert.match(posted.ts, TS);
      assert.equal(posted.message.user, s.credentials.messaging.bot_user_id);

      const reply = await bot.call('msg_reply_to_thread', { channel_id: channel, thread_ts: posted.ts, text: 'yes' });
      assert.equal(reply.message.thread_ts, posted.ts);
      await bot.call('msg_reply_to_thread', { channel_id: channel, thread_ts: posted.ts.replace('.', ''), text: 'a timestamp without its dot' });
      assert.equal((await bot.call('msg_add_reaction', { channel_id: channel, timestamp: posted.ts, reaction: ':thumbsup:' })).ok, true);

      const history = await bot.call('msg_get_channel_history', { channel_id: channel });
      const found = history.messages.find((m) => m.ts === posted.ts);
      assert.equal(found.text, 'a &lt; b &amp; c');
      assert.equal(found.reply_count, 2);
      assert.deepEqual(found.reactions.map((r) => [r.name, r.count]), [['+1', 1]]);

      const thread = await bot.call('msg_get_thread_replies', { channel_id: channel, thread_ts: posted.ts });
      assert.deepEqual(thread.messages.map((m) => m.text), ['a &lt; b &amp; c', 'yes', 'a timestamp without its dot']);
    });

    it('lists channels and users, page after page', async () => {
      for (let i = 0; i < 4; i += 1) await s.method('conversations.create', { name: `page-${i}` });
      const everything = await bot.call('msg_list_channels');
      assert.ok(everything.channels.some((c) => c.id === channel && c.name === 'agents' && c.is_member));
      const names = [];
      await pages(async (cursor) => {
        const page = await bot.call('msg_list_channels', { limit: 2, cursor });
        assert.ok(page.channels.length <= 2);
        names.push(...page.channels.map((c) => c.name));
        return page;
      });
      assert.deepEqual(names, everything.channels.map((c) => c.name));
      await s.method('conversations.archive', { channel: everything.channels.find((c) => c.name === 'page-0').id });
      assert.ok(!(await bot.call('msg_list_channels')).channels.some((c) => c.name === 'page-0'), 'archived channels are left out');

      const first = await bot.call('msg_get_users', { limit: 1 });
      const second = await bot.call('msg_get_users', { limit: 1, cursor: first.response_metadata.next_cursor });
      assert.notEqual(first.members[0].id, second.members[0].id);
    });

    it('shows profiles and itself', async () => {
      const { messaging } = s.credentials;
      assert.ok((await bot.call('msg_get_user_profile', { user_id: messaging.admin_user_id })).profile.real_name);
      const me = await bot.call('msg_auth_test');
      assert.deepEqual([me.user_id, me.bot_id, me.team_id], [messaging.bot_user_id, messaging.bot_id, messaging.workspace_id]);
    });

    it('opens direct messages', async () => {
      const user = s.credentials.messaging.admin_user_id;
      const { channel: dm } = await bot.call('msg_open_dm', { user_id: user });
      assert.match(dm.id, /^D/);
      assert.equal((await bot.call('msg_open_dm', { user_id: user })).channel.id, dm.id);
      assert.equal((await bot.call('msg_post_message', { channel_id: dm.id, text: 'psst' })).channel, dm.id);
    });

    it('searches', async () => {
      const admin = await s.tools(transport, 'messaging', s.credentials.messaging.user_token);
      for (const word of ['heliotrope one', 'heliotrope two', 'heliotrope three']) await bot.call('msg_post_message', { channel_id: channel, text: word });
      for (const tools of [bot, admin]) {
        const found = await tools.call('msg_search_messages', { query: 'heliotrope', count: 2, sort: 'timestamp', sort_dir: 'asc' });
        assert.equal(found.messages.total, 3);
        assert.deepEqual(found.messages.matches.map((m) => m.text), ['heliotrope one', 'heliotrope two']);
        const last = await tools.call('msg_search_messages', { query: 'heliotrope', count: 2, page: 2, sort: 'timestamp', sort_dir: 'asc' });
        assert.deepEqual(last.messages.matches.map((m) => m.text), ['heliotrope three']);
      }
    });

    it('takes arguments as models write them, and says what it ignored', async () => {
      const r = await bot.client.callTool({ name: 'msg_get_channel_history', arguments: { channel: '', channel_id: channel, limit: '3', colour: 'red' } });
      assert.ok(!r.isError);
      assert.equal(r.structuredContent.messages.length, 3);
      assert.match(r.content[1].text, /colour/);
      assert.ok((await bot.call('msg_list_channels', { limit: 5000 })).channels.length > 0);
    });

    it('keeps results to a size that a model can read', async () => {
      const { channel: { id } } = await s.method('conversations.create', { name: 'large' });
      const sent = [];
      for (let i = 0; i < 30; i += 1) {
        const text = `${i} ${'lorem ipsum '.repeat(250)}`.trim();
        sent.push(text);
        await s.method('chat.postMessage', { channel: id, text });
      }
      const seen = [];
      const count = await pages(async (cursor) => {
        const page = await bot.client.callTool({ name: 'msg_get_channel_history', arguments: { channel_id: id, limit: 30, cursor } });
        assert.ok(page.content[0].text.length <= 60_000, `${page.content[0].text.length} characters`);
        seen.push(...page.structuredContent.messages.filter((m) => !m.subtype).map((m) => m.text));
        return page.structuredContent;
      });
      assert.ok(count > 2 && count < 10, `${count} pages`);
      assert.ok(seen.reverse().join() === sent.join(), 'every message once');

      const huge = await bot.client.callTool({ name: 'msg_post_message', arguments: { channel_id: id, text: 'w'.repeat(40_000) } });
      assert.ok(!huge.isError && huge.content[0].text.length <= 60_000);
      const top = await bot.call('msg_get_channel_history', { channel_id: id, limit: 1 });
      assert.equal(top.messages[0].truncated, true);

      const first = await bot.call('msg_search_messages', { query: 'lorem', count: 20, sort: 'timestamp' });
      assert.ok(first.messages.paging.count < 20);
      const matches = [];
      for (let page = 1; page <= first.messages.paging.pages; page += 1) {
        const found = await bot.call('msg_search_messages', { query: 'lorem', count: first.messages.paging.count, page, sort: 'timestamp' });
        matches.push(...found.messages.matches.map((m) => m.ts));
      }
      assert.equal(new Set(matches).size, 30);
    });

    it('pages through a long thread', async () => {
      const { ts } = await bot.call('msg_post_message', { channel_id: channel, text: 'parent' });
      const sent = [];
      for (let i = 0; i < 12; i += 1) {
        sent.push(`reply ${i}`);
        await bot.call('msg_reply_to_thread', { channel_id: channel, thread_ts: ts, text: `reply ${i}` });
      }
      const seen = [];
      await pages(async (cursor) => {
        const page = await bot.call('msg_get_thread_replies', { channel_id: channel, thread_ts: ts, limit: 5, cursor });
        assert.equal(page.messages[0].ts, ts);
        seen.push(...page.messages.slice(1).map((m) => m.text));
        return page;
      });
      assert.deepEqual(seen, sent);
    });

    describe('refusals say what to do next', () => {
      const cases = [
        ['msg_post_message', { text: 'x' }, 'invalid_arguments', /channel_id/],
        ['msg_post_message', {}, 'invalid_arguments', /channel_id and text/],
        ['msg_get_channel_history', { channel_id: 'C1', limit: 'many' }, 'invalid_arguments', /limit/],
        ['msg_search_messages', { query: 'x', sort: 'colour' }, 'invalid_arguments', /score or timestamp/],
        ['msg_get_channel_history', { channel_id: 'C0NOWHERE00' }, 'channel_not_found', /msg_list_channels/],
        ['msg_get_user_profile', { user_id: 'U0NOBODY000' }, 'user_not_found', /msg_get_users/],
        ['msg_list_channels', { cursor: 'nonsense' }, 'invalid_cursor', /without cursor/],
        ['msg_open_dm', { user_id: 'U0NOBODY000' }, 'user_not_found', /msg_get_users/],
      ];
      for (const [tool, args, code, says] of cases) {
        it(`${tool} ${JSON.stringify(args)}: ${code}`, async () => {
          const said = await bot.refusal(tool, args);
          assert.equal(said.error, code);
          assert.equal(said.ok, false);
          assert.match(`${said.message ?? ''} ${said.hint}`, says);
        });
      }

      it('about messages that are not there, and reactions that are', async () => {
        assert.equal((await bot.refusal('msg_add_reaction', { channel_id: channel, timestamp: '1000000000.000001', reaction: 'wave' })).error, 'message_not_found');
        assert.equal((await bot.refusal('msg_get_thread_replies', { channel_id: channel, thread_ts: '1000000000.000001' })).error, 'thread_not_found');
        const { ts } = await bot.call('msg_post_message', { channel_id: channel, text: 'twice' });
        await bot.call('msg_add_reaction', { channel_id: channel, timestamp: ts, reaction: 'wave' });
        assert.match((await bot.refusal('msg_add_reaction', { channel_id: channel, timestamp: ts, reaction: 'wave' })).hint, /nothing/);
        assert.match((await bot.refusal('msg_add_reaction', { channel_id: channel, timestamp: ts, reaction: 'no such emoji!' })).hint, /without colons/);
      });
    });

    it('lists tools whose scope is missing, and refuses them', async () => {
      const poor = await s.tools(transport, 'messaging', await s.botToken(['channels:read', 'users:read']));
      const tools = await poor.list();
      assert.deepEqual(tools.map((t) => t.name), Object.keys(REFERENCE));
      assert.match(tools.find((t) => t.name === 'msg_post_message').description, /lacks the scope chat:write/);
      await poor.call('msg_list_channels');
      await poor.call('msg_get_users');
      await poor.call('msg_auth_test');
      const needed = {
        msg_post_message: [{ channel_id: channel, text: 'x' }, 'chat:write'],
        msg_reply_to_thread: [{ channel_id: channel, thread_ts: '1.2', text: 'x' }, 'chat:write'],
        msg_add_reaction: [{ channel_id: channel, timestamp: '1.2', reaction: 'wave' }, 'reactions:write'],
        msg_get_channel_history: [{ channel_id: channel }, 'channels:history'],
        msg_get_thread_replies: [{ channel_id: channel, thread_ts: '1.2' }, 'channels:history'],
        msg_get_user_profile: [{ user_id: s.credentials.messaging.admin_user_id }, 'users.profile:read'],
        msg_search_messages: [{ query: 'x' }, 'search:read'],
        msg_open_dm: [{ user_id: s.credentials.messaging.admin_user_id }, 'im:write'],
      };
      for (const [name, [args, scope]] of Object.entries(needed)) {
        const said = await poor.refusal(name, args);
        assert.equal(said.error, 'missing_scope', name);
        assert.ok(said.needed.split(',').includes(scope), `${name}: ${said.needed}`);
        assert.deepEqual(said.provided.split(',').sort(), ['channels:read', 'users:read']);
        assert.ok(said.hint.includes(scope), said.hint);
      }
      // What the kind of the conversation decides, the service decides.
      const half = await s.tools(transport, 'messaging', await s.botToken(['im:history', 'im:write']));
      const said = await half.refusal('msg_get_channel_history', { channel_id: channel });
      assert.deepEqual([said.error, said.needed], ['missing_scope', 'channels:history']);
      assert.match(said.hint, /channels:history/);
    });

    it('sees its own workspace alone', async () => {
      const secret = await bot.call('msg_post_message', { channel_id: channel, text: 'xylophone plans' });
      const other = (await s.rest('POST', `${s.credentials.messaging.base_url}/api/admin/provision`,
        { token: s.credentials.admin.key, body: { workspace_name: 'Rivals' } })).body;
      assert.notEqual(other.workspace_id, s.credentials.messaging.workspace_id);
      for (const token of [other.bot_token, other.user_token]) {
        const rival = await s.tools(transport, 'messaging', token);
        assert.equal((await rival.call('msg_auth_test')).team_id, other.workspace_id);
        assert.ok(!(await rival.call('msg_list_channels')).channels.some((c) => c.id === channel));
        assert.ok(!(await rival.call('msg_get_users')).members.some((u) => u.id === s.credentials.messaging.admin_user_id));
        assert.equal((await rival.call('msg_search_messages', { query: 'xylophone' })).messages.total, 0);
        for (const [name, args] of [
          ['msg_get_channel_history', { channel_id: channel }],
          ['msg_get_thread_replies', { channel_id: channel, thread_ts: secret.ts }],
          ['msg_post_message', { channel_id: channel, text: 'x' }],
          ['msg_reply_to_thread', { channel_id: channel, thread_ts: secret.ts, text: 'x' }],
          ['msg_add_reaction', { channel_id: channel, timestamp: secret.ts, reaction: 'wave' }],
        ]) assert.equal((await rival.refusal(name, args)).error, 'channel_not_found', name);
        for (const name of ['msg_get_user_profile', 'msg_open_dm']) {
          assert.equal((await rival.refusal(name, { user_id: s.credentials.messaging.admin_user_id })).error, 'user_not_found', name);
        }
      }
    });

    it('acts as the token strictly: a private channel shows to its members', async () => {
      const { channel: { id } } = await s.method('conversations.create', { name: 'board', is_private: 'true' }, s.credentials.messaging.user_token);
      const admin = await s.tools(transport, 'messaging', s.credentials.messaging.user_token);
      await admin.call('msg_post_message', { channel_id: id, text: 'among us' });
      assert.equal((await bot.refusal('msg_get_channel_history', { channel_id: id })).error, 'channel_not_found');
    });

    it('wrote nothing beside the protocol', () => assert.equal(bot.errors(), ''));
  });
}
