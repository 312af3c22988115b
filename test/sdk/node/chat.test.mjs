// chat.postMessage, chat.update, chat.delete.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TS, refused, start } from './harness.mjs';

describe('chat', () => {
  let s;
  let channel;
  before(async () => { s = await start(); channel = (await s.channel(s.bot)).id; });
  after(() => s.stop());

  const post = (args, client = s.bot) => client.chat.postMessage({ channel, ...args });
  const read = async (ts, client = s.bot, where = channel) => {
    const { messages } = await client.conversations.history({ channel: where, latest: ts, inclusive: true, limit: 1 });
    return messages.find((m) => m.ts === ts);
  };

  describe('postMessage', () => {
    it('answers a bot post with the whole message', async () => {
      const r = await post({ text: 'hello' });
      assert.equal(r.channel, channel);
      assert.match(r.ts, TS);
      const m = r.message;
      assert.equal(m.type, 'message');
      assert.equal(m.subtype, undefined);
      assert.equal(m.text, 'hello');
      assert.equal(m.ts, r.ts);
      assert.equal(m.user, s.messaging.bot_user_id);
      assert.equal(m.bot_id, s.messaging.bot_id);
      assert.equal(m.app_id, s.messaging.app_id);
      assert.equal(m.team, s.messaging.workspace_id);
      assert.equal(m.is_bot, true);
      assert.equal(m.bot_profile.id, s.messaging.bot_id);
      assert.equal(m.bot_profile.app_id, s.messaging.app_id);
      assert.equal(m.channel, undefined, 'the message of a reply carries no channel');
      assert.equal(m.client_msg_id, undefined, 'never made by the server');
      assert.deepEqual(m.blocks.map((b) => b.type), ['rich_text']);
      assert.deepEqual(m.blocks[0].elements, [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'hello' }] }]);
      assert.deepEqual(await read(r.ts), m);
    });

    it('posts as a person without bot fields', async () => {
      const c = await s.channel();
      const { message } = await s.admin.chat.postMessage({ channel: c.id, text: 'hi' });
      assert.equal(message.user, s.messaging.admin_user_id);
      assert.equal(message.subtype, undefined);
      assert.ok(!message.is_bot);
    });

    it('finds the channel by id, name and #name, and a person by user id', async () => {
      const { name, id } = await s.channel(s.bot);
      assert.equal((await post({ channel: name, text: 'a' })).channel, id);
      assert.equal((await post({ channel: `#${name}`, text: 'a' })).channel, id);
      const dm = await post({ channel: s.messaging.admin_user_id, text: 'a' });
      assert.match(dm.channel, /^D/);
      assert.equal((await post({ channel: s.messaging.admin_user_id, text: 'b' })).channel, dm.channel);
    });

    it('escapes text once', async () => {
      for (const [sent, stored] of [
        ['a & b', 'a &amp; b'],
        ['a &amp; b', 'a &amp; b'],
        ['1 < 2 > 0', '1 &lt; 2 &gt; 0'],
        [`<@${s.messaging.admin_user_id}> <!here> <https://example.com|site>`, `<@${s.messaging.admin_user_id}> <!here> <https://example.com|site>`],
        ['see https://example.com/a?b=1&c=2 now', 'see <https://example.com/a?b=1&amp;c=2> now'],
      ]) {
        const r = await post({ text: sent });
        assert.equal(r.message.text, stored);
        assert.equal((await read(r.ts)).text, stored);
      }
    });

    it('makes rich text of markup', async () => {
      const { message } = await post({ text: `*bold* _it_ \`code\` <@${s.messaging.admin_user_id}> :wave: https://example.com` });
      const kinds = message.blocks[0].elements[0].elements;
      assert.deepEqual(kinds.filter((e) => e.text === 'bold').map((e) => e.style), [{ bold: true }]);
      assert.ok(kinds.some((e) => e.type === 'user' && e.user_id === s.messaging.admin_user_id));
      assert.ok(kinds.some((e) => e.type === 'emoji' && e.name === 'wave'));
      assert.ok(kinds.some((e) => e.type === 'link' && e.url === 'https://example.com'));
    });

    it('keeps blocks in order and names each', async () => {
      const blocks = [
        { type: 'header', text: { type: 'plain_text', text: 'Title' } },
        { type: 'section', block_id: 'mine', text: { type: 'mrkdwn', text: '*x*' } },
        { type: 'divider' },
      ];
      const { message, ts } = await post({ text: 'fallback', blocks });
      assert.deepEqual(message.blocks.map((b) => b.type), ['header', 'section', 'divider']);
      assert.equal(message.blocks[1].block_id, 'mine');
      assert.ok(message.blocks.every((b) => typeof b.block_id === 'string' && b.block_id !== ''));
      assert.deepEqual((await read(ts)).blocks, message.blocks);
    });

    it('numbers attachments', async () => {
      const { message } = await post({ attachments: [{ text: 'one', color: '#36a64f' }, { text: 'two', fallback: 'f' }] });
      assert.deepEqual(message.attachments.map((a) => a.id), [1, 2]);
      assert.equal(message.attachments[0].fallback, '[no preview available]');
      assert.equal(message.attachments[0].color, '36a64f');
      assert.equal(message.attachments[1].fallback, 'f');
    });

    it('keeps metadata and shows it on request', async () => {
      const metadata = { event_type: 'deployed', event_payload: { id: 7, ok: true } };
      const { ts } = await post({ text: 'm', metadata });
      const page = await s.bot.conversations.history({ channel, latest: ts, inclusive: true, limit: 1, include_all_metadata: true });
      assert.deepEqual(page.messages[0].metadata, metadata);
    });

    it('posts under another name as bot_message', async () => {
      const { message } = await post({ text: 'x', username: 'Deploy', icon_emoji: ':rocket:' });
      assert.equal(message.subtype, 'bot_message');
      assert.equal(message.username, 'Deploy');
      assert.equal(message.user, undefined);
      assert.equal(message.bot_id, s.messaging.bot_id);
    });

    it('echoes client_msg_id', async () => {
      const id = '0d5e1b34-1d3c-4f6d-9a51-0c9f0b1d7c11';
      const { message } = await post({ text: 'x', client_msg_id: id });
      assert.equal(message.client_msg_id, id);
    });

    it('cuts text at 40,000 characters', async () => {
      const { message } = await post({ text: 'é'.repeat(40_100) });
      assert.equal([...message.text].length, 40_000);
    });

    it('makes every ts unique and increasing', async () => {
      const c = await s.channel(s.bot);
      const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => s.bot.chat.postMessage({ channel: c.id, text: `n${i}` })));
      const ts = all.map((r) => r.ts);
      assert.equal(new Set(ts).size, 1000);
      const { messages } = await s.bot.conversations.history({ channel: c.id, limit: 999 });
      const listed = messages.map((m) => m.ts);
      assert.deepEqual(listed, [...listed].sort().reverse(), 'newest first');
      const first = await s.bot.chat.update({ channel: c.id, ts: ts[17], text: 'changed' });
      assert.equal(first.ts, ts[17]);
      assert.equal((await read(ts[17], s.bot, c.id)).text, 'changed');
    });

    it('refuses in the published way', async () => {
      await refused(post({ channel: 'C0NOTHING00', text: 'x' }), 'channel_not_found');
      await refused(post({ channel: '', text: 'x' }), 'channel_not_found');
      await refused(post({}), 'no_text');
      await refused(post({ text: ' \n ' }), 'no_text');
      await refused(post({ text: 'x', attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) }), 'too_many_attachments');
      await refused(post({ text: 'x', blocks: 'nonsense' }), 'invalid_blocks_format');
      await refused(post({ text: 'x', blocks: '{"type":"divider"}' }), 'invalid_blocks_format');
      const bad = await refused(post({ text: 'x', blocks: [{ type: 'section' }] }), 'invalid_blocks');
      assert.ok(bad.errors.every((e) => typeof e === 'string'));
      assert.match(bad.response_metadata.messages[0], /^\[ERROR\] .*\[json-pointer:\/blocks\/0/);
      await refused(post({ text: 'x', blocks: [{ type: 'nonsense' }] }), 'invalid_blocks');
      await refused(post({ text: 'x', blocks: Array.from({ length: 51 }, () => ({ type: 'divider' })) }), 'invalid_blocks');
      await refused(post({ text: 'x', metadata: 'nonsense' }), 'invalid_metadata_format');
      await refused(post({ text: 'x', markdown_text: 'y' }), 'markdown_text_conflict');
      await refused(post({ text: 'x', thread_ts: '1000000000.000001' }), 'thread_not_found');
      const archived = await s.channel(s.bot);
      await s.bot.conversations.archive({ channel: archived.id });
      await refused(post({ channel: archived.id, text: 'x' }), 'is_archived');
    });

    it('lets a bot into public channels only with membership or chat:write.public', async () => {
      const open = await s.channel();
      const { client } = await s.app(['chat:write']);
      await refused(client.chat.postMessage({ channel: open.id, text: 'x' }), 'not_in_channel');
      const free = await s.app(['chat:write', 'chat:write.public']);
      assert.equal((await free.client.chat.postMessage({ channel: open.id, text: 'x' })).ok, true);
      const closed = await s.channel(s.admin, { is_private: true });
      await refused(free.client.chat.postMessage({ channel: closed.id, text: 'x' }), 'channel_not_found');
    });
  });

  describe('threads', () => {
    it('counts replies on the parent and keeps them out of history', async () => {
      const c = (await s.channel(s.bot)).id;
      await s.bot.conversations.invite({ channel: c, users: s.messaging.admin_user_id });
      const parent = await s.bot.chat.postMessage({ channel: c, text: 'parent' });
      const first = await s.bot.chat.postMessage({ channel: c, text: 'one', thread_ts: parent.ts });
      const second = await s.admin.chat.postMessage({ channel: c, text: 'two', thread_ts: first.ts });
      assert.equal(second.message.thread_ts, parent.ts, 'a reply to a reply belongs to the parent');
      assert.equal(first.message.parent_user_id, s.messaging.bot_user_id);
      const m = await read(parent.ts, s.bot, c);
      assert.equal(m.thread_ts, parent.ts);
      assert.equal(m.reply_count, 2);
      assert.equal(m.reply_users_count, 2);
      assert.deepEqual([...m.reply_users].sort(), [s.messaging.bot_user_id, s.messaging.admin_user_id].sort());
      assert.equal(m.latest_reply, second.ts);
      const { messages } = await s.bot.conversations.history({ channel: c });
      assert.ok(!messages.some((x) => x.ts === first.ts || x.ts === second.ts));
      const thread = await s.bot.conversations.replies({ channel: c, ts: parent.ts });
      assert.deepEqual(thread.messages.map((x) => x.ts), [parent.ts, first.ts, second.ts]);
    });

    it('lists a broadcast reply in history with its root', async () => {
      const parent = await post({ text: 'root' });
      const reply = await post({ text: 'loud', thread_ts: parent.ts, reply_broadcast: true });
      const m = await read(reply.ts);
      assert.equal(m.subtype, 'thread_broadcast');
      assert.equal(m.root.ts, parent.ts);
    });

    it('counts down when a reply goes and leaves a tombstone when the parent goes', async () => {
      const parent = await post({ text: 'root' });
      const one = await post({ text: 'one', thread_ts: parent.ts });
      const two = await post({ text: 'two', thread_ts: parent.ts });
      await s.bot.chat.delete({ channel, ts: two.ts });
      let m = await read(parent.ts);
      assert.equal(m.reply_count, 1);
      assert.equal(m.latest_reply, one.ts);
      await s.bot.chat.delete({ channel, ts: parent.ts });
      m = await read(parent.ts);
      assert.equal(m.subtype, 'tombstone');
      assert.equal(m.user, 'USLACKBOT');
      assert.equal(m.reply_count, 1);
    });
  });

  describe('update', () => {
    it('changes text, keeps ts, says who edited', async () => {
      const { ts } = await post({ text: 'before' });
      const r = await s.bot.chat.update({ channel, ts, text: 'after & later' });
      assert.equal(r.ts, ts);
      assert.equal(r.channel, channel);
      assert.equal(r.text, 'after &amp; later');
      assert.equal(r.message.edited.user, s.messaging.bot_user_id);
      assert.match(r.message.edited.ts, TS);
      const m = await read(ts);
      assert.equal(m.text, 'after &amp; later');
      assert.deepEqual(m.edited, r.message.edited);
      assert.equal(m.blocks[0].type, 'rich_text');
    });

    it('replaces blocks by text, keeps attachments not named', async () => {
      const { ts } = await post({ text: 't', blocks: [{ type: 'divider' }], attachments: [{ text: 'kept' }] });
      const { message } = await s.bot.chat.update({ channel, ts, text: 'plain' });
      assert.deepEqual(message.blocks.map((b) => b.type), ['rich_text']);
      assert.equal(message.attachments.length, 1);
      const cleared = await s.bot.chat.update({ channel, ts, text: 'plain', attachments: [] });
      assert.ok(!cleared.message.attachments?.length);
    });

    it('refuses what is not there, not yours, or empty', async () => {
      const { ts } = await post({ text: 'mine' });
      await refused(s.bot.chat.update({ channel: 'C0NOTHING00', ts, text: 'x' }), 'channel_not_found');
      await refused(s.bot.chat.update({ channel, ts: '1000000000.000001', text: 'x' }), 'message_not_found');
      await refused(s.bot.chat.update({ channel, ts: 'nonsense', text: 'x' }), 'message_not_found');
      await refused(s.admin.chat.update({ channel, ts, text: 'x' }), 'cant_update_message');
      await refused(s.bot.chat.update({ channel, ts }), 'no_text');
      await refused(s.bot.chat.update({ channel, ts, text: 'x'.repeat(4001) }), 'msg_too_long');
      const gone = await s.channel(s.bot);
      const old = await s.bot.chat.postMessage({ channel: gone.id, text: 'x' });
      await s.bot.conversations.archive({ channel: gone.id });
      await refused(s.bot.chat.update({ channel: gone.id, ts: old.ts, text: 'y' }), 'is_inactive');
    });
  });

  describe('delete', () => {
    it('takes a message away once', async () => {
      const { ts } = await post({ text: 'bye' });
      const r = await s.bot.chat.delete({ channel, ts });
      assert.equal(r.ts, ts);
      assert.equal(r.channel, channel);
      assert.equal(await read(ts), undefined);
      await refused(s.bot.chat.delete({ channel, ts }), 'message_not_found');
    });

    it('is for the author, or an admin', async () => {
      const p = await s.person();
      await s.bot.conversations.invite({ channel, users: p.id });
      const theirs = await p.client.chat.postMessage({ channel, text: 'theirs' });
      await refused(s.bot.chat.delete({ channel, ts: theirs.ts }), 'cant_delete_message');
      const bots = await post({ text: 'bots' });
      await refused(p.client.chat.delete({ channel, ts: bots.ts }), 'cant_delete_message');
      assert.equal((await s.admin.chat.delete({ channel, ts: theirs.ts })).ok, true);
      await refused(s.bot.chat.delete({ channel: 'C0NOTHING00', ts: bots.ts }), 'channel_not_found');
    });
  });
});
