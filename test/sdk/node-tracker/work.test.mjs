import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused, start } from './harness.mjs';

let server;
let client;
before(async () => { server = await start(); client = server.client(); });
after(() => server.stop());

test('comments and their threads', async () => {
  const team = await server.team();
  const issue = await (await client.createIssue({ teamId: team.id, title: 'x' })).issue;
  const payload = await client.createComment({ issueId: issue.identifier, body: 'Hello **you**' });
  assert.ok(payload.success);
  const comment = await payload.comment;
  assert.match(comment.url, new RegExp(`/issue/${issue.identifier}#comment-${comment.id.slice(0, 8)}$`));
  assert.equal((await comment.issue).id, issue.id);
  assert.equal((await comment.user).id, server.credentials.user_id);
  const reply = await (await client.createComment({ parentId: comment.id, body: 'Reply' })).comment;
  const nested = await (await client.createComment({ parentId: reply.id, body: 'Again' })).comment;
  assert.equal((await nested.parent).id, comment.id);
  // The client does not send the comment's own id here by itself.
  assert.deepEqual((await comment.children({ id: comment.id })).nodes.map((c) => c.body), ['Again', 'Reply']);
  assert.equal((await issue.comments()).nodes.length, 3);
  assert.equal(comment.editedAt, undefined);
  const edited = await (await client.updateComment(comment.id, { body: 'Changed' })).comment;
  assert.ok(edited.editedAt instanceof Date);
  const resolved = await (await client.commentResolve(comment.id, { resolvingCommentId: reply.id })).comment;
  assert.equal((await resolved.resolvingComment).id, reply.id);
  assert.equal((await resolved.resolvingUser).id, server.credentials.user_id);
  assert.equal((await (await client.commentUnresolve(comment.id)).comment).resolvedAt, undefined);
  assert.equal((await client.comment({ id: reply.id })).body, 'Reply');
  assert.equal((await client.deleteComment(comment.id)).entityId, comment.id);
  assert.equal((await issue.comments()).nodes.length, 0);
  await refused(client.createComment({ body: 'nowhere' }), 'InvalidInputLinearError');
  await refused(client.comment({ id: comment.id }), 'InvalidInputLinearError', /Entity not found: Comment/);
});

test('projects', async () => {
  const [team, other] = [await server.team(), await server.team()];
  const project = await (await client.createProject({ name: 'Alpha Beta', teamIds: [team.id], description: 'About' })).project;
  assert.match(project.url, new RegExp(`/project/alpha-beta-${project.slugId}$`));
  assert.equal((await project.status).type, 'backlog');
  assert.equal(project.state, 'backlog');
  assert.deepEqual((await project.teams()).nodes.map((t) => t.id), [team.id]);
  assert.equal((await client.project(project.slugId)).id, project.id);
  const done = await (await client.createIssue({ teamId: team.id, title: 'a', projectId: project.id })).issue;
  await client.createIssue({ teamId: team.id, title: 'b', projectId: project.id, estimate: 3 });
  assert.equal((await project.issues()).nodes.length, 2);
  await refused(client.createIssue({ teamId: other.id, title: 'c', projectId: project.id }), 'InvalidInputLinearError');
  const states = Object.fromEntries((await team.states()).nodes.map((s) => [s.type, s.id]));
  await client.updateIssue(done.id, { stateId: states.completed });
  const again = await client.project(project.id);
  assert.equal(again.scope, 4);
  assert.equal(again.progress, 0.25);
  const statuses = (await client.projectStatuses()).nodes;
  const started = statuses.find((s) => s.type === 'started');
  const changed = await (await client.updateProject(project.id, {
    statusId: started.id, leadId: server.credentials.user_id, targetDate: '2031-02-03', teamIds: [team.id, other.id], memberIds: [server.credentials.user_id],
  })).project;
  assert.ok(changed.startedAt instanceof Date);
  assert.equal((await changed.lead).id, server.credentials.user_id);
  assert.equal((await changed.teams()).nodes.length, 2);
  assert.equal((await changed.members()).nodes.length, 1);
  assert.equal((await team.projects()).nodes.length, 1);
  const trashed = await (await client.deleteProject(project.id)).entity;
  assert.equal(trashed.trashed, true);
  assert.equal((await team.projects()).nodes.length, 0);
  assert.equal((await (await client.unarchiveProject(project.id)).entity).archivedAt, undefined);
  await client.archiveProject(project.id);
  const note = await (await client.createComment({ projectId: project.id, body: 'On it' })).comment;
  assert.equal((await note.project).id, project.id);
  assert.equal((await changed.comments()).nodes.length, 1);
  await refused(client.createProject({ name: 'x', teamIds: [] }), 'InvalidInputLinearError');
});

