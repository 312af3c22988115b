// Properties, groups, pipelines, stages and owners through the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, rejected, start } from './crm.mjs';

let server, hubspot;
before(async () => {
  server = await start();
  hubspot = client(server);
});
after(() => server.stop());

test('a property lives from its creation to its archive', async () => {
  const { coreApi } = hubspot.crm.properties;
  const made = await coreApi.create('contacts', { name: 'favorite_food', label: 'Favorite food', type: 'enumeration', fieldType: 'checkbox', groupName: 'contactinformation',
    options: [{ label: 'Pizza', value: 'pizza', displayOrder: 0, hidden: false }, { label: 'Sushi', value: 'sushi', displayOrder: 1, hidden: false }] });
  assert.equal(made.hubspotDefined, false);
  assert.ok(made.createdAt instanceof Date);
  const exists = await rejected(coreApi.create('contacts', { name: 'favorite_food', label: 'X', type: 'string', fieldType: 'text', groupName: 'contactinformation' }), 409, 'OBJECT_ALREADY_EXISTS');
  assert.equal(exists.body.subCategory, 'Properties.PROPERTY_WITH_NAME_EXISTS');

  const contact = await hubspot.crm.contacts.basicApi.create({ properties: { favorite_food: 'pizza' }, associations: [] });
  const more = await hubspot.crm.contacts.basicApi.update(contact.id, { properties: { favorite_food: ';sushi' } });
  assert.equal(more.properties.favorite_food, 'pizza;sushi');
  await rejected(hubspot.crm.contacts.basicApi.update(contact.id, { properties: { favorite_food: 'soup' } }), 400, 'VALIDATION_ERROR');

  const changed = await coreApi.update('contacts', 'favorite_food', { label: 'Food', options: [{ label: 'Soup', value: 'soup', displayOrder: 0, hidden: false }] });
  assert.deepEqual([changed.label, changed.options.length], ['Food', 1]);
  await coreApi.archive('contacts', 'favorite_food');
  await rejected(coreApi.getByName('contacts', 'favorite_food'), 404, 'OBJECT_NOT_FOUND');
  assert.equal((await coreApi.getByName('contacts', 'favorite_food', true)).archived, true);
  assert.deepEqual((await coreApi.getAll('contacts', true)).results.map((p) => p.name), ['favorite_food']);
  await coreApi.create('contacts', { name: 'favorite_food', label: 'Again', type: 'string', fieldType: 'text', groupName: 'contactinformation' });
  assert.equal((await hubspot.crm.contacts.basicApi.getById(contact.id, ['favorite_food'])).properties.favorite_food, 'pizza;sushi', 'the value stayed');
});

test('the standard properties are there and stay as they are', async () => {
  const { coreApi } = hubspot.crm.properties;
  const { results } = await coreApi.getAll('deals');
  assert.ok(results.length >= 70 && results.every((p) => p.hubspotDefined && Array.isArray(p.options) && p.createdAt instanceof Date));
  assert.deepEqual((await coreApi.getAll('contacts', false, 'email,phone')).results.map((p) => p.name), ['email', 'phone']);
  await rejected(coreApi.update('contacts', 'email', { label: 'Mail' }), 400, 'VALIDATION_ERROR');
  await rejected(coreApi.archive('contacts', 'email'), 400, 'VALIDATION_ERROR');
  const stages = await coreApi.getByName('deals', 'dealstage');
  assert.equal(stages.options[0].value, 'appointmentscheduled');
});

test('definitions that break a rule are refused', async () => {
  const base = { name: 'fine', label: 'Fine', type: 'string', fieldType: 'text', groupName: 'companyinformation' };
  for (const change of [{ name: 'Not-fine' }, { type: 'enumeration', fieldType: 'select' }, { fieldType: 'number' }, { groupName: 'nogroup' }, { type: 'bool', fieldType: 'booleancheckbox', hasUniqueValue: true },
    { type: 'enumeration', fieldType: 'select', options: [{ label: 'A', value: 'a' }, { label: 'B', value: 'a' }] }]) {
    await rejected(hubspot.crm.properties.coreApi.create('companies', { ...base, ...change }), 400, 'VALIDATION_ERROR');
  }
  const missing = await rejected(hubspot.crm.properties.coreApi.create('companies', { name: 'x' }), 400, 'VALIDATION_ERROR');
  assert.match(missing.body.message, /Some required fields were not set: \[label, type, fieldType, groupName\]/);
});

