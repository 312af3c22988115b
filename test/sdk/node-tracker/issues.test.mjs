import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { refused, start } from './harness.mjs';

let server;
let client;
before(async () => { server = await start(); client = server.client(); });
after(() => server.stop());

test('numbers follow one another and are never used again', async () => {
  const team = await server.team();
  const payload = await client.createIssue({ teamId: team.id, title: 'First' });
  const second = await client.createIssue({ teamId: team.id, title: 'Second' });
  assert.ok(payload.success && second.lastSyncId > payload.lastSyncId);
  assert.equal((await payload.issue).identifier, `${team.key}-1`);
  assert.equal((await second.issue).identifier, `${team.key}-2`);
  await client.deleteIssue((await second.issue).id);
  assert.equal((await (await client.createIssue({ teamId: team.id, title: 'Third' })).issue).identifier, `${team.key}-3`);
  const many = await Promise.all(Array.from({ length: 20 }, (_, i) => client.createIssue({ teamId: team.id, title: `n${i}` })));
  const issues = await Promise.all(many.map((p) => p.issue));
  assert.deepEqual(issues.map((i) => i.number).sort((a, b) => a - b), Array.from({ length: 20 }, (_, i) => i + 4));
  assert.equal(new Set(many.map((p) => p.lastSyncId)).size, 20);
});

test('an issue with everything, and its links', async () => {
  const team = await server.team();
  const me = await client.viewer;
  const project = await (await client.createProject({ name: 'Alpha', teamIds: [team.id] })).project;
  const cycle = await (await client.createCycle({ teamId: team.id, startsAt: new Date(Date.now() - 864e5), endsAt: new Date(Date.now() + 864e5) })).cycle;
  const parent = await (await client.createIssue({ teamId: team.id, title: 'Parent' })).issue;
  const id = randomUUID();
  const made = await client.createIssue({
    id, teamId: team.id, title: 'Drop-down overflow in the select menu.', description: '**bold**', priority: 2, estimate: 3, assigneeId: me.id,
    parentId: parent.identifier, projectId: project.id, cycleId: cycle.id, dueDate: '2030-01-31',
  });
  const issue = await made.issue;
  assert.equal(issue.id, id);
  assert.equal(issue.priorityLabel, 'High');
  assert.equal(issue.estimate, 3);
  assert.equal(issue.dueDate, '2030-01-31');
  assert.match(issue.url, new RegExp(`/issue/${issue.identifier}/drop-down-overflow-in-the-select-menu$`));
  assert.match(issue.branchName, new RegExp(`/${issue.identifier.toLowerCase()}-drop-down`));
  assert.equal((await issue.state).type, 'backlog');
  assert.equal((await issue.team).id, team.id);
  assert.equal((await issue.creator).id, me.id);
  assert.equal((await issue.assignee).id, me.id);
  assert.equal((await issue.parent).id, parent.id);
  assert.equal((await issue.project).id, project.id);
  assert.equal((await issue.cycle).id, cycle.id);
  assert.equal(await issue.delegate, undefined);
  assert.deepEqual((await parent.children()).nodes.map((i) => i.id), [id]);
  assert.deepEqual((await issue.subscribers()).nodes.map((u) => u.id), [me.id]);
  assert.equal((await issue.comments()).nodes.length, 0);
  assert.equal((await issue.labels()).nodes.length, 0);
  assert.equal(issue.sharedAccess.isShared, false);
  for (const name of [issue.identifier, issue.identifier.toLowerCase()]) assert.equal((await client.issue(name)).id, id);
  assert.equal((await client.issueVcsBranchSearch(issue.branchName)).id, id);
  await refused(client.createIssue({ id, teamId: team.id, title: 'Again' }), 'InvalidInputLinearError', /conflict on insert of Issue/i);
  assert.equal((await team.issues()).nodes.length, 2);
  assert.equal((await me.assignedIssues()).nodes.length, 1);
  assert.ok((await me.createdIssues()).nodes.length >= 2);
  assert.deepEqual((await client.searchIssues('overflow')).nodes.map((i) => i.id), [id]);
  assert.equal((await client.issuePriorityValues).length, 5);
});