test('cycles', async () => {
  const team = await server.team();
  const day = 864e5;
  const at = (n) => new Date(Date.now() + n * day);
  const past = await (await client.createCycle({ teamId: team.id, startsAt: at(-14), endsAt: at(-7) })).cycle;
  const now = await (await client.createCycle({ teamId: team.id, startsAt: at(-7), endsAt: at(7), name: 'Now' })).cycle;
  const next = await (await client.createCycle({ teamId: team.id, startsAt: at(7), endsAt: at(14) })).cycle;
  const later = await (await client.createCycle({ teamId: team.id, startsAt: at(14), endsAt: at(21) })).cycle;
  assert.deepEqual([past.number, now.number, next.number, later.number], [1, 2, 3, 4]);
  assert.deepEqual([past.isPast, past.isPrevious, now.isActive, next.isNext, next.isFuture, later.isNext], [true, true, true, true, true, false]);
  assert.equal((await (await client.team(team.id)).activeCycle).id, now.id);
  const issue = await (await client.createIssue({ teamId: team.id, title: 'x', cycleId: now.id })).issue;
  assert.deepEqual((await now.issues()).nodes.map((i) => i.id), [issue.id]);
  assert.deepEqual((await client.cycles({ filter: { isActive: { eq: true }, team: { id: { eq: team.id } } } })).nodes.map((c) => c.number), [2]);
  assert.deepEqual((await client.cycles({ filter: { isNext: { eq: true }, team: { id: { eq: team.id } } } })).nodes.map((c) => c.number), [3]);
  await refused(client.createCycle({ teamId: team.id, startsAt: at(-8), endsAt: at(-6) }), 'InvalidInputLinearError', /overlap/);
  const closed = await (await client.updateCycle(now.id, { completedAt: new Date() })).cycle;
  assert.equal(closed.isActive, false);
  assert.deepEqual((await closed.uncompletedIssuesUponClose()).nodes.map((i) => i.id), [issue.id]);
  assert.equal((await (await client.issue(issue.id)).cycle).id, next.id); // what is open moves on
  assert.ok((await (await client.archiveCycle(now.id)).entity).archivedAt);
  assert.equal((await (await client.issue(issue.id)).cycle).id, next.id);
  await client.archiveCycle(next.id);
  assert.equal(await (await client.issue(issue.id)).cycle, undefined);
  assert.equal((await team.cycles()).nodes.length, 2);
});

test('webhook registrations', async () => {
  const team = await server.team();
  const hook = await (await client.createWebhook({ url: 'http://127.0.0.1:9/x', resourceTypes: ['Issue'], teamId: team.key, label: 'mine' })).webhook;
  assert.equal((await hook.team).id, team.id);
  assert.ok(hook.secret.length > 20 && hook.enabled);
  assert.equal((await (await client.updateWebhook(hook.id, { enabled: false })).webhook).enabled, false);
  assert.notEqual((await client.rotateSecretWebhook(hook.id)).secret, hook.secret);
  assert.equal((await team.webhooks()).nodes.length, 1);
  assert.equal((await client.webhooks()).nodes.length, 1);
  assert.equal((await client.deleteWebhook(hook.id)).entityId, hook.id);
  await refused(client.createWebhook({ url: 'ftp://x', resourceTypes: ['Issue'] }), 'InvalidInputLinearError');
  await refused(client.createWebhook({ url: 'http://x', resourceTypes: ['Nonsense'] }), 'InvalidInputLinearError');
});
