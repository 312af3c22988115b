// search.messages: what is found, by whom, and in which shape.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refused, start } from './harness.mjs';

describe('search.messages', () => {
  let s;
  let channel;
  let person;
  before(async () => {
    s = await start();
    person = await s.person('searcher');
    channel = await s.channel();
    await s.admin.conversations.invite({ channel: channel.id, users: person.id });
  });
  after(() => s.stop());

  const say = async (text, client = s.admin, where = channel.id, more = {}) => (await client.chat.postMessage({ channel: where, text, ...more })).ts;
  const find = async (query, client = s.admin, more = {}) => (await client.search.messages({ query, ...more })).messages;
  const found = async (query, client) => (await find(query, client, { sort: 'timestamp', sort_dir: 'asc', count: 100 })).matches.map((m) => m.ts);

  it('finds a post right after it, in the shape clients decode', async () => {
    const ts = await say('the quick aardvark');
    const r = await s.admin.search.messages({ query: 'aardvark' });
    assert.equal(r.query, 'aardvark');
    assert.equal(r.messages.total, 1);
    assert.deepEqual(r.messages.paging, { count: 20, total: 1, page: 1, pages: 1 });
    assert.deepEqual(r.messages.pagination, { total_count: 1, page: 1, per_page: 20, page_count: 1, first: 1, last: 1 });
    const [m] = r.messages.matches;
    assert.equal(m.ts, ts);
    assert.equal(m.type, 'message');
    assert.equal(m.team, s.messaging.workspace_id);
    assert.equal(m.user, s.messaging.admin_user_id);
    assert.equal(typeof m.username, 'string');
    assert.equal(m.text, 'the quick aardvark');
    assert.deepEqual([m.channel.id, m.channel.name, m.channel.is_private, m.channel.is_im], [channel.id, channel.name, false, false]);
    assert.ok(m.permalink.endsWith(`/archives/${channel.id}/p${ts.replace('.', '')}`), m.permalink);
    assert.equal(m.iid, undefined);
  });

  it('needs all words, whole, in any case', async () => {
    const both = await say('Badger meets cormorant');
    await say('badger alone');
    assert.deepEqual(await found('BADGER cormorant'), [both]);
    assert.deepEqual(await found('cormor'), []);
    assert.deepEqual(await found('cormor*'), [both]);
  });

  it('knows phrases and exclusions', async () => {
    const a = await say('dingo eats echidna');
    const b = await say('echidna eats dingo');
    assert.deepEqual(await found('"dingo eats"'), [a]);
    assert.deepEqual(await found('dingo -"dingo eats"'), [b]);
    const c = await say('dingo sleeps');
    assert.deepEqual(await found('dingo -echidna'), [c]);
  });

  it('knows in:, from: and their forms', async () => {
    const other = await s.channel();
    await s.admin.conversations.invite({ channel: other.id, users: person.id });
    const a = await say('falcon here');
    const b = await say('falcon there', s.admin, other.id);
    const c = await say('falcon by another', person.client);
    for (const form of [`in:#${other.name}`, `in:${other.name}`, `in:<#${other.id}>`, `in:${other.id}`]) assert.deepEqual(await found(`falcon ${form}`), [b], form);
    assert.deepEqual(await found(`falcon -in:#${other.name}`), [a, c]);
    assert.deepEqual(await found('falcon from:me'), [a, b]);
    assert.deepEqual(await found('falcon from:me', person.client), [c]);
    assert.deepEqual(await found(`falcon from:<@${person.id}>`), [c]);
    assert.deepEqual(await found(`falcon -from:<@${person.id}>`), [a, b]);
    assert.deepEqual(await found(`falcon in:#${other.name} in:#${channel.name}`), [a, b, c], 'several of one kind widen');
  });

  it('knows has:, is: and dates', async () => {
    const link = await say('gecko https://example.com');
    const plain = await say('gecko plain');
    const reply = await say('gecko reply', s.admin, channel.id, { thread_ts: plain });
    await s.admin.reactions.add({ channel: channel.id, timestamp: plain, name: 'wave' });
    assert.deepEqual(await found('gecko has:link'), [link]);
    assert.deepEqual(await found('gecko has:reaction'), [plain]);
    assert.deepEqual(await found('gecko has::wave:'), [plain]);
    assert.deepEqual(await found('gecko has::tada:'), []);
    assert.ok((await found('gecko is:thread')).includes(reply));
    assert.ok(!(await found('gecko is:thread')).includes(link));
    const day = (offset) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    assert.equal((await found(`gecko after:${day(-2)}`)).length, 3);
    assert.equal((await found(`gecko before:${day(2)}`)).length, 3);
    assert.deepEqual(await found(`gecko before:${day(-2)}`), []);
    assert.deepEqual(await found(`gecko after:${day(2)}`), []);
    assert.equal((await found('gecko during:today on:today')).length, 3);
  });

  it('marks matches on request', async () => {
    await say('a heron flies');
    const { matches } = await find('heron', s.admin, { highlight: true });
    assert.equal(matches[0].text, 'a \uE000heron\uE001 flies');
    assert.equal((await find('heron')).matches[0].text, 'a heron flies');
  });

  it('follows edits and deletions and leaves system messages out', async () => {
    const ts = await say('ibis before');
    await s.admin.chat.update({ channel: channel.id, ts, text: 'jackal after' });
    assert.deepEqual(await found('ibis'), []);
    assert.deepEqual(await found('jackal'), [ts]);
    await s.admin.chat.delete({ channel: channel.id, ts });
    assert.deepEqual(await found('jackal'), []);
    await s.admin.conversations.setTopic({ channel: channel.id, topic: 'kookaburra' });
    assert.deepEqual(await found('kookaburra'), []);
  });

  it('shows only what the caller may see', async () => {
    const closed = await s.channel(s.admin, { is_private: true });
    const secret = await say('lemur in private', s.admin, closed.id);
    const { channel: { id: dm } } = await s.admin.conversations.open({ users: person.id });
    const whisper = await say('lemur in person', s.admin, dm);
    const third = await s.person();
    assert.deepEqual(await found('lemur'), [secret, whisper]);
    assert.deepEqual(await found('lemur', person.client), [whisper]);
    assert.deepEqual(await found('lemur', third.client), []);
    assert.deepEqual(await found('lemur is:dm'), [whisper]);
    const open = await s.channel();
    const loud = await say('lemur in public', s.admin, open.id);
    assert.deepEqual(await found('lemur', third.client), [loud], 'public channels are open to members of the workspace');
    await s.admin.conversations.invite({ channel: closed.id, users: third.id });
    assert.deepEqual(await found('lemur', third.client), [secret, loud]);
    await s.admin.conversations.kick({ channel: closed.id, user: third.id });
    assert.deepEqual(await found('lemur', third.client), [loud]);
  });

  it('sorts and pages', async () => {
    const all = [];
    for (let i = 0; i < 7; i += 1) all.push(await say(`marmot ${i}`));
    const page = async (n, more = {}) => find('marmot', s.admin, { sort: 'timestamp', count: 3, page: n, ...more });
    assert.deepEqual((await page(1)).matches.map((m) => m.ts), all.slice(4).reverse());
    assert.deepEqual((await page(1, { sort_dir: 'asc' })).matches.map((m) => m.ts), all.slice(0, 3));
    const third = await page(3);
    assert.deepEqual(third.paging, { count: 3, total: 7, page: 3, pages: 3 });
    assert.deepEqual([third.pagination.first, third.pagination.last], [7, 7]);
    const past = await page(9);
    assert.deepEqual([past.matches, past.total], [[], 7]);
    assert.equal((await find('marmot', s.admin, { count: 1000 })).paging.count, 100);
    const seen = [];
    for (let cursor = '*', n = 0; cursor && n < 9; n += 1) {
      const r = await s.admin.search.messages({ query: 'marmot', sort: 'timestamp', count: 3, cursor });
      seen.push(...r.messages.matches.map((m) => m.ts));
      cursor = r.response_metadata?.next_cursor ?? r.messages.paging.next_cursor ?? '';
    }
    assert.deepEqual(seen, [...all].reverse());
  });

  it('survives every query', async () => {
    await refused(s.admin.apiCall('search.messages'), 'no_query');
    await refused(s.admin.search.messages({ query: '' }), 'no_query');
    for (const query of ['"', '""', '-', '*', 'a*', 'OR', 'AND NOT', 'NEAR(a b)', '(', 'in:', 'from:@nobody', 'before:never', 'has:', 'x:y', "'; --", '日本語', '😀', 'a'.repeat(5000), 'zzz '.repeat(300)]) {
      const r = await s.admin.search.messages({ query });
      assert.equal(r.ok, true, query);
      assert.ok(Number.isInteger(r.messages.total));
    }
    await refused(s.admin.search.messages({ query: '\u0000' }), 'no_query'); // nothing is left without the NUL
  });

  it('finds nothing for a query that names nothing', async () => {
    await say('nothing to see');
    for (const query of ['"', '""', '-', '*', '(', '!?']) assert.equal((await find(query)).total, 0, query);
    assert.deepEqual(await found('\u{1F9A5}'), [], 'an emoji that no message has');
    const ts = await say('slow \u{1F422} day');
    assert.deepEqual(await found('\u{1F422}'), [ts]);
    assert.deepEqual(await found(':turtle:'), [ts]);
  });
});
