import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { refused, start } from './harness.mjs';

let server;
let client;
before(async () => { server = await start('--rate-limits', 'real'); client = server.client(); });
after(() => server.stop());

const post = (body, headers = {}) => fetch(server.graphql, {
  method: 'POST', headers: { 'content-type': 'application/json', authorization: server.credentials.api_key, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body),
});

test('keys and tokens stand for the same user', async () => {
  const { body: session } = await server.rest('POST', '/api/auth/login', { body: { email: server.credentials.user_email, password: server.credentials.user_password } });
  assert.equal(session.user.id, server.credentials.user_id);
  assert.equal(session.organization.urlKey, server.credentials.url_key);
  for (const options of [{ apiKey: server.credentials.api_key }, { accessToken: server.credentials.api_key }, { accessToken: session.accessToken }]) {
    assert.equal((await server.client(options).viewer).id, server.credentials.user_id);
  }
  const { body: key } = await server.rest('POST', '/api/api-keys', { token: session.accessToken, body: { label: 'ci' } });
  assert.match(key.token, /^trk_api_/);
  assert.equal((await server.client({ apiKey: key.token }).viewer).id, server.credentials.user_id);
  assert.equal((await server.rest('DELETE', `/api/api-keys/${key.id}`, { token: session.accessToken })).status, 204);
  await refused(server.client({ apiKey: key.token }).viewer, 'AuthenticationLinearError');
});

test('organizations never see each other', async () => {
  const { client: other, session } = await server.stranger('rival');
  const team = await server.team();
  const issue = await (await client.createIssue({ teamId: team.id, title: 'Mine' })).issue;
  assert.equal((await other.issues()).nodes.length, 0);
  assert.equal((await other.teams()).nodes.length, 0);
  await refused(other.issue(issue.id), 'InvalidInputLinearError', /Entity not found: Issue/);
  await refused(other.updateIssue(issue.id, { title: 'Yours' }), 'InvalidInputLinearError', /Entity not found: Issue/);
  await refused(other.createIssue({ teamId: team.id, title: 'In yours' }), 'InvalidInputLinearError', /Entity not found: Team/);
  assert.equal((await other.organization).id, session.organization.id);
  const { body: hook } = await server.rest('POST', '/api/webhooks', { token: server.credentials.api_key, body: { url: 'http://127.0.0.1:9/' } });
  for (const [method, path, status] of [['DELETE', `/api/webhooks/${hook.id}`, 404], ['GET', '/api/webhooks', 200], ['GET', '/api/api-keys', 200], ['GET', '/api/organization', 200]]) {
    const reply = await server.rest(method, path, { token: session.accessToken });
    assert.equal(reply.status, status, path);
    assert.ok(!JSON.stringify(reply.body).includes(hook.id) && !JSON.stringify(reply.body).includes(server.credentials.organization_id), path);
  }
  const { body: keys } = await server.rest('GET', '/api/api-keys', { token: server.credentials.api_key });
  assert.equal((await server.rest('DELETE', `/api/api-keys/${keys.apiKeys[0].id}`, { token: session.accessToken })).status, 404);
  assert.equal((await server.rest('DELETE', `/api/webhooks/${hook.id}`, { token: server.credentials.api_key })).status, 204);
  const theirs = await (await other.createTeam({ key: team.key, name: 'Same key' })).team;
  assert.equal(theirs.key, team.key);
});

test('errors of every class', async () => {
  const missing = '5c1f1b3a-9d1c-4e6b-8f2a-1234567890ab';
  const error = await refused(client.issue(missing), 'InvalidInputLinearError', /^Entity not found: Issue - Could not find referenced Issue\.$/);
  assert.equal(error.status, 200);
  const bad = await refused(server.client({ apiKey: 'trk_api_wrong' }).viewer, 'AuthenticationLinearError',
    /^Authentication required, not authenticated - You need to authenticate to access this operation\.$/);
  assert.equal(bad.status, 401);
  await refused(client.client.rawRequest('{ viewer { nonsense } }'), 'GraphqlLinearError');
  await refused(client.client.rawRequest('{ viewer {'), 'GraphqlLinearError');
  const team = await server.team();
  await refused(client.createIssue({ teamId: team.id, title: 'x', labelIds: [missing] }), 'InvalidInputLinearError', /labelIds contained an entry that could not be found/);
  await refused(client.createIssue({ teamId: 'nonsense', title: 'x' }), 'InvalidInputLinearError', /teamId must be a UUID/);
  await refused(client.createIssue({ teamId: team.id, title: 'x', priority: 5 }), 'InvalidInputLinearError', /priority must not be greater than 4/);
  await refused(client.client.rawRequest('{ issues(first: 250) { nodes { id comments(first: 250) { nodes { id } } } } }'), 'InvalidInputLinearError', /too complex/);
});

test('refusals before GraphQL are JSON with errors', async () => {
  for (const [status, reply] of [
    [405, await fetch(server.graphql)], [415, await post('{}', { 'content-type': 'text/plain' })], [400, await post('{')], [400, await post('[]')], [400, await post({})],
    [401, await post({ query: '{ viewer { id } }' }, { authorization: '' })], [413, await post({ query: `# ${'x'.repeat(3 << 20)}` })],
  ]) {
    assert.equal(reply.status, status);
    assert.match(reply.headers.get('content-type'), /^application\/json/);
    assert.ok((await reply.json()).errors[0].extensions.type);
  }
});

