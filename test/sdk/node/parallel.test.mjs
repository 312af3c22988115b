// Many callers at once: nothing lost, nothing twice, nothing mixed up.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { collect, start } from './harness.mjs';

describe('parallel calls', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());

  it('posts from several people into several channels', async () => {
    const channels = await Promise.all([s.channel(), s.channel(), s.channel()]);
    const people = await Promise.all([s.person(), s.person(), s.person(), s.person()]);
    for (const c of channels) await s.admin.conversations.invite({ channel: c.id, users: people.map((p) => p.id).join(',') });
    const sent = [];
    for (const c of channels) for (const p of people) for (let i = 0; i < 50; i += 1) sent.push({ c: c.id, p, text: `${p.id} ${i}` });
    const replies = await Promise.all(sent.map((m) => m.p.client.chat.postMessage({ channel: m.c, text: m.text })));
    replies.forEach((r, i) => assert.deepEqual([r.channel, r.message.text, r.message.user], [sent[i].c, sent[i].text, sent[i].p.id]));
    for (const c of channels) {
      const listed = (await collect(s.admin.paginate('conversations.history', { channel: c.id, limit: 97 }), 'messages')).filter((m) => !m.subtype);
      assert.deepEqual(listed.map((m) => m.text).sort(), sent.filter((m) => m.c === c.id).map((m) => m.text).sort());
      assert.equal(new Set(listed.map((m) => m.ts)).size, listed.length);
    }
  });

  it('counts every reply of a thread', async () => {
    const c = await s.channel();
    const { ts } = await s.admin.chat.postMessage({ channel: c.id, text: 'parent' });
    await Promise.all(Array.from({ length: 60 }, (_, i) => s.admin.chat.postMessage({ channel: c.id, text: `${i}`, thread_ts: ts })));
    const { messages } = await s.admin.conversations.replies({ channel: c.id, ts });
    assert.equal(messages.length, 61);
    assert.equal(messages[0].reply_count, 60);
    assert.equal(messages[0].latest_reply, messages.at(-1).ts);
  });

  it('lets one of many makers of the same name win', async () => {
    const name = s.name('raced');
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => s.admin.conversations.create({ name })));
    assert.equal(all.filter((r) => r.status === 'fulfilled').length, 1);
    assert.ok(all.every((r) => r.status === 'fulfilled' || r.reason.data.error === 'name_taken'));
  });

  it('opens one direct message for many openers', async () => {
    const p = await s.person();
    const all = await Promise.all(Array.from({ length: 20 }, () => s.admin.conversations.open({ users: p.id })));
    assert.equal(new Set(all.map((r) => r.channel.id)).size, 1);
  });

  it('counts one reaction of a person once', async () => {
    const c = await s.channel();
    const { ts } = await s.admin.chat.postMessage({ channel: c.id, text: 'x' });
    const all = await Promise.allSettled(Array.from({ length: 20 }, () => s.admin.reactions.add({ channel: c.id, timestamp: ts, name: 'wave' })));
    assert.equal(all.filter((r) => r.status === 'fulfilled').length, 1);
    const { messages } = await s.admin.conversations.history({ channel: c.id, limit: 1 });
    assert.deepEqual(messages[0].reactions, [{ name: 'wave', users: [s.messaging.admin_user_id], count: 1 }]);
  });
});
