import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused, start } from './harness.mjs';

let server;
let client;
let team;
before(async () => {
  server = await start();
  client = server.client();
  team = await server.team();
});
after(() => server.stop());

test('pages in both directions', async () => {
  const crowd = await server.team();
  for (let i = 0; i < 130; i += 26) {
    await client.createIssueBatch({ issues: Array.from({ length: 26 }, (_, n) => ({ teamId: crowd.id, title: `t${i + n}` })) });
  }
  const filter = { team: { id: { eq: crowd.id } } };
  let page = await client.issues({ first: 50, filter });
  assert.equal(page.nodes.length, 50);
  assert.ok(page.pageInfo.hasNextPage && !page.pageInfo.hasPreviousPage);
  page = await page.fetchNext();
  page = await page.fetchNext();
  assert.equal(new Set(page.nodes.map((i) => i.id)).size, 130);
  assert.equal(page.pageInfo.hasNextPage, false);
  const times = page.nodes.map((i) => i.createdAt.getTime());
  assert.deepEqual(times, [...times].sort((a, b) => b - a));

  const last = await client.issues({ last: 3, filter });
  assert.deepEqual(last.nodes.map((i) => i.id), page.nodes.slice(-3).map((i) => i.id));
  assert.ok(last.pageInfo.hasPreviousPage && !last.pageInfo.hasNextPage);
  const middle = await client.issues({ first: 10, after: page.nodes[19].id, filter });
  assert.deepEqual(middle.nodes.map((i) => i.id), page.nodes.slice(20, 30).map((i) => i.id));
  const back = await client.issues({ last: 10, before: middle.pageInfo.startCursor, filter });
  assert.deepEqual(back.nodes.map((i) => i.id), page.nodes.slice(10, 20).map((i) => i.id));
  await middle.fetchPrevious();
  assert.deepEqual(middle.nodes.slice(-10).map((i) => i.id), page.nodes.slice(20, 30).map((i) => i.id));
  await last.fetchNext();

  assert.equal((await client.issues({ first: 250, filter })).nodes.length, 130);
  assert.equal((await client.paginate((v) => client.issues(v), { filter })).length, 130);
  for (const first of [0, 251, -1]) await refused(client.issues({ first }), 'InvalidInputLinearError');
  await refused(client.issues({ after: 'nonsense' }), 'InvalidInputLinearError');
});

test('250 of everything fits under the cap', async () => {
  for (const list of ['issues', 'comments', 'projects', 'teams', 'users', 'cycles', 'issueLabels', 'workflowStates', 'webhooks', 'projectStatuses']) {
    await client[list]({ first: 250 });
  }
});

