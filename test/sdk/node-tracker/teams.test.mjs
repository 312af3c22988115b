import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused, start } from './harness.mjs';

let server;
let client;
before(async () => { server = await start(); client = server.client(); });
after(() => server.stop());

test('the viewer and the organization', async () => {
  const me = await client.viewer;
  assert.equal(me.id, server.credentials.user_id);
  assert.equal(me.email, server.credentials.user_email);
  assert.ok(me.admin && me.owner && me.active && me.isMe);
  const org = await client.organization;
  assert.equal(org.id, server.credentials.organization_id);
  assert.equal(org.urlKey, server.credentials.url_key);
  assert.equal((await me.organization).id, org.id);
  assert.deepEqual(new Set(org.projectStatuses.map((s) => s.type)), new Set(['backlog', 'planned', 'started', 'paused', 'completed', 'canceled']));
  const users = await client.users();
  assert.deepEqual(users.nodes.map((u) => u.id), [me.id]);
  assert.equal((await client.user(me.id)).displayName, me.displayName);
  const changed = await client.updateUser('me', { displayName: 'ada', statusEmoji: '🌱' });
  assert.equal((await changed.user).displayName, 'ada');
  const named = await client.updateOrganization({ name: 'Renamed', roadmapEnabled: false });
  assert.equal((await named.organization).name, 'Renamed');
  assert.equal((await client.organization).roadmapEnabled, false);
});

test('a team begins with six states and its creator', async () => {
  const payload = await client.createTeam({ key: 'ENG', name: 'Engineering' });
  assert.ok(payload.success && payload.lastSyncId > 0);
  const team = await payload.team;
  assert.equal(team.key, 'ENG');
  const states = (await team.states()).nodes;
  assert.equal(states.length, 6);
  assert.deepEqual(new Set(states.map((s) => s.type)), new Set(['backlog', 'unstarted', 'started', 'completed', 'canceled']));
  assert.equal((await team.members()).nodes.length, 1);
  assert.equal((await team.labels()).nodes.length, 0);
  assert.equal((await team.organization).id, server.credentials.organization_id);
  assert.equal((await client.team('ENG')).id, team.id);
  assert.equal((await team.defaultIssueState).type, 'unstarted');
  await refused(client.createTeam({ key: 'ENG', name: 'Again' }), 'UserLinearError');
  await refused(client.team('5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab'), 'InvalidInputLinearError', /Entity not found: Team - Could not find referenced Team\./);
});

test('a team without a key gets one from its name', async () => {
  const one = await (await client.createTeam({ name: 'Product design' })).team;
  const two = await (await client.createTeam({ name: 'Product docs' })).team;
  assert.equal(one.key, 'PRO');
  assert.equal(two.key, 'PRO2');
});

test('a team is changed, deleted and brought back', async () => {
  const team = await server.team();
  const changed = await (await client.updateTeam(team.id, { name: 'Changed', cycleDuration: 3, timezone: 'Europe/Berlin' })).team;
  assert.equal(changed.name, 'Changed');
  assert.equal(changed.cycleDuration, 3);
  assert.equal(changed.timezone, 'Europe/Berlin');
  const issue = await (await client.createIssue({ teamId: team.id, title: 'In it' })).issue;
  assert.equal((await client.deleteTeam(team.id)).success, true);
  await refused(client.issue(issue.id), 'InvalidInputLinearError');
  assert.ok(!(await client.teams()).nodes.some((t) => t.id === team.id));
  assert.equal((await client.unarchiveTeam(team.id)).success, true);
  assert.equal((await client.issue(issue.id)).title, 'In it');
});

test('workflow states', async () => {
  const team = await server.team();
  const made = await (await client.createWorkflowState({ teamId: team.id, name: 'QA', type: 'started', color: '#112233' })).workflowState;
  assert.equal(made.type, 'started');
  assert.equal((await made.team).id, team.id);
  assert.equal((await (await client.updateWorkflowState(made.id, { name: 'Testing' })).workflowState).name, 'Testing');
  await refused(client.createWorkflowState({ teamId: team.id, name: 'x', type: 'wrong', color: '#112233' }), 'InvalidInputLinearError');
  await refused(client.createWorkflowState({ teamId: team.id, name: 'testing', type: 'started', color: '#112233' }), 'UserLinearError');
  const issue = await (await client.createIssue({ teamId: team.id, title: 'x', stateId: made.id })).issue;
  assert.deepEqual((await made.issues()).nodes.map((i) => i.id), [issue.id]);
  await refused(client.archiveWorkflowState(made.id), 'InvalidInputLinearError');
  await client.archiveIssue(issue.id);
  assert.equal((await client.archiveWorkflowState(made.id)).success, true);
  assert.equal((await team.states()).nodes.length, 6);
  assert.equal((await team.states({ includeArchived: true })).nodes.length, 7);
});

test('labels of a team, of the organization, in groups', async () => {
  const team = await server.team();
  const all = await (await client.createIssueLabel({ name: 'Bug', color: '#eb5757' })).issueLabel;
  assert.equal(await all.team, undefined);
  const own = await (await client.createIssueLabel({ name: 'Own', teamId: team.id })).issueLabel;
  assert.equal((await own.team).id, team.id);
  assert.deepEqual((await team.labels()).nodes.map((l) => l.name).sort(), ['Bug', 'Own']);
  const workspace = await client.issueLabels({ filter: { team: { null: true } } });
  assert.deepEqual(workspace.nodes.map((l) => l.name), ['Bug']);
  await refused(client.createIssueLabel({ name: 'bug' }), 'InvalidInputLinearError', /^Duplicate label name - Label "Bug" already exists/);
  const group = await (await client.createIssueLabel({ name: 'Size', isGroup: true })).issueLabel;
  const small = await (await client.createIssueLabel({ name: 'S', parentId: group.id })).issueLabel;
  const large = await (await client.createIssueLabel({ name: 'L', parentId: group.id })).issueLabel;
  assert.equal((await group.children()).nodes.length, 2);
  assert.equal((await small.parent).id, group.id);
  const issue = await (await client.createIssue({ teamId: team.id, title: 'x', labelIds: [small.id, own.id] })).issue;
  assert.deepEqual((await issue.labels()).nodes.map((l) => l.name).sort(), ['Own', 'S']);
  await refused(client.updateIssue(issue.id, { labelIds: [group.id] }), 'InvalidInputLinearError');
  await refused(client.updateIssue(issue.id, { addedLabelIds: [large.id] }), 'InvalidInputLinearError', /exclusive/);
  await client.updateIssue(issue.id, { addedLabelIds: [large.id, all.id], removedLabelIds: [small.id] });
  assert.deepEqual((await (await client.issue(issue.id)).labels()).nodes.map((l) => l.name).sort(), ['Bug', 'L', 'Own']);
  await client.issueRemoveLabel(issue.id, all.id);
  assert.deepEqual((await own.issues()).nodes.map((i) => i.id), [issue.id]);
  assert.equal((await client.deleteIssueLabel(own.id)).entityId, own.id);
  assert.deepEqual((await client.issue(issue.id)).labelIds, [large.id]);
});
