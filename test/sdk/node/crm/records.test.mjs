// Records through the official client, unmodified, against the real binary.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, rejected, start } from './crm.mjs';

let server, hubspot;
before(async () => {
  server = await start();
  hubspot = client(server);
});
after(() => server.stop());

test('a contact is created, read, updated and archived', async () => {
  const made = await hubspot.crm.contacts.basicApi.create({
    properties: { email: 'Ann@Example.com', firstname: 'Ann', lastname: 'Smith' },
    associations: [],
  });
  assert.match(made.id, /^\d+$/);
  assert.equal(made.properties.email, 'ann@example.com');
  assert.equal(made.properties.hs_object_id, made.id);
  assert.ok(made.createdAt instanceof Date && !Number.isNaN(made.createdAt.valueOf()));
  assert.equal(made.archived, false);
  assert.equal('phone' in made.properties, false, 'replies to writes leave empty values out');

  const read = await hubspot.crm.contacts.basicApi.getById(made.id, ['firstname', 'phone', 'no_such_name']);
  assert.deepEqual(Object.keys(read.properties).sort(), ['createdate', 'firstname', 'hs_object_id', 'lastmodifieddate', 'phone']);
  assert.equal(read.properties.phone, null);

  const byMail = await hubspot.crm.contacts.basicApi.getById('ANN@example.com', undefined, undefined, undefined, false, 'email');
  assert.equal(byMail.id, made.id);
  assert.deepEqual(Object.keys(byMail.properties).sort(), ['createdate', 'email', 'firstname', 'hs_object_id', 'lastmodifieddate', 'lastname']);

  const changed = await hubspot.crm.contacts.basicApi.update(made.id, { properties: { firstname: '', phone: '+1 555 0100' } });
  assert.equal(changed.properties.phone, '+1 555 0100');
  assert.equal('firstname' in changed.properties, false);
  const history = await hubspot.crm.contacts.basicApi.getById(made.id, [], ['firstname']);
  assert.deepEqual(history.propertiesWithHistory.firstname.map((h) => h.value), ['', 'Ann']);

  await hubspot.crm.contacts.basicApi.archive(made.id);
  await rejected(hubspot.crm.contacts.basicApi.getById(made.id), 404, 'OBJECT_NOT_FOUND');
  const archived = await hubspot.crm.contacts.basicApi.getById(made.id, undefined, undefined, undefined, true);
  assert.ok(archived.archived && archived.archivedAt instanceof Date);
  await hubspot.crm.contacts.basicApi.create({ properties: { email: 'ann@example.com' }, associations: [] });
});

test('a second contact with an address is a conflict that names the first', async () => {
  const first = await hubspot.crm.contacts.basicApi.create({ properties: { email: 'twin@example.com' }, associations: [] });
  const second = { properties: { email: 'TWIN@example.com' }, associations: [] };
  const err = await rejected(hubspot.crm.contacts.basicApi.create(second), 409, 'CONFLICT');
  assert.equal(err.body.message, `Contact already exists. Existing ID: ${first.id}`);
  await rejected(hubspot.crm.contacts.batchApi.create({ inputs: [{ properties: { email: 'free@example.com' }, associations: [] }, second] }), 409, 'CONFLICT');
  await rejected(hubspot.crm.contacts.basicApi.getById('free@example.com', undefined, undefined, undefined, false, 'email'), 404, 'OBJECT_NOT_FOUND');

  const other = await hubspot.crm.contacts.basicApi.create({ properties: { firstname: 'Other' }, associations: [] });
  const taken = await rejected(hubspot.crm.contacts.basicApi.update(other.id, { properties: { email: 'twin@example.com' } }), 400, 'VALIDATION_ERROR');
  assert.match(taken.body.message, new RegExp(`on ${other.id}\\. ${first.id} already has that value\\.$`));
});

test('all problems of a record come together in a message that clients parse', async () => {
  const err = await rejected(hubspot.crm.companies.basicApi.create({
    properties: { name: 'X', industry: 'NO_SUCH', numberofemployees: ' 5', nope: 'y', hs_num_open_deals: '1' }, associations: [],
  }), 400, 'VALIDATION_ERROR');
  assert.ok(err.body.message.startsWith('Property values were not valid: ['));
  const list = JSON.parse(err.body.message.slice('Property values were not valid: '.length));
  assert.deepEqual(list.map((e) => [e.name, e.error]), [
    ['hs_num_open_deals', 'READ_ONLY_VALUE'], ['industry', 'INVALID_OPTION'], ['nope', 'PROPERTY_DOESNT_EXIST'], ['numberofemployees', 'INVALID_LONG'],
  ]);
});

test('numbers, booleans and null are taken as values', async () => {
  const made = await hubspot.crm.companies.basicApi.create({ properties: { name: 'Typed', numberofemployees: 5, is_public: true, phone: null }, associations: [] });
  assert.equal(made.properties.numberofemployees, '5');
  assert.equal(made.properties.is_public, 'true');
});