test('states set and clear the times', async () => {
  const team = await server.team();
  const states = Object.fromEntries((await team.states()).nodes.map((s) => [s.type, s.id]));
  const { id } = await (await client.createIssue({ teamId: team.id, title: 'x' })).issue;
  const to = async (type) => (await client.updateIssue(id, { stateId: states[type] })).issue;
  let issue = await to('started');
  assert.ok(issue.startedAt instanceof Date && !issue.completedAt);
  issue = await to('completed');
  assert.ok(issue.completedAt && issue.startedAt);
  issue = await to('canceled');
  assert.ok(issue.canceledAt && !issue.completedAt);
  issue = await to('unstarted');
  assert.ok(!issue.startedAt && !issue.completedAt && !issue.canceledAt);
});

test('null clears, what is left out stays', async () => {
  const team = await server.team();
  const me = await client.viewer;
  const { id } = await (await client.createIssue({ teamId: team.id, title: 'x', assigneeId: me.id, estimate: 2, dueDate: '2030-01-01', description: 'd' })).issue;
  let issue = await (await client.updateIssue(id, { assigneeId: null, estimate: null, dueDate: null })).issue;
  assert.equal(await issue.assignee, undefined);
  assert.equal(issue.estimate, undefined);
  assert.equal(issue.dueDate, undefined);
  assert.equal(issue.description, 'd');
  issue = await (await client.updateIssue(id, { title: 'y' })).issue;
  assert.equal(issue.title, 'y');
  assert.equal(issue.description, 'd');
});

test('archive, trash, restore, delete', async () => {
  const team = await server.team();
  const make = async () => (await client.createIssue({ teamId: team.id, title: 'x' })).issue;
  const listed = async (includeArchived) => (await team.issues({ includeArchived })).nodes.map((i) => i.id);
  const one = await make();
  const archived = await client.archiveIssue(one.id);
  assert.ok((await archived.entity).archivedAt instanceof Date);
  assert.deepEqual(await listed(false), []);
  assert.deepEqual(await listed(true), [one.id]);
  assert.equal((await (await client.unarchiveIssue(one.id)).entity).archivedAt, undefined);
  const trashed = await (await client.deleteIssue(one.id)).entity;
  assert.equal(trashed.trashed, true);
  assert.equal((await client.issue(one.identifier)).trashed, true);
  assert.equal((await (await client.unarchiveIssue(one.id)).entity).trashed, undefined);
  assert.deepEqual(await listed(false), [one.id]);
  const gone = await client.deleteIssue(one.id, { permanentlyDelete: true });
  assert.equal(gone.success, true);
  assert.equal(await gone.entity, undefined);
  await refused(client.issue(one.id), 'InvalidInputLinearError', /Entity not found: Issue - Could not find referenced Issue\./);
});

test('moving to another team', async () => {
  const [from, to] = [await server.team(), await server.team()];
  const issue = await (await client.createIssue({ teamId: from.id, title: 'x' })).issue;
  const moved = await (await client.updateIssue(issue.id, { teamId: to.id })).issue;
  assert.equal(moved.identifier, `${to.key}-1`);
  assert.deepEqual(moved.previousIdentifiers, [`${from.key}-1`]);
  assert.equal((await (await moved.state).team).id, to.id);
  assert.equal((await client.issue(`${from.key}-1`)).id, issue.id);
});

test('several at once', async () => {
  const team = await server.team();
  const made = await client.createIssueBatch({ issues: [{ teamId: team.id, title: 'a' }, { teamId: team.id, title: 'b' }] });
  assert.deepEqual(made.issues.map((i) => i.title), ['a', 'b']);
  const changed = await client.updateIssueBatch(made.issues.map((i) => i.id), { priority: 1 });
  assert.deepEqual(changed.issues.map((i) => i.priorityLabel), ['Urgent', 'Urgent']);
  const me = await client.viewer;
  const unsubscribed = await (await client.issueUnsubscribe(made.issues[0].id, { userId: me.id })).issue;
  assert.equal((await unsubscribed.subscribers()).nodes.length, 0);
  await client.issueSubscribe(made.issues[0].id);
  assert.equal((await unsubscribed.subscribers()).nodes.length, 1);
});