test('a unique property finds and upserts records', async () => {
  await hubspot.crm.properties.coreApi.create('companies', { name: 'erp_id', label: 'ERP', type: 'string', fieldType: 'text', groupName: 'companyinformation', hasUniqueValue: true });
  const a = await hubspot.crm.companies.basicApi.create({ properties: { name: 'A', erp_id: 'E-1' }, associations: [] });
  assert.equal((await hubspot.crm.companies.basicApi.getById('e-1', [], [], [], false, 'erp_id')).id, a.id);
  await rejected(hubspot.crm.companies.basicApi.create({ properties: { name: 'B', erp_id: 'E-1' }, associations: [] }), 400, 'VALIDATION_ERROR');
  const up = await hubspot.crm.companies.batchApi.upsert({ inputs: [{ id: 'E-1', idProperty: 'erp_id', properties: { name: 'A2' } }, { id: 'E-2', idProperty: 'erp_id', properties: { name: 'C' } }] });
  assert.deepEqual(up.results.map((r) => [r._new, r.properties.name, r.properties.erp_id]), [[false, 'A2', 'E-1'], [true, 'C', 'E-2']]);
  await rejected(hubspot.crm.companies.basicApi.getById('A', [], [], [], false, 'name'), 400, 'VALIDATION_ERROR');
});

test('property batches and groups', async () => {
  const { batchApi, groupsApi, coreApi } = hubspot.crm.properties;
  const group = await groupsApi.create('tickets', { name: 'extra', label: 'Extra' });
  assert.deepEqual([group.displayOrder, group.archived], [-1, false]);
  await rejected(groupsApi.create('tickets', { name: 'extra', label: 'Extra' }), 409, 'OBJECT_ALREADY_EXISTS');
  assert.equal((await groupsApi.update('tickets', 'extra', { label: 'More' })).label, 'More');
  assert.ok((await groupsApi.getAll('tickets')).results.some((g) => g.name === 'ticketinformation'));
  const made = await batchApi.create('tickets', { inputs: ['x1', 'x2'].map((name) => ({ name, label: name, type: 'number', fieldType: 'number', groupName: 'extra' })) });
  assert.equal(made.results.length, 2);
  const read = await batchApi.read('tickets', { archived: false, inputs: [{ name: 'x1' }, { name: 'nope' }] });
  assert.equal(read.numErrors, 1);
  const used = await rejected(groupsApi.archive('tickets', 'extra'), 400, 'VALIDATION_ERROR');
  assert.equal(used.body.subCategory, 'PropertyGroupError.GROUP_WITH_ACTIVE_PROPERTIES');
  await batchApi.archive('tickets', { inputs: [{ name: 'x1' }, { name: 'x2' }] });
  await groupsApi.archive('tickets', 'extra');
  await rejected(groupsApi.getByName('tickets', 'extra'), 404, 'OBJECT_NOT_FOUND');
  await rejected(coreApi.getByName('tickets', 'x1'), 404, 'OBJECT_NOT_FOUND');
});

