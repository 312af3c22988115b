// Twelve majors of the official client make the same calls. What the client
// itself has renamed over the years is all that differs between them.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { serve } from '../process.mjs';
import { versionOf, witnessed } from '../witness.mjs';

const require = createRequire(import.meta.url);
const MAJORS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

let server;
before(async () => { server = await serve(); });
after(async () => { await server.stop(); });

/** The reply's body: the first majors wrap it. */
const bodyOf = async (call) => {
  const reply = await call;
  return reply && reply.response && 'body' in reply ? reply.body : reply;
};

/** The status of a refusal, or its category: version 6 drops the status. */
async function refused(call) {
  const err = await call.then(() => assert.fail('it was not refused'), (e) => e);
  return err.code || err.body?.category || err.response?.statusCode;
}

for (const major of MAJORS) {
  const program = { service: 'crm', kind: 'official', name: '@hubspot/api-client', version: versionOf(require, `api-client-${major}`) };
  test(`@hubspot/api-client ${major}`, () => witnessed(server, program, async (w) => {
    const { Client } = require(`api-client-${major}`);
    const { access_token: accessToken } = server.credentials.crm;
    const { crm } = new Client({ accessToken, basePath: `${w.base_url}/api` });
    const email = `major${major}@example.com`;

    const company = await bodyOf(crm.companies.basicApi.create({ properties: { name: `Major ${major}` } }));
    const contact = await bodyOf(crm.contacts.basicApi.create({ properties: { email, firstname: 'Ada' } }));
    assert.match(contact.id, /^\d+$/);
    assert.equal((await bodyOf(crm.contacts.basicApi.update(contact.id, { properties: { lastname: 'Lovelace' } }))).properties.lastname, 'Lovelace');
    const read = await bodyOf(crm.contacts.basicApi.getById(contact.id, ['email', 'lastname']));
    assert.equal(read.properties.email, email);
    assert.ok(new Date(read.createdAt).getTime() > 0);
    assert.ok([409, 'CONFLICT'].includes(await refused(crm.contacts.basicApi.create({ properties: { email } }))));

    const found = await bodyOf(crm.contacts.searchApi.doSearch({
      filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: email }] }], sorts: ['createdate'], properties: ['email'], limit: 10, after: 0,
    }));
    assert.equal(found.total, 1);
    const batch = await bodyOf(crm.contacts.batchApi.read({ inputs: [{ id: contact.id }], properties: ['email'], propertiesWithHistory: [] }, false));
    assert.equal(batch.results[0].properties.email, email);
    assert.ok((await crm.contacts.getAll(100)).some((c) => c.id === contact.id));

    await associate(crm, contact.id, company.id);
    const linked = await bodyOf(crm.contacts.basicApi.getById(contact.id, ['associatedcompanyid'], ...(major < 6 ? [['companies']] : [undefined, ['companies']])));
    assert.equal(linked.associations.companies.results[0].id, company.id);
    const old = await bodyOf(crm.associations.batchApi.read('contacts', 'companies', { inputs: [{ id: contact.id }] }));
    assert.equal(old.results[0].to[0].id, company.id);

    const owners = await bodyOf((crm.owners.ownersApi ?? crm.owners.defaultApi).getPage());
    assert.equal(owners.results[0].email, server.credentials.crm.user_email);
    const properties = await bodyOf(crm.properties.coreApi.getAll('contacts'));
    assert.ok(properties.results.some((p) => p.name === 'email'));
    const pipelines = await bodyOf(crm.pipelines.pipelinesApi.getAll('deals'));
    assert.equal(pipelines.results[0].id, 'default');

    await bodyOf(crm.contacts.basicApi.archive(contact.id));
    assert.ok([404, 'OBJECT_NOT_FOUND'].includes(await refused(crm.contacts.basicApi.getById(contact.id))));
  }));
}

/** Links a contact and a company by whatever the major has for it. */
async function associate(crm, contact, company) {
  const primary = [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 1 }];
  if (crm.associations.v4 && !crm.associations.v4.basicApi) { // version 8 has it beside the contacts
    await crm.contacts.associationsApi.create(contact, 'companies', company, primary);
    const page = await crm.contacts.associationsApi.getAll(contact, 'companies');
    assert.equal(`${page.results[0].toObjectId}`, company);
  } else if (crm.associations.v4) {
    await crm.associations.v4.basicApi.create('contacts', contact, 'companies', company, primary);
  } else {
    const made = await bodyOf(crm.contacts.associationsApi.create(contact, 'companies', company, 'contact_to_company'));
    assert.equal(made.id, contact);
    const page = await bodyOf(crm.contacts.associationsApi.getAll(contact, 'companies'));
    assert.ok(page.results.some((a) => a.id === company && a.type === 'contact_to_company'));
    await bodyOf(crm.contacts.associationsApi.archive(contact, 'companies', company, 'contact_to_company'));
    await bodyOf(crm.associations.batchApi.create('contacts', 'companies', { inputs: [{ from: { id: contact }, to: { id: company }, type: 'contact_to_company', _from: { id: contact } }] }));
  }
}
