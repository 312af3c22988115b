// Credentials, limits and errors through the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, rejected, start } from './crm.mjs';

let server, hubspot, base;
before(async () => {
  server = await start();
  hubspot = client(server);
  base = server.credentials.crm.base_url;
});
after(() => server.stop());

const post = async (path, body, headers = {}) => {
  const reply = await fetch(base + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
};
const login = async () => (await post('/api/auth/login', { email: server.credentials.crm.user_email, password: server.credentials.crm.user_password })).body;

test('a login gives a session of the portal', async () => {
  const session = await login();
  assert.equal(session.portalId, server.credentials.crm.portal_id);
  assert.equal(session.tokenType, 'Bearer');
  const asUser = client(server, { accessToken: session.accessToken });
  assert.ok((await asUser.crm.owners.ownersApi.getPage()).results.some((o) => o.userId === session.userId));
  const wrong = await post('/api/auth/login', { email: server.credentials.crm.user_email, password: 'wrong' });
  assert.deepEqual([wrong.status, wrong.body.category], [401, 'INVALID_AUTHENTICATION']);
});

test('tokens are minted, shown once, and held to their scopes', async () => {
  const minted = await post('/api/account-info/v3/api-keys', { name: 'Reader', scopes: ['crm.objects.contacts.read'] }, { authorization: `Bearer ${server.credentials.crm.access_token}` });
  assert.equal(minted.status, 201);
  assert.match(minted.body.token, /^pat-na1-/);
  assert.deepEqual(Object.keys(minted.body).sort(), ['createdAt', 'id', 'name', 'portalId', 'scopes', 'tier', 'token']);
  const reader = client(server, { accessToken: minted.body.token });
  await reader.crm.contacts.basicApi.getPage();
  const err = await rejected(reader.crm.contacts.basicApi.create({ properties: {}, associations: [] }), 403, 'MISSING_SCOPES');
  assert.deepEqual(err.body.errors[0].context.requiredGranularScopes, ['crm.objects.contacts.write']);
  await rejected(reader.crm.deals.basicApi.getPage(), 403, 'MISSING_SCOPES');
  await rejected(reader.crm.objects.basicApi.getPage('widgets'), 400, 'VALIDATION_ERROR');
  const more = await post('/api/account-info/v3/api-keys', { name: 'More', scopes: ['crm.objects.contacts.write'] }, { authorization: `Bearer ${minted.body.token}` });
  assert.equal(more.status, 403);
});

test('OAuth: code, refresh and client credentials', async () => {
  const { client_id: id, client_secret: secret } = server.credentials.crm;
  const redirect = 'http://127.0.0.1:9/callback';
  const query = `client_id=${id}&redirect_uri=${encodeURIComponent(redirect)}&scope=oauth%20crm.objects.contacts.read&state=s1`;
  const page = await fetch(`${base}/oauth/authorize?${query}`);
  assert.equal(page.status, 200);
  assert.match(page.headers.get('content-type'), /text\/html/);
  const consent = await fetch(`${base}/oauth/authorize?${query}`, { method: 'POST', redirect: 'manual',
    body: new URLSearchParams({ email: server.credentials.crm.user_email, password: server.credentials.crm.user_password }) });
  assert.equal(consent.status, 303);
  const landed = new URL(consent.headers.get('location'));
  assert.equal(landed.searchParams.get('state'), 's1');
  const json = await (await fetch(`${base}/oauth/authorize?${query}`, { headers: { authorization: `Bearer ${(await login()).accessToken}`, accept: 'application/json' } })).json();
  assert.ok(json.code && json.redirectUri.startsWith(redirect));

  const { tokensApi, accessTokensApi, refreshTokensApi } = hubspot.oauth;
  for (const code of [landed.searchParams.get('code'), json.code]) {
    const tokens = await tokensApi.create('authorization_code', code, redirect, id, secret);
    assert.deepEqual([tokens.tokenType, tokens.expiresIn], ['bearer', 1800]);
    const app = client(server, { accessToken: tokens.accessToken });
    await app.crm.contacts.basicApi.getPage();
    await rejected(app.crm.deals.basicApi.getPage(), 403, 'MISSING_SCOPES');
    const info = await accessTokensApi.get(tokens.accessToken);
    assert.deepEqual([info.hubId, info.user, info.tokenType], [server.credentials.crm.portal_id, server.credentials.crm.user_email, 'access']);
    const again = await tokensApi.create('refresh_token', undefined, undefined, id, secret, tokens.refreshToken);
    assert.equal(again.refreshToken, tokens.refreshToken);
    assert.notEqual(again.accessToken, tokens.accessToken);
    assert.equal((await refreshTokensApi.get(tokens.refreshToken)).clientId, id);
    await refreshTokensApi.archive(tokens.refreshToken);
    await rejected(refreshTokensApi.get(tokens.refreshToken), 404, 'OBJECT_NOT_FOUND');
    const spent = await rejected(tokensApi.create('authorization_code', code, redirect, id, secret), 400, 'BAD_AUTH_CODE');
    assert.equal(spent.body.error, 'invalid_grant');
  }
  const own = await tokensApi.create('client_credentials', undefined, undefined, id, secret);
  await client(server, { accessToken: own.accessToken }).crm.deals.basicApi.getPage();
  await rejected(tokensApi.create('client_credentials', undefined, undefined, id, 'wrong'), 400, 'BAD_CLIENT_SECRET');
  await rejected(tokensApi.create('password', undefined, undefined, id, secret), 400, 'BAD_GRANT_TYPE');
});

test('every refusal is an envelope that the client can read', async () => {
  await rejected(client(server, { accessToken: 'pat-na1-nobody' }).crm.contacts.basicApi.getPage(), 401, 'INVALID_AUTHENTICATION');
  const cases = [
    ['GET', '/nothing/here', undefined, 404, 'OBJECT_NOT_FOUND'], ['PUT', '/crm/v3/objects/contacts', '{}', 405, 'METHOD_NOT_ALLOWED'],
    ['POST', '/crm/v3/objects/contacts', '{"properties":', 400, 'VALIDATION_ERROR'], ['POST', '/crm/v3/objects/contacts', '[]', 400, 'VALIDATION_ERROR'],
    ['POST', '/crm/v3/objects/contacts', '{}', 400, 'VALIDATION_ERROR'], ['POST', '/crm/v3/objects/contacts', '', 400, 'VALIDATION_ERROR'],
    ['GET', '/crm/v3/objects/contacts/abc', undefined, 404, 'OBJECT_NOT_FOUND'], ['GET', '/crm/v3/objects/contacts/99999999999999999999', undefined, 404, 'OBJECT_NOT_FOUND'],
    ['GET', '/crm/v3/objects/contacts?limit=0', undefined, 400, 'VALIDATION_ERROR'], ['GET', '/crm/v3/objects/contacts?after=x', undefined, 400, 'VALIDATION_ERROR'],
    ['GET', '/crm/v3/objects/0-9999', undefined, 400, 'VALIDATION_ERROR'], ['GET', '/crm/v3/objects/contacts?associations=widgets', undefined, 400, 'VALIDATION_ERROR'],
    ['POST', '/crm/v3/properties/contacts/groups/batch/read', '{"inputs":[]}', 404, 'OBJECT_NOT_FOUND'],
    ['POST', '/crm/v3/objects/contacts/batch/read', `{"inputs":[${Array(101).fill('{"id":"1"}')}]}`, 400, 'VALIDATION_ERROR'],
    ['POST', '/crm/v3/objects/contacts', `{"properties":{"firstname":"${'x'.repeat(9 << 20)}"}}`, 413, 'VALIDATION_ERROR'],
  ];
  for (const [method, path, body, status, category] of cases) {
    const reply = await fetch(`${base}/api${path}`, { method, body, headers: { authorization: `Bearer ${server.credentials.crm.access_token}`, 'content-type': 'application/json' } });
    const json = await reply.json();
    assert.deepEqual([reply.status, json.status, json.category], [status, 'error', category], `${method} ${path}`);
    assert.match(json.correlationId, /^[0-9a-f-]{36}$/);
  }
  const text = await fetch(`${base}/api/crm/v3/objects/contacts`, { method: 'POST', body: 'x', headers: { authorization: `Bearer ${server.credentials.crm.access_token}`, 'content-type': 'text/plain' } });
  assert.equal(text.status, 415);
});

test('limits are announced, trip, and the client waits and tries again', async () => {
  const limited = await start('--rate-limits', 'real');
  try {
    const minted = await fetch(`${limited.credentials.crm.base_url}/api/account-info/v3/api-keys`, { method: 'POST', body: '{"name":"free","tier":"free"}',
      headers: { authorization: `Bearer ${limited.credentials.crm.access_token}`, 'content-type': 'application/json' } });
    assert.equal(minted.headers.get('x-crm-ratelimit-max'), '190');
    assert.equal(minted.headers.get('x-crm-ratelimit-daily'), '625000');
    const { token } = await minted.json();
    const call = () => fetch(`${limited.credentials.crm.base_url}/api/crm/v3/objects/contacts`, { headers: { authorization: `Bearer ${token}` } });
    const replies = await Promise.all(Array.from({ length: 100 }, call));
    assert.ok(replies.every((r) => r.status === 200));
    assert.deepEqual(['max', 'interval-milliseconds', 'daily'].map((n) => replies[0].headers.get(`x-crm-ratelimit-${n}`)), ['100', '10000', '250000']);
    assert.deepEqual(replies.map((r) => Number(r.headers.get('x-crm-ratelimit-remaining'))).sort((a, b) => a - b)[0], 0);
    const tripped = await call();
    const body = await tripped.json();
    assert.deepEqual([tripped.status, body.category, body.policyName], [429, 'RATE_LIMIT', 'TEN_SECONDLY_ROLLING']);
    const patient = client(limited, { accessToken: token, numberOfApiCallRetries: 2, limiterOptions: {} });
    const began = Date.now();
    await patient.crm.contacts.basicApi.getPage();
    assert.ok(Date.now() - began > 5000, 'it waited as the policy says');
  } finally {
    await limited.stop();
  }
});

test('environments and docs', async () => {
  const docs = await fetch(`${base}/api/docs`);
  assert.equal(docs.status, 200);
  const openapi = await (await fetch(`${base}/api/openapi.json`)).json();
  assert.ok(openapi.openapi.startsWith('3.1'));
  assert.ok(openapi.paths['/api/crm/v3/objects/{type}/batch/upsert'].post.responses[207]);
});
