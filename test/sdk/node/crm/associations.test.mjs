// Associations v4 and the v3 reads through the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, rejected, start } from './crm.mjs';

let server, hubspot, v4;
before(async () => {
  server = await start();
  hubspot = client(server);
  v4 = hubspot.crm.associations.v4;
});
after(() => server.stop());

const make = async (type, properties = {}) => (await hubspot.crm[type].basicApi.create({ properties, associations: [] })).id;
const spec = (associationTypeId) => ({ associationCategory: 'HUBSPOT_DEFINED', associationTypeId });
const types = async (from, id, to) => (await v4.basicApi.getPage(from, id, to)).results
  .map((r) => [r.toObjectId, r.associationTypes.map((t) => t.typeId).join(' ')]);

test('the default association is seen from both sides', async () => {
  const [contact, company] = [await make('contacts'), await make('companies')];
  const made = await v4.basicApi.createDefault('contact', contact, 'company', company);
  assert.equal(made.status, 'COMPLETE');
  assert.deepEqual(JSON.parse(JSON.stringify(made.results[0])), { _from: { id: contact }, to: { id: company }, associationSpec: spec(279) });
  assert.deepEqual(await types('contacts', contact, 'companies'), [[Number(company), '279']]);
  assert.deepEqual(await types('0-2', company, 'CONTACT'), [[Number(contact), '280']]);
  const page = await v4.basicApi.getPage('contacts', contact, 'companies');
  assert.equal(typeof page.results[0].toObjectId, 'number');
  assert.equal(page.results[0].associationTypes[0].label, null);
  await v4.basicApi.createDefault('contacts', contact, 'companies', company);
  assert.equal((await types('contacts', contact, 'companies')).length, 1, 'again is the same');

  await v4.basicApi.archive('companies', company, 'contacts', contact);
  assert.deepEqual(await types('contacts', contact, 'companies'), []);
  await v4.basicApi.archive('companies', company, 'contacts', contact);
});

test('one company is primary', async () => {
  const [contact, first, second] = [await make('contacts'), await make('companies'), await make('companies')];
  const labeled = await v4.basicApi.create('contacts', contact, 'companies', first, [spec(1)]);
  assert.deepEqual([labeled.fromObjectId, labeled.toObjectId, labeled.labels], [Number(contact), Number(first), ['Primary']]);
  assert.deepEqual(await types('contacts', contact, 'companies'), [[Number(first), '1 279']]);
  await v4.basicApi.create('companies', second, 'contacts', contact, [spec(2)]);
  assert.deepEqual(await types('contacts', contact, 'companies'), [[Number(first), '279'], [Number(second), '1 279']]);
  assert.deepEqual(await types('companies', first, 'contacts'), [[Number(contact), '280']]);

  const read = await hubspot.crm.contacts.basicApi.getById(contact, undefined, undefined, ['companies', 'deals']);
  assert.deepEqual(Object.keys(read.associations), ['companies']);
  assert.deepEqual(read.associations.companies.results.map((r) => [r.id, r.type]).sort(), [
    [first, 'contact_to_company_unlabeled'], [second, 'contact_to_company'], [second, 'contact_to_company_unlabeled'],
  ]);
  await v4.batchApi.archiveLabels('contacts', 'companies', { inputs: [{ _from: { id: contact }, to: { id: second }, types: [spec(1)] }] });
  assert.deepEqual((await types('contacts', contact, 'companies'))[1], [Number(second), '279']);
});