test('pipelines and stages with their audit', async () => {
  const { pipelinesApi, pipelineStagesApi, pipelineAuditsApi, pipelineStageAuditsApi } = hubspot.crm.pipelines;
  const { results: [standard] } = await pipelinesApi.getAll('deals');
  assert.deepEqual([standard.id, standard.label, standard.stages.length], ['default', 'Sales Pipeline', 7]);
  const made = await pipelinesApi.create('deals', { label: 'Partners', displayOrder: 1, stages: [
    { label: 'Talk', displayOrder: 0, metadata: { probability: '0.5' } }, { label: 'Won', displayOrder: 1, metadata: { probability: '1' } }] });
  assert.deepEqual(made.stages.map((s) => s.metadata), [{ probability: '0.5', isClosed: 'false' }, { probability: '1.0', isClosed: 'true' }]);
  await rejected(pipelinesApi.create('deals', { label: 'PARTNERS', displayOrder: 2, stages: [{ label: 'A', displayOrder: 0, metadata: { probability: '0.5' } }] }), 400, 'VALIDATION_ERROR');
  await rejected(pipelinesApi.create('deals', { label: 'None', displayOrder: 2, stages: [] }), 400, 'VALIDATION_ERROR');

  const stage = await pipelineStagesApi.create('deals', made.id, { label: 'Draft', displayOrder: 1, metadata: { probability: '0.7' } });
  const order = (await pipelineStagesApi.getAll('deals', made.id)).results.map((s) => s.label);
  assert.deepEqual(order, ['Talk', 'Won', 'Draft']);
  assert.equal((await pipelineStagesApi.update('deals', made.id, stage.id, { label: 'Drafted' })).metadata.probability, '0.7');
  await rejected(pipelineStagesApi.create('deals', made.id, { label: 'drafted', displayOrder: 5, metadata: { probability: '0.1' } }), 400, 'VALIDATION_ERROR');
  await rejected(pipelineStagesApi.create('deals', made.id, { label: 'No odds', displayOrder: 5, metadata: {} }), 400, 'VALIDATION_ERROR');

  const deal = await hubspot.crm.deals.basicApi.create({ properties: { dealname: 'D', pipeline: made.id, dealstage: stage.id }, associations: [] });
  const used = await rejected(pipelineStagesApi.archive('deals', made.id, stage.id), 400, 'VALIDATION_ERROR');
  assert.equal(used.body.subCategory, 'PipelineError.STAGE_ID_IN_USE');
  assert.equal(used.body.message, `Stage IDs: [${stage.id}] are being referenced by object IDs: [${deal.id}]`);
  await rejected(pipelinesApi.archive('deals', made.id), 400, 'VALIDATION_ERROR');
  await hubspot.crm.deals.basicApi.archive(deal.id);
  await pipelineStagesApi.archive('deals', made.id, stage.id);
  const replaced = await pipelinesApi.replace('deals', made.id, { label: 'Friends', displayOrder: 0, stages: [{ label: 'Talk', displayOrder: 0, metadata: { probability: '0.1' } }] });
  assert.deepEqual([replaced.label, replaced.stages.length], ['Friends', 1]);
  assert.equal((await pipelinesApi.update('deals', made.id, { label: 'Pals' })).label, 'Pals');
  await pipelinesApi.archive('deals', made.id);
  await rejected(pipelinesApi.getById('deals', made.id), 404, 'OBJECT_NOT_FOUND');
  assert.deepEqual((await pipelineAuditsApi.getAudit('deals', made.id)).results.map((a) => a.action), ['DELETE', 'UPDATE', 'UPDATE', 'CREATE']);
  assert.deepEqual((await pipelineStageAuditsApi.getAudit('deals', stage.id)).results.map((a) => a.action), ['DELETE', 'UPDATE', 'CREATE']);
  assert.deepEqual((await pipelineStageAuditsApi.getAudit('deals', 'closedwon')).results, []);
  assert.deepEqual((await pipelinesApi.getAll('contacts')).results, []);
  const open = await rejected(pipelineStagesApi.archive('tickets', '0', '4'), 400, 'VALIDATION_ERROR');
  assert.equal(open.body.subCategory, 'PipelineError.MISSING_CLOSED_STAGE');
});

test('owners are the users of the portal', async () => {
  const { results: [owner] } = await hubspot.crm.owners.ownersApi.getPage(undefined, undefined, 100);
  assert.equal(owner.email, server.credentials.crm.user_email);
  assert.equal((await hubspot.crm.owners.ownersApi.getById(Number(owner.id))).userId, owner.userId);
  assert.equal((await hubspot.crm.owners.ownersApi.getById(owner.userId, 'userId')).id, owner.id);
  assert.equal((await hubspot.crm.owners.ownersApi.getPage(owner.email)).results.length, 1);
  assert.equal((await hubspot.crm.owners.ownersApi.getPage('nobody@example.com')).results.length, 0);
  await rejected(hubspot.crm.owners.ownersApi.getById(7), 404, 'OBJECT_NOT_FOUND');
  const owned = await hubspot.crm.contacts.basicApi.create({ properties: { hubspot_owner_id: owner.id }, associations: [] });
  assert.ok(owned.properties.hubspot_owner_assigneddate);
  const err = await rejected(hubspot.crm.contacts.basicApi.create({ properties: { hubspot_owner_id: '7' }, associations: [] }), 400, 'VALIDATION_ERROR');
  assert.match(err.body.message, /INVALID_OWNER_ID/);
});
