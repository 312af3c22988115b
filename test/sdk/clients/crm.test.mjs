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
