// HubSpot's own tool server, unmodified, against the CRM: every tool of an area
// that is served does its work; the others say that there is no such route.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { serve } from '../process.mjs';
import { witness } from '../witness.mjs';

const PROGRAM = fileURLToPath(new URL('node_modules/@hubspot/mcp-server/dist/index.js', import.meta.url));

let server;
let seen;
let tools;
before(async () => {
  server = await serve();
  const { access_token: token } = server.credentials.crm;
  seen = await witness(server, { service: 'crm', kind: 'official', name: '@hubspot/mcp-server', version: '0.4.0' });
  tools = new Client({ name: 'understudy-test', version: '1.0.0' });
  await tools.connect(new StdioClientTransport({ command: process.execPath, args: [PROGRAM], stderr: 'ignore',
    env: { PATH: process.env.PATH, PRIVATE_APP_ACCESS_TOKEN: token, BASE_URL_OVERRIDE: `${seen.base_url}/api` } }));
});
after(async () => {
  await tools?.close();
  await server?.stop();
});

const used = new Set();

/** Calls a tool and returns its text, which may be prose with JSON in it. */
async function call(name, args = {}) {
  used.add(name);
  const { content, isError } = await tools.callTool({ name: `hubspot-${name}`, arguments: args });
  const text = content.map((c) => c.text).join('\n');
  assert.ok(!isError, `${name}: ${text}`);
  return text;
}

const json = async (...args) => JSON.parse(await call(...args));

test('the account and what it holds', async () => {
  const text = await call('get-user-details');
  assert.match(text, new RegExp(`"?hubId"?: ?${server.credentials.crm.portal_id}\\b`));
  assert.match(text, /crm\.objects\.contacts\.read/);
  assert.match(text, new RegExp(server.credentials.crm.user_email));
  await call('get-schemas');
  await call('get-link', { portalId: '1', uiDomain: 'app.hubspot.com', pageRequests: [{ pagetype: 'record', objectTypeId: '0-1', objectId: '1' }] });
  await call('generate-feedback-link');
});

test('records, their properties and associations', async () => {
  const made = await json('batch-create-objects', { objectType: 'contacts', inputs: [
    { properties: { email: 'ada@example.com', firstname: 'Ada' } }, { properties: { email: 'bea@example.com', firstname: 'Bea' } }] });
  const [ada, bea] = made.results.map((r) => r.id);
  const company = (await json('batch-create-objects', { objectType: 'companies', inputs: [{ properties: { name: 'Mill' },
    associations: [{ to: { id: ada }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 280 }] }] }] })).results[0].id;
  await call('batch-update-objects', { objectType: 'contacts', inputs: [{ id: bea, properties: { city: 'Berlin' } }] });
  const read = await json('batch-read-objects', { objectType: 'contacts', inputs: [{ id: ada }, { id: bea }], properties: ['city', 'email'] });
  assert.equal(read.results.find((r) => r.id === bea).properties.city, 'Berlin');
  const listed = await json('list-objects', { objectType: 'contacts', limit: 10, properties: ['email'], associations: ['companies', 'notes'] });
  assert.equal(listed.results.length, 2);
  const found = await json('search-objects', { objectType: 'contacts', query: 'ada', limit: 5, properties: ['email'],
    filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: 'ada@example.com' }] }], sorts: [{ propertyName: 'createdate', direction: 'ASCENDING' }] });
  assert.equal(found.results[0].id, ada);

  await call('batch-create-associations', { fromObjectType: 'contacts', toObjectType: 'companies',
    types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }], inputs: [{ from: { id: bea }, to: { id: company } }] });
  assert.match(await call('list-associations', { objectType: 'contacts', objectId: bea, toObjectType: 'companies' }), new RegExp(company));
  assert.match(await call('get-association-definitions', { fromObjectType: 'contacts', toObjectType: 'companies' }), /279/);
});

test('definitions of properties', async () => {
  await call('create-property', { objectType: 'contacts', name: 'shoe_size', label: 'Shoe size', type: 'number', fieldType: 'number', groupName: 'contactinformation' });
  assert.match(await call('get-property', { objectType: 'contacts', propertyName: 'shoe_size' }), /Shoe size/);
  await call('update-property', { objectType: 'contacts', propertyName: 'shoe_size', label: 'Size of shoes' });
  assert.match(await call('list-properties', { objectType: 'contacts' }), /Size of shoes/);
});

test('the areas that are not served answer in JSON', async () => {
  for (const [name, args] of [['list-workflows', {}], ['get-workflow', { flowId: '1' }], ['get-engagement', { engagementId: 1 }],
    ['create-engagement', { type: 'NOTE', ownerId: 1, metadata: { body: 'x' }, associations: {} }], ['update-engagement', { engagementId: 1, metadata: { body: 'x' }, associations: {} }]]) {
    used.add(name);
    const { content, isError } = await tools.callTool({ name: `hubspot-${name}`, arguments: args });
    const text = content.map((c) => c.text).join('\n');
    assert.ok(isError && /404/.test(text) && /resource not found/.test(text), `${name}: ${text}`);
  }
  const all = (await tools.listTools()).tools.map((t) => t.name.replace('hubspot-', ''));
  assert.deepEqual(all.filter((t) => !used.has(t)), []);
  await seen.done();
});