test('a deal follows its stage', async () => {
  const deal = await hubspot.crm.deals.basicApi.create({ properties: { dealname: 'Big', amount: '1000', dealstage: 'qualifiedtobuy' }, associations: [] });
  assert.equal(deal.properties.pipeline, 'default');
  assert.equal(deal.properties.hs_is_closed, 'false');
  assert.equal(deal.properties.hs_projected_amount, '400');
  const won = await hubspot.crm.deals.basicApi.update(deal.id, { properties: { dealstage: 'closedwon' } });
  assert.equal(won.properties.hs_is_closed_won, 'true');
  assert.equal(won.properties.hs_closed_amount, '1000');
  assert.ok(won.properties.closedate);
  const err = await rejected(hubspot.crm.deals.basicApi.update(deal.id, { properties: { dealstage: 'nowhere' } }), 400, 'VALIDATION_ERROR');
  assert.match(err.body.message, /nowhere is not a valid pipeline stage ID\. Valid options are: pipelineId=default : \[appointmentscheduled, /);
});

test('getAll walks over all pages', async () => {
  for (const n of [100, 1]) {
    await hubspot.crm.tickets.batchApi.create({ inputs: Array.from({ length: n }, (_, i) => ({ properties: { subject: `Ticket ${i}` }, associations: [] })) });
    const all = await hubspot.crm.tickets.getAll();
    assert.equal(all.length, n === 100 ? 100 : 101);
  }
  const page = await hubspot.crm.tickets.basicApi.getPage(50);
  assert.equal(page.results.length, 50);
  assert.equal(page.paging.next.after, page.results[49].id);
});

test('batches answer with the status of their kind', async () => {
  const { results: made } = await hubspot.crm.contacts.batchApi.create({
    inputs: ['a', 'b'].map((n) => ({ properties: { email: `${n}@batch.example.com` }, associations: [] })),
  });
  const read = await hubspot.crm.contacts.batchApi.read({ inputs: made.map(({ id }) => ({ id })), properties: ['email'], propertiesWithHistory: [] });
  assert.deepEqual(read.results.map((r) => r.properties.email), ['a@batch.example.com', 'b@batch.example.com']);
  assert.equal(read.status, 'COMPLETE');
  const partly = await hubspot.crm.contacts.batchApi.read({ inputs: [{ id: made[0].id }, { id: '9' }], properties: [], propertiesWithHistory: [] });
  assert.equal(partly.numErrors, 1);
  assert.equal(partly.errors[0].category, 'OBJECT_NOT_FOUND');
  assert.deepEqual(partly.errors[0].context.ids, ['9']);
  assert.equal(partly.results.length, 1);

  const updated = await hubspot.crm.contacts.batchApi.update({ inputs: [{ id: 'b@batch.example.com', idProperty: 'email', properties: { firstname: 'Bea' } }] });
  assert.equal(updated.results[0].properties.firstname, 'Bea');
  const upserted = await hubspot.crm.contacts.batchApi.upsert({ inputs: [
    { id: 'b@batch.example.com', idProperty: 'email', properties: { lastname: 'Bee' } },
    { id: 'c@batch.example.com', idProperty: 'email', properties: { lastname: 'Sea' } },
  ] });
  assert.deepEqual(upserted.results.map((r) => [r._new, r.properties.lastname]), [[false, 'Bee'], [true, 'Sea']]);
  await hubspot.crm.contacts.batchApi.archive({ inputs: [{ id: made[0].id }, { id: '9' }] });
  await rejected(hubspot.crm.contacts.basicApi.getById(made[0].id), 404, 'OBJECT_NOT_FOUND');
});

test('records merge, and the merged id leads to the survivor', async () => {
  const a = await hubspot.crm.contacts.basicApi.create({ properties: { email: 'a@merge.example.com', firstname: 'A' }, associations: [] });
  const b = await hubspot.crm.contacts.basicApi.create({ properties: { email: 'b@merge.example.com', firstname: 'B', phone: '1' }, associations: [] });
  const merged = await hubspot.crm.contacts.basicApi.merge({ primaryObjectId: a.id, objectIdToMerge: b.id });
  assert.equal(merged.id, a.id);
  assert.equal(merged.properties.firstname, 'A');
  assert.equal(merged.properties.phone, '1');
  assert.equal(merged.properties.hs_additional_emails, 'b@merge.example.com');
  assert.equal(merged.properties.hs_merged_object_ids, b.id);
  assert.equal((await hubspot.crm.contacts.basicApi.getById(b.id)).id, a.id);
  await rejected(hubspot.crm.contacts.basicApi.create({ properties: { email: 'b@merge.example.com' }, associations: [] }), 409, 'CONFLICT');
});

test('gdpr-delete leaves nothing', async () => {
  const made = await hubspot.crm.contacts.basicApi.create({ properties: { email: 'gone@example.com' }, associations: [] });
  await hubspot.crm.contacts.basicApi.purge({ objectId: 'gone@example.com', idProperty: 'email' });
  for (const archived of [false, true]) {
    await rejected(hubspot.crm.contacts.basicApi.getById(made.id, undefined, undefined, undefined, archived), 404, 'OBJECT_NOT_FOUND');
  }
});