test('documents with fragments, directives, aliases, and introspection', async () => {
  const query = `query ($more: Boolean!) {
    me: viewer { ...who } again: viewer { ...who email @include(if: $more) admin @skip(if: $more) }
  } fragment who on User { id __typename }`;
  for (const more of [true, false, true]) {
    const { data, status } = await client.client.rawRequest(query, { more });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(data.again).sort(), more ? ['__typename', 'email', 'id'] : ['__typename', 'admin', 'id']);
  }
  const { data } = await client.client.rawRequest('{ __schema { queryType { name } types { name kind fields { name type { name ofType { name } } } } } __type(name: "Issue") { name } }');
  assert.equal(data.__schema.queryType.name, 'Query');
  assert.equal(data.__type.name, 'Issue');
});

test('budgets', async () => {
  const { client: spender, session } = await server.stranger('spender');
  const status = await spender.rateLimitStatus;
  assert.deepEqual(status.limits.map((l) => l.allowedAmount), [5000, 3_000_000]);
  const reply = await post({ query: '{ viewer { id } }' }, { authorization: session.accessToken });
  for (const name of ['Requests-Limit', 'Requests-Remaining', 'Requests-Reset', 'Complexity-Limit', 'Complexity-Remaining', 'Complexity-Reset']) {
    assert.match(reply.headers.get(`X-RateLimit-${name}`), /^\d+$/, name);
  }
  assert.match(reply.headers.get('X-RateLimit-Requests-Reset'), /^\d{13}$/);
  assert.ok(Number(reply.headers.get('X-RateLimit-Requests-Remaining')) < 5000);
  const spend = () => fetch(server.graphql, { method: 'POST', headers: { 'content-type': 'application/json', authorization: session.accessToken }, body: '{}' }).then((r) => r.text());
  for (let i = 0; i < 5100; i += 50) await Promise.all(Array.from({ length: 50 }, spend));
  // One request comes back every 0.7 seconds, and some may have come back meanwhile.
  let refusal = null;
  while (!refusal) refusal = await spender.viewer.then(() => null, (e) => e);
  const error = await refused(Promise.reject(refusal), 'RatelimitedLinearError', /Rate limit exceeded/);
  assert.equal(error.status, 400);
  for (const field of ['requestsLimit', 'requestsRemaining', 'requestsResetAt', 'complexityLimit', 'complexityRemaining', 'complexityResetAt', 'retryAfter']) {
    assert.equal(typeof error[field], 'number', field);
  }
  assert.equal((await client.viewer).id, server.credentials.user_id);
});

test('the control plane', async () => {
  const body = { email: 'eve@example.com', password: 'correct horse', name: 'Eve' };
  const up = await server.rest('POST', '/api/auth/signup', { body });
  assert.equal(up.status, 201);
  assert.equal(up.body.organization, undefined);
  assert.equal((await server.rest('POST', '/api/auth/signup', { body })).status, 409);
  assert.equal((await server.rest('POST', '/api/auth/signup', { body: { ...body, password: 'short' } })).status, 400);
  await refused(server.client({ accessToken: up.body.accessToken }).organization, 'ForbiddenLinearError');
  const made = await server.rest('POST', '/api/organization', { token: up.body.accessToken, body: { name: 'Eve & Co', urlKey: 'eve' } });
  assert.equal(made.status, 201);
  assert.equal(made.body.organization.urlKey, 'eve');
  assert.equal((await server.rest('POST', '/api/organization', { token: up.body.accessToken, body: { name: 'Again', urlKey: 'eve' } })).status, 409);
  const fresh = await server.rest('POST', '/api/auth/refresh', { body: { refreshToken: up.body.refreshToken } });
  assert.equal(fresh.body.organization.urlKey, 'eve');
  assert.equal((await server.rest('POST', '/api/auth/refresh', { body: { refreshToken: up.body.refreshToken } })).status, 401);
  assert.equal((await server.rest('POST', '/api/auth/login', { body: { ...body, password: 'wrong one' } })).status, 401);
  const hook = await server.rest('POST', '/api/webhooks', { token: made.body.accessToken, body: { url: 'http://127.0.0.1:9/' } });
  assert.equal(hook.status, 201);
  assert.deepEqual(Object.keys(hook.body).sort(), ['createdAt', 'enabled', 'id', 'label', 'resourceTypes', 'secret', 'teamId', 'url']);
  assert.equal((await server.rest('POST', '/api/auth/logout', { body: { refreshToken: made.body.refreshToken } })).status, 204);
  assert.equal((await server.rest('POST', '/api/auth/refresh', { body: { refreshToken: made.body.refreshToken } })).status, 401);
  assert.deepEqual((await server.rest('GET', '/api/health')).body, { status: 'ok' });
  assert.equal((await server.rest('GET', '/api/openapi.json')).body.openapi, '3.1.0');
  assert.equal((await server.rest('GET', '/api/nonsense')).status, 404);
  assert.equal((await server.rest('GET', '/api/auth/login')).status, 405);
});
