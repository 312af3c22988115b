// Programs by others that talk to the CRM.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serve } from '../process.mjs';
import { witnessed } from '../witness.mjs';
import { redirected, require, third, tools } from './programs.mjs';

let s, c;
before(async () => {
  s = await serve();
  c = s.credentials.crm;
});
after(() => s?.stop());

test('hubspot (the community client) calls objects, searches and tokens', () => witnessed(s, third('crm', 'hubspot'), async (w) => {
  const Hubspot = require('hubspot');
  const client = new Hubspot({ accessToken: c.access_token, baseUrl: `${w.base_url}/api`, limiter: { minTime: 0 } });
  const made = await client.apiRequest({ method: 'POST', path: '/crm/v3/objects/contacts', body: { properties: { email: 'ada@example.com', firstname: 'Ada' } } });
  const found = await client.apiRequest({ method: 'POST', path: '/crm/v3/objects/contacts/search', body: { filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: 'ada@example.com' }] }] } });
  assert.equal(found.results[0].id, made.id);
  const page = await client.apiRequest({ method: 'GET', path: '/crm/v3/objects/contacts', qs: { limit: 1, properties: 'email' } });
  assert.equal(page.results[0].properties.email, 'ada@example.com');
  // What it calls of the first version of the API is not served, and says so in JSON.
  await assert.rejects(client.contacts.get({ count: 1 }), (e) => e.statusCode === 404 && e.error.status === 'error');
}));

test('hubspot-mcp reads and writes records of each type', () => witnessed(s, third('crm', 'hubspot-mcp', { runs: 'its address is fixed: redirected' }), async (w) => {
  const call = await tools('hubspot-mcp/build/index.js', { HUBSPOT_ACCESS_TOKEN: c.access_token, ...redirected({ 'api.hubapi.com': `${w.base_url}/api` }) });
  const json = async (...args) => JSON.parse(await call(...args));
  try {
    const contact = await json('create_contact', { email: 'eve@example.com', firstname: 'Eve' });
    assert.match(contact.id, /^\d+$/);
    const company = await json('create_company', { name: 'Harbor' });
    assert.equal((await json('get_contact', { id: contact.id })).id, contact.id);
    assert.equal((await json('update_contact', { id: contact.id, properties: { lastname: 'Moss' } })).properties.lastname, 'Moss');
    assert.ok((await json('list_contacts', {})).results.some((x) => x.id === contact.id));
    assert.equal((await json('list_companies', {})).results[0].id, company.id);
    assert.ok((await json('list_properties', { objectType: 'contacts' })).results.length > 10);
    assert.equal((await json('list_owners', {})).results.length, 1);
    assert.ok((await json('list_pipelines', { objectType: 'deals' })).results.length >= 1);
    await call('delete_contact', { id: contact.id });
    assert.ok(!(await json('list_contacts', {})).results.some((x) => x.id === contact.id));
  } finally {
    await call.close();
  }
}));

// Its lists sort by "lastmodifieddate:desc", which is no form of upstream's, and its associations swap two arguments.
test('hubspot-mcp-server searches before it writes', () => witnessed(s, third('crm', 'hubspot-mcp-server', { runs: 'its address is fixed: redirected' }), async (w) => {
  const call = await tools('hubspot-mcp-server/dist/index.js', { HUBSPOT_ACCESS_TOKEN: c.access_token, ...redirected({ 'api.hubapi.com': `${w.base_url}/api` }) });
  const json = async (...args) => JSON.parse(await call(...args));
  try {
    const contact = await json('hubspot_create_contact', { firstname: 'Ines', lastname: 'Vale', email: 'ines@example.com', properties: { phone: '+49 30 1' } });
    const company = await json('hubspot_create_company', { name: 'Vale Boats', properties: { city: 'Kiel' } });
    assert.match((await json('hubspot_create_company', { name: 'Vale Boats' })).message, /already exists/, 'a second one is found by search');
    assert.equal((await json('hubspot_update_contact', { contact_id: contact.id, properties: { lastname: 'Moor' } })).properties.lastname, 'Moor');
    assert.equal((await json('hubspot_get_contact_by_id', { contact_id: contact.id })).properties.lastname, 'Moor');
    assert.equal((await json('hubspot_get_company_by_id', { company_id: company.id })).properties.name, 'Vale Boats');
    assert.match(JSON.parse(await call('hubspot_get_active_contacts', { limit: 5 })).error, /lastmodifieddate:desc\W+ does not exist/);
    assert.ok((await json('hubspot_get_pipelines', { object_type: 'deals' })).length >= 1);
    assert.ok((await json('hubspot_get_properties', { object_type: 'contacts' })).length > 10);
  } finally {
    await call.close();
  }
}));
