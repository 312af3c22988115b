// reactions.add and reactions.remove.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

describe('reactions', () => {
  let s;
  let channel;
  before(async () => {
    s = await start();
    channel = (await s.channel(s.bot)).id;
    await s.bot.conversations.invite({ channel, users: s.messaging.admin_user_id });
  });
  after(() => s.stop());

  const posted = async () => (await s.bot.chat.postMessage({ channel, text: 'react' })).ts;
  const on = async (ts) => (await s.bot.conversations.history({ channel, latest: ts, inclusive: true, limit: 1 })).messages[0].reactions;

  it('adds, counts in first-use order and removes', async () => {
    const timestamp = await posted();
    await s.bot.reactions.add({ channel, timestamp, name: 'wave' });
    await s.admin.reactions.add({ channel, timestamp, name: ':tada:' });
    await s.admin.reactions.add({ channel, timestamp, name: 'wave' });
    assert.deepEqual(await on(timestamp), [
      { name: 'wave', users: [s.messaging.bot_user_id, s.messaging.admin_user_id], count: 2 },
      { name: 'tada', users: [s.messaging.admin_user_id], count: 1 },
    ]);
    await s.admin.reactions.remove({ channel, timestamp, name: 'tada' });
    await s.bot.reactions.remove({ channel, timestamp, name: 'wave' });
    assert.deepEqual(await on(timestamp), [{ name: 'wave', users: [s.messaging.admin_user_id], count: 1 }]);
    await s.admin.reactions.remove({ channel, timestamp, name: 'wave' });
    assert.equal(await on(timestamp), undefined);
  });

  it('takes skin tones and aliases', async () => {
    const timestamp = await posted();
    await s.bot.reactions.add({ channel, timestamp, name: 'wave::skin-tone-2' });
    await s.bot.reactions.add({ channel, timestamp, name: 'thumbsup' });
    await refused(s.bot.reactions.add({ channel, timestamp, name: '+1' }), 'already_reacted');
    assert.deepEqual((await on(timestamp)).map((r) => r.name), ['wave::skin-tone-2', '+1']);
  });

  it('works on thread replies', async () => {
    const parent = await posted();
    const { ts } = await s.bot.chat.postMessage({ channel, text: 'r', thread_ts: parent });
    await s.bot.reactions.add({ channel, timestamp: ts, name: 'eyes' });
    const { messages } = await s.bot.conversations.replies({ channel, ts: parent });
    assert.deepEqual(messages[1].reactions, [{ name: 'eyes', users: [s.messaging.bot_user_id], count: 1 }]);
  });

  it('refuses in order', async () => {
    const timestamp = await posted();
    const outside = await s.channel();
    const theirs = await s.admin.chat.postMessage({ channel: outside.id, text: 'x' });
    for (const method of ['add', 'remove']) {
      const call = (args) => s.bot.apiCall(`reactions.${method}`, { channel, timestamp, name: 'wave', ...args });
      await refused(s.bot.apiCall(`reactions.${method}`, { name: 'wave', channel }), 'no_item_specified');
      await refused(call({ timestamp: 'x' }), 'bad_timestamp');
      await refused(call({ name: 'no_such_emoji_at_all' }), 'invalid_name');
      await refused(call({ channel: 'C0NOTHING00' }), 'channel_not_found');
      await refused(call({ timestamp: '1000000000.000001' }), 'message_not_found');
      await refused(call({ channel: outside.id, timestamp: theirs.ts }), 'not_in_channel');
    }
    await refused(s.bot.reactions.remove({ channel, timestamp, name: 'wave' }), 'no_reaction');
    await s.bot.reactions.add({ channel, timestamp, name: 'wave' });
    await refused(s.bot.reactions.add({ channel, timestamp, name: 'wave' }), 'already_reacted');
  });

  it('lets one person put 23 on a message', async () => {
    const timestamp = await posted();
    const names = 'one two three four five six seven eight nine heart star fire eyes wave tada rocket bug sparkles moon sunny cloud zap snowflake coffee'.split(' ');
    for (const name of names.slice(0, 23)) await s.bot.reactions.add({ channel, timestamp, name });
    await refused(s.bot.reactions.add({ channel, timestamp, name: names[23] }), 'too_many_reactions');
  });
});