test('batches', async () => {
  const [a, b, deal] = [await make('contacts'), await make('contacts'), await make('deals', { dealname: 'D' })];
  const made = await v4.batchApi.create('contacts', 'deals', { inputs: [{ _from: { id: a }, to: { id: deal }, types: [spec(4)] }, { _from: { id: '7' }, to: { id: deal }, types: [spec(4)] }] });
  assert.equal(made.numErrors, 1);
  assert.equal(made.errors[0].category, 'OBJECT_NOT_FOUND');
  await v4.batchApi.createDefault('contacts', 'deals', { inputs: [{ _from: { id: b }, to: { id: deal } }] });
  const read = await v4.batchApi.getPage('deals', 'contacts', { inputs: [{ id: deal }] });
  assert.deepEqual(read.results[0].to.map((t) => t.toObjectId), [Number(a), Number(b)]);
  await v4.batchApi.archive('contacts', 'deals', { inputs: [{ _from: { id: a }, to: [{ id: deal }] }] });
  const none = await v4.batchApi.getPage('contacts', 'deals', { inputs: [{ id: a }, { id: b }] });
  assert.equal(none.numErrors, 1);
  assert.equal(none.errors[0].subCategory, 'crm.associations.NO_ASSOCIATIONS_FOUND');
  assert.equal(none.errors[0].message, `No deal is associated with contact ${a}.`);
  const v3 = await hubspot.crm.associations.batchApi.read('contacts', 'deals', { inputs: [{ id: b }] });
  assert.deepEqual(v3.results[0].to.map((t) => [t.id, t.type]), [[deal, 'contact_to_deal']]);
  const alias = await (await hubspot.apiRequest({ path: `/crm/v3/objects/contacts/${b}/associations/deals` })).json();
  assert.deepEqual(alias, { results: [{ id: deal, type: 'contact_to_deal' }] });
});

test('a record is created with associations, and found by them', async () => {
  const company = await make('companies', { name: 'Linked' });
  const contact = await hubspot.crm.contacts.basicApi.create({ properties: { firstname: 'Lin' }, associations: [{ to: { id: company }, types: [spec(1)] }] });
  for (const filter of [{ operator: 'EQ', value: company }, { operator: 'IN', values: [company, '1'] }]) {
    const found = await hubspot.crm.contacts.searchApi.doSearch({ filterGroups: [{ filters: [{ propertyName: 'associations.company', ...filter }] }], limit: 10, after: 0, sorts: [], properties: [] });
    assert.deepEqual(found.results.map((r) => r.id), [contact.id]);
  }
  await rejected(hubspot.crm.contacts.basicApi.create({ properties: { firstname: 'Nobody' }, associations: [{ to: { id: '9' }, types: [spec(1)] }] }), 404, 'OBJECT_NOT_FOUND');
  const nobody = await hubspot.crm.contacts.searchApi.doSearch({ query: 'nobody', limit: 1, after: 0, sorts: [], properties: [], filterGroups: [] });
  assert.equal(nobody.total, 0, 'nothing was made');
  await hubspot.crm.companies.basicApi.archive(company);
  assert.equal((await hubspot.crm.contacts.basicApi.getById(contact.id, [], [], ['companies'])).associations, undefined);
});

test('labels, and what breaks a rule', async () => {
  const labels = await v4.schema.definitionsApi.getAll('contacts', 'companies');
  assert.deepEqual(labels.results.map((l) => [l.typeId, l.label]).sort(), [[1, 'Primary'], [279, null]]);
  const [contact, company] = [await make('contacts'), await make('companies')];
  await rejected(v4.basicApi.create('contacts', contact, 'companies', company, []), 400, 'VALIDATION_ERROR');
  const err = await rejected(v4.basicApi.create('contacts', contact, 'companies', company, [spec(341)]), 400, 'VALIDATION_ERROR');
  assert.equal(err.body.message, 'one or more associations are not valid');
  assert.deepEqual(err.body.context.associationTypeId, ['341']);
  await rejected(v4.basicApi.createDefault('contacts', contact, 'companies', '9'), 404, 'OBJECT_NOT_FOUND');
  await rejected(v4.basicApi.createDefault('contacts', contact, 'widgets', '9'), 400, 'VALIDATION_ERROR');
  await rejected(v4.schema.definitionsApi.create('contacts', 'companies', { label: 'X', name: 'x' }), 404, 'OBJECT_NOT_FOUND');
  await rejected(v4.schema.definitionsApi.remove('contacts', 'companies', 1), 404, 'OBJECT_NOT_FOUND');
  const from = await rejected(v4.batchApi.create('contacts', 'companies', { inputs: [{ to: { id: company }, types: [spec(1)] }] }), 400, 'VALIDATION_ERROR');
  assert.match(from.body.message, /from/);
});
