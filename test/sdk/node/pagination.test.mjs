// Every list by pages, with the client's own iterator.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { collect, start } from './harness.mjs';

describe('pagination', () => {
  let s;
  before(async () => { s = await start(); });
  after(() => s.stop());

  const unique = (list) => assert.equal(new Set(list).size, list.length, 'nothing comes twice');

  it('conversations.list', async () => {
    const made = [];
    for (let i = 0; i < 9; i += 1) made.push((await s.channel()).id);
    const ids = (await collect(s.admin.paginate('conversations.list', { limit: 2 }), 'channels')).map((c) => c.id);
    unique(ids);
    for (const id of made) assert.ok(ids.includes(id));
  });

  it('conversations.list across types', async () => {
    const p = await s.person();
    const wanted = [(await s.channel()).id, (await s.channel(s.admin, { is_private: true })).id, (await s.admin.conversations.open({ users: p.id })).channel.id];
    const ids = (await collect(s.admin.paginate('conversations.list', { types: 'public_channel,private_channel,im', limit: 3 }), 'channels')).map((c) => c.id);
    unique(ids);
    for (const id of wanted) assert.ok(ids.includes(id));
  });

  it('users.list', async () => {
    const people = await Promise.all(Array.from({ length: 7 }, () => s.person()));
    const ids = (await collect(s.admin.paginate('users.list', { limit: 3 }), 'members')).map((u) => u.id);
    unique(ids);
    for (const p of people) assert.ok(ids.includes(p.id));
  });

  it('conversations.members', async () => {
    const c = await s.channel();
    const people = await Promise.all(Array.from({ length: 7 }, () => s.person()));
    await s.admin.conversations.invite({ channel: c.id, users: people.map((p) => p.id).join(',') });
    const ids = await collect(s.admin.paginate('conversations.members', { channel: c.id, limit: 3 }), 'members');
    assert.deepEqual([...ids].sort(), [s.messaging.admin_user_id, ...people.map((p) => p.id)].sort());
  });

  it('conversations.history', async () => {
    const c = await s.channel();
    const posted = [];
    for (let i = 0; i < 25; i += 1) posted.push((await s.admin.chat.postMessage({ channel: c.id, text: `m${i}` })).ts);
    const ts = (await collect(s.admin.paginate('conversations.history', { channel: c.id, limit: 4 }), 'messages')).map((m) => m.ts);
    unique(ts);
    assert.deepEqual(ts.slice(0, 25), [...posted].reverse());
  });

  it('conversations.replies repeats the parent on every page', async () => {
    const c = await s.channel();
    const parent = (await s.admin.chat.postMessage({ channel: c.id, text: 'p' })).ts;
    const posted = [];
    for (let i = 0; i < 11; i += 1) posted.push((await s.admin.chat.postMessage({ channel: c.id, text: `r${i}`, thread_ts: parent })).ts);
    const replies = [];
    let pages = 0;
    for await (const page of s.admin.paginate('conversations.replies', { channel: c.id, ts: parent, limit: 4 })) {
      pages += 1;
      assert.equal(page.messages[0].ts, parent);
      replies.push(...page.messages.slice(1).map((m) => m.ts));
      assert.ok(pages < 12, 'the pages end');
    }
    assert.ok(pages > 1);
    assert.deepEqual(replies, posted);
  });

  it('a page stays where it was while others write', async () => {
    const c = await s.channel();
    const posted = [];
    for (let i = 0; i < 6; i += 1) posted.push((await s.admin.chat.postMessage({ channel: c.id, text: `m${i}` })).ts);
    const first = await s.admin.conversations.history({ channel: c.id, limit: 3 });
    await s.admin.chat.postMessage({ channel: c.id, text: 'late' });
    await s.admin.chat.delete({ channel: c.id, ts: posted[3] });
    const second = await s.admin.conversations.history({ channel: c.id, limit: 3, cursor: first.response_metadata.next_cursor });
    assert.deepEqual(second.messages.map((m) => m.ts), [posted[2], posted[1], posted[0]]);

    const list = await s.admin.conversations.list({ limit: 2 });
    await s.channel();
    const seen = new Set(list.channels.map((x) => x.id));
    const next = await s.admin.conversations.list({ limit: 2, cursor: list.response_metadata.next_cursor });
    assert.ok(next.channels.every((x) => !seen.has(x.id)));
  });
});
