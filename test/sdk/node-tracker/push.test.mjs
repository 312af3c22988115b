import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { io } from 'socket.io-client';
import { start } from './harness.mjs';

let server;
let client;
before(async () => { server = await start(); client = server.client(); });
after(() => server.stop());

/** Waits until the list holds what is looked for. */
async function until(list, found, what) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const hit = list.find(found);
    if (hit) return hit;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return assert.fail(`${what} did not come; there is ${JSON.stringify(list.map((e) => [e.type ?? e.name, e.action]))}`);
}

/** A receiver made of the official verifier: {url, got, typed, heads, close}. */
async function receiver(secret) {
  const got = [];
  const heads = [];
  const handle = new LinearWebhookClient(secret).createHandler();
  const typed = [];
  handle.on('*', (payload) => { got.push(payload); });
  for (const type of ['Issue', 'Comment']) handle.on(type, (payload) => { typed.push(`${type} ${payload.type}`); });
  const http = createServer((req, res) => { heads.push(req.headers); handle(req, res); });
  await new Promise((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { got, typed, heads, url: `http://127.0.0.1:${http.address().port}/hook`, close: () => http.close() };
}

test('webhooks reach the official verifier, each with what changed', async () => {
  const secret = 'a secret of the receiver';
  const sink = await receiver(secret);
  const team = await server.team();
  const other = await server.team();
  const made = await server.rest('POST', '/api/webhooks', { token: server.credentials.api_key,
    body: { url: sink.url, secret, teamId: team.id, resourceTypes: ['Issue', 'Comment'] } });
  assert.equal(made.status, 201, JSON.stringify(made.body));

  const issue = await (await client.createIssue({ teamId: team.id, title: 'Before' })).issue;
  const created = await until(sink.got, (e) => e.type === 'Issue' && e.action === 'create', 'the creation');
  assert.equal(created.data.identifier, issue.identifier);
  assert.equal(created.webhookId, made.body.id);
  assert.equal(created.organizationId, server.credentials.organization_id);
  assert.equal(created.actor.id, server.credentials.user_id);

  await client.createIssue({ teamId: other.id, title: 'Elsewhere' });
  await client.updateIssue(issue.id, { title: 'After' });
  const updated = await until(sink.got, (e) => e.action === 'update', 'the update');
  assert.equal(updated.updatedFrom.title, 'Before');
  assert.deepEqual(Object.keys(updated.updatedFrom).sort(), ['title', 'updatedAt']);
  await client.createComment({ issueId: issue.id, body: 'Said' });
  assert.equal((await until(sink.got, (e) => e.type === 'Comment', 'the comment')).data.body, 'Said');
  await client.deleteIssue(issue.id);
  assert.equal((await until(sink.got, (e) => e.type === 'Issue' && e.action === 'remove', 'the removal')).url, undefined);
  assert.ok(!sink.got.some((e) => e.data.title === 'Elsewhere'), 'an issue of another team came');
  assert.deepEqual([...new Set(sink.typed)].sort(), ['Comment Comment', 'Issue Issue']);

  const ids = sink.heads.map((h) => h['tracker-delivery']);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(sink.heads[0]['tracker-signature'], sink.heads[0]['linear-signature']);
  assert.equal(sink.heads[0]['tracker-event'], 'Issue');

  const before_ = sink.got.length;
  await client.updateWebhook(made.body.id, { enabled: false });
  await client.createIssue({ teamId: team.id, title: 'Unheard' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(sink.got.length, before_);
  sink.close();
});

/** A connected client: {events, close}. */
async function connected(token) {
  const at = new URL(server.base);
  const socket = io(at.origin, { path: `${at.pathname}/socket.io/`, auth: { token }, reconnection: false });
  const events = [];
  socket.onAny((name, payload) => events.push({ name, ...payload }));
  await new Promise((resolve, reject) => { socket.once('connect', resolve); socket.once('connect_error', reject); });
  return { events, close: () => socket.close() };
}

test('connected clients are told of their own organization alone', async () => {
  const mine = await connected(server.credentials.api_key);
  const stranger = await server.stranger('faraway');
  const theirs = await connected(stranger.session.accessToken);
  const team = await server.team();
  const issue = await (await client.createIssue({ teamId: team.id, title: 'Live' })).issue;
  const told = await until(mine.events, (e) => e.name === 'issue.created', 'issue.created');
  assert.equal(told.data.identifier, issue.identifier);
  assert.equal(told.action, 'create');
  await client.updateIssue(issue.id, { title: 'Lively' });
  assert.equal((await until(mine.events, (e) => e.name === 'issue.updated', 'issue.updated')).updatedFrom.title, 'Live');
  const day = 864e5;
  const comment = await (await client.createComment({ issueId: issue.id, body: 'Said' })).comment;
  const project = await (await client.createProject({ name: 'Alpha', teamIds: [team.id] })).project;
  const cycle = await (await client.createCycle({ teamId: team.id, startsAt: new Date(), endsAt: new Date(Date.now() + day) })).cycle;
  await client.updateProject(project.id, { name: 'Beta' });
  await client.updateCycle(cycle.id, { name: 'First' });
  await client.archiveCycle(cycle.id);
  await client.deleteProject(project.id);
  for (const [name, id] of [['comment.created', comment.id], ['project.created', project.id], ['project.updated', project.id], ['project.deleted', project.id],
    ['cycle.created', cycle.id], ['cycle.updated', cycle.id], ['cycle.deleted', cycle.id]]) {
    assert.equal((await until(mine.events, (e) => e.name === name, name)).data.id, id, name);
  }
  const ids = mine.events.map((e) => e.lastSyncId);
  assert.deepEqual(ids, [...ids].sort((a, b) => a - b), 'events come in the order of the writes');
  assert.ok(!theirs.events.some((e) => /^(issue|comment|project|cycle)\./.test(e.name)), 'another organization was told');
  mine.close();
  theirs.close();
  await assert.rejects(connected('nobody'), /Authentication required/);
});

test('a private team is heard by its members alone', async () => {
  const secret = 'another secret';
  const sink = await receiver(secret);
  await client.createWebhook({ url: sink.url, secret, allPublicTeams: true, resourceTypes: ['Issue'] });
  const open = await server.team();
  const closed = (await client.createTeam({ key: server.key(), name: 'Closed', private: true })).team;
  const id = (await closed).id;
  await client.createIssue({ teamId: id, title: 'Hidden' });
  await client.createIssue({ teamId: open.id, title: 'Seen' });
  await until(sink.got, (e) => e.data.title === 'Seen', 'the public issue');
  assert.ok(!sink.got.some((e) => e.data.title === 'Hidden'), 'an issue of a private team came');
  sink.close();
});