test('every comparator', async () => {
  const me = await client.viewer;
  const label = await (await client.createIssueLabel({ name: 'Red' })).issueLabel;
  const state = (await team.states()).nodes.find((s) => s.type === 'started');
  const make = async (input) => (await client.createIssue({ teamId: team.id, ...input })).issue;
  const a = await make({ title: 'Ärger im Büro', priority: 1, estimate: 1, assigneeId: me.id, labelIds: [label.id], dueDate: '2030-01-10' });
  const b = await make({ title: 'beta Test', priority: 3, estimate: 5, stateId: state.id, description: 'words', parentId: a.id });
  const c = await make({ title: 'Gamma', priority: 0 });
  await client.createComment({ issueId: b.id, body: 'Remark' });
  const all = { a, b, c };
  const found = async (filter) => {
    const page = await client.issues({ filter: { and: [{ team: { id: { eq: team.id } } }, filter] } });
    return page.nodes.map((i) => Object.keys(all).find((k) => all[k].id === i.id)).sort().join('');
  };
  const cases = [
    [{ title: { eq: 'Gamma' } }, 'c'], [{ title: { neq: 'Gamma' } }, 'ab'], [{ title: { in: ['Gamma', 'beta Test'] } }, 'bc'],
    [{ title: { nin: ['Gamma'] } }, 'ab'], [{ title: { eqIgnoreCase: 'ÄRGER IM BÜRO' } }, 'a'], [{ title: { neqIgnoreCase: 'gamma' } }, 'ab'],
    [{ title: { contains: 'Test' } }, 'b'], [{ title: { notContains: 'Test' } }, 'ac'], [{ title: { containsIgnoreCase: 'GAMM' } }, 'c'],
    [{ title: { notContainsIgnoreCase: 'GAMM' } }, 'ab'], [{ title: { containsIgnoreCaseAndAccent: 'arger im buro' } }, 'a'],
    [{ title: { startsWith: 'Är' } }, 'a'], [{ title: { startsWithIgnoreCase: 'BETA' } }, 'b'], [{ title: { notStartsWith: 'beta' } }, 'ac'],
    [{ title: { endsWith: 'üro' } }, 'a'], [{ title: { notEndsWith: 'Test' } }, 'ac'],
    [{ id: { eq: a.id } }, 'a'], [{ id: { eq: b.identifier } }, 'b'], [{ id: { in: [a.id, c.id] } }, 'ac'], [{ id: { neq: a.id } }, 'bc'], [{ id: { nin: [a.id, b.id] } }, 'c'],
    [{ number: { eq: 2 } }, 'b'], [{ number: { gt: 1, lt: 3 } }, 'b'], [{ number: { gte: 2 } }, 'bc'], [{ number: { lte: 2 } }, 'ab'], [{ number: { in: [1, 3] } }, 'ac'],
    [{ number: { eq: 1.5 } }, ''], [{ number: { lt: 1.5 } }, 'a'],
    [{ priority: { gte: 1 } }, 'ab'], [{ priority: { null: true } }, ''],
    [{ estimate: { null: true } }, 'c'], [{ estimate: { gt: 1 } }, 'b'], [{ estimate: { neq: 1 } }, 'bc'], [{ estimate: { or: [{ eq: 1 }, { null: true }] } }, 'ac'],
    [{ dueDate: { null: false } }, 'a'], [{ dueDate: { lt: '2030-02-01' } }, 'a'], [{ dueDate: { gt: '2030-02-01' } }, ''],
    [{ createdAt: { gt: '-P1D' } }, 'abc'], [{ createdAt: { lt: '-P1D' } }, ''], [{ createdAt: { gte: new Date(Date.now() - 36e5) } }, 'abc'], [{ createdAt: { gt: '2021' } }, 'abc'],
    [{ completedAt: { null: true } }, 'abc'], [{ startedAt: { null: false } }, 'b'],
    [{ description: { null: true } }, 'ac'], [{ description: { eq: 'words' } }, 'b'],
    [{ assignee: { null: true } }, 'bc'], [{ assignee: { null: false } }, 'a'], [{ assignee: { isMe: { eq: true } } }, 'a'], [{ creator: { isMe: { neq: true } } }, ''],
    [{ assignee: { email: { eq: me.email } } }, 'a'],
    [{ state: { type: { eq: 'started' } } }, 'b'], [{ state: { type: { nin: ['started'] } } }, 'ac'], [{ team: { key: { eq: team.key } } }, 'abc'],
    [{ labels: { name: { eq: 'Red' } } }, 'a'], [{ labels: { some: { name: { eq: 'Red' } } } }, 'a'], [{ labels: { every: { name: { eq: 'Red' } } } }, 'abc'],
    [{ labels: { every: { name: { neq: 'Red' } } } }, 'bc'], [{ labels: { length: { eq: 0 } } }, 'bc'], [{ labels: { null: true } }, 'bc'],
    [{ children: { length: { gt: 0 } } }, 'a'], [{ parent: { null: false } }, 'b'], [{ parent: { title: { contains: 'Büro' } } }, 'b'],
    [{ children: { some: { state: { type: { eq: 'started' } } } } }, 'a'],
    [{ comments: { some: { body: { eq: 'Remark' } } } }, 'b'], [{ subscribers: { some: { isMe: { eq: true } } } }, 'abc'],
    [{ or: [{ title: { eq: 'Gamma' } }, { priority: { eq: 1 } }] }, 'ac'], [{ or: [] }, 'abc'], [{ id: { in: [] } }, ''], [{ id: { nin: [] } }, 'abc'], [{}, 'abc'],
    [{ or: [{ title: { eq: 'Gamma' } }, {}], priority: { gt: 0 } }, 'ab'],
  ];
  for (const [filter, want] of cases) assert.equal(await found(filter), want, JSON.stringify(filter));
  await refused(client.issues({ filter: { team: { id: { eq: 'nonsense' } } } }), 'InvalidInputLinearError', /must be a UUID/);
});

test('sorting', async () => {
  const sorted = await server.team();
  const me = await client.viewer;
  for (const input of [{ title: 'b', priority: 3 }, { title: 'a', priority: 0, dueDate: '2030-01-01' }, { title: 'c', priority: 1, assigneeId: me.id, estimate: 2 }]) {
    await client.createIssue({ teamId: sorted.id, ...input });
  }
  const order = async (sort, rest = {}) => (await client.issues({ filter: { team: { id: { eq: sorted.id } } }, sort, ...rest })).nodes.map((i) => i.title).join('');
  assert.equal(await order([{ title: { order: 'Ascending' } }]), 'abc');
  assert.equal(await order([{ title: { order: 'Descending' } }]), 'cba');
  assert.equal(await order([{ priority: { order: 'Ascending' } }]), 'abc');
  assert.equal(await order([{ priority: { order: 'Descending' } }]), 'cba');
  assert.equal(await order([{ priority: { order: 'Descending', noPriorityFirst: true } }]), 'acb');
  assert.equal(await order([{ dueDate: { order: 'Ascending' } }, { title: {} }]), 'abc');
  assert.equal(await order([{ estimate: { order: 'Descending', nulls: 'first' } }, { title: {} }]), 'abc');
  assert.equal(await order([{ assignee: {} }, { title: {} }]), 'cab');
  assert.equal(await order([{ workflowState: {} }, { manual: {} }]), 'cab');
  for (const key of ['createdAt', 'updatedAt', 'completedAt', 'cycle', 'project', 'team']) assert.equal((await order([{ [key]: {} }])).length, 3, key);
  const first = await client.issues({ first: 1, filter: { team: { id: { eq: sorted.id } } }, sort: [{ priority: {} }] });
  assert.equal(first.nodes[0].title, 'a');
  await first.fetchNext();
  await first.fetchNext();
  assert.equal(first.nodes.map((i) => i.title).join(''), 'abc');
  assert.equal(await order([{ title: {} }], { last: 2 }), 'bc');
});
