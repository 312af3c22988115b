// Search through the official client: every operator, sorts, paging, limits.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { client, rejected, start } from './crm.mjs';

let server, hubspot, studio;
const people = [
  { email: 'ann@acme.com', firstname: 'Ann', lastname: 'Ash', company: 'Rivermill Studio', lifecyclestage: 'lead', hs_buying_role: 'CHAMPION;END_USER' },
  { email: 'bob@acme.com', firstname: 'Bob', lastname: 'Birch', company: 'Rivermill Studios', lifecyclestage: 'customer', closedate: '2024-03-01' },
  { email: 'cid@other.org', firstname: 'Cid', lastname: 'Cedar', company: 'Studio Seven', lifecyclestage: 'lead', closedate: '2024-05-01T10:00:00Z' },
  { email: 'dot@other.org', firstname: 'Dot', lastname: 'Dogwood', hs_buying_role: 'END_USER', phone: '+1 555 0100' },
];
before(async () => {
  server = await start();
  hubspot = client(server);
  await hubspot.crm.contacts.batchApi.create({ inputs: people.map((properties) => ({ properties, associations: [] })) });
  await hubspot.crm.companies.batchApi.create({
    inputs: [[5, 'Five'], [40, 'Forty'], [300, 'Three hundred'], ['', 'None']].map(([numberofemployees, name]) => ({ properties: { name, numberofemployees }, associations: [] })),
  });
  studio = undefined;
});
after(() => server.stop());

const names = async (filters, more = {}) => {
  const found = await hubspot.crm.contacts.searchApi.doSearch({ filterGroups: [{ filters }], properties: ['firstname'], limit: 100, after: 0, sorts: [], ...more });
  assert.equal(found.total, found.results.length);
  return found.results.map((r) => r.properties.firstname).join(' ');
};
const on = (propertyName, operator, more = {}) => ({ propertyName, operator, ...more });

test('each operator', async () => {
  const cases = [
    [on('email', 'EQ', { value: 'ANN@acme.com' }), 'Ann'],
    [on('firstname', 'EQ', { value: 'ann' }), 'Ann'],
    [on('lifecyclestage', 'EQ', { value: 'lead' }), 'Ann Cid'],
    [on('lifecyclestage', 'NEQ', { value: 'lead' }), 'Bob'],
    [on('hs_buying_role', 'EQ', { value: 'END_USER' }), 'Ann Dot'],
    [on('lastname', 'LT', { value: 'cedar' }), 'Ann Bob'],
    [on('lastname', 'LTE', { value: 'Cedar' }), 'Ann Bob Cid'],
    [on('lastname', 'GT', { value: 'birch' }), 'Cid Dot'],
    [on('lastname', 'GTE', { value: 'birch' }), 'Bob Cid Dot'],
    [on('closedate', 'BETWEEN', { value: '2024-01-01', highValue: `${Date.UTC(2024, 2, 1)}` }), 'Bob'],
    [on('closedate', 'GTE', { value: Date.UTC(2024, 4, 1) }), 'Cid'],
    [on('firstname', 'IN', { values: ['ann', 'dot'] }), 'Ann Dot'],
    [on('lifecyclestage', 'NOT_IN', { values: ['lead'] }), 'Bob'],
    [on('phone', 'HAS_PROPERTY'), 'Dot'],
    [on('company', 'NOT_HAS_PROPERTY'), 'Dot'],
    [on('company', 'CONTAINS_TOKEN', { value: 'studio' }), 'Ann Cid'],
    [on('company', 'CONTAINS_TOKEN', { value: 'studio*' }), 'Ann Bob Cid'],
    [on('company', 'CONTAINS_TOKEN', { value: 'rivermill studio' }), 'Ann'],
    [on('company', 'NOT_CONTAINS_TOKEN', { value: 'studio' }), 'Bob Dot'],
    [on('email', 'CONTAINS_TOKEN', { value: '*@acme.com' }), 'Ann Bob'],
    [on('email', 'CONTAINS_TOKEN', { value: '*ther.org' }), 'Cid Dot'],
    [on('hs_object_id', 'GT', { value: 1 }), 'Ann Bob Cid Dot'],
    [on('createdate', 'GT', { value: '2000-01-01' }), 'Ann Bob Cid Dot'],
    [on('createdate', 'LT', { value: '2000-01-01' }), ''],
    [on('hs_email_domain', 'EQ', { value: 'acme.com' }), 'Ann Bob'],
  ];
  for (const [filter, wanted] of cases) assert.equal(await names([filter]), wanted, JSON.stringify(filter));
});

test('filters of a group all hold, one of the groups is enough', async () => {
  assert.equal(await names([on('lifecyclestage', 'EQ', { value: 'lead' }), on('email', 'CONTAINS_TOKEN', { value: 'acme' })]), 'Ann');
  const found = await hubspot.crm.contacts.searchApi.doSearch({ filterGroups: [
    { filters: [on('firstname', 'EQ', { value: 'ann' })] }, { filters: [on('email', 'CONTAINS_TOKEN', { value: 'acme' })] },
  ], properties: ['firstname'], limit: 10, after: 0, sorts: [] });
  assert.deepEqual(found.results.map((r) => r.properties.firstname), ['Ann', 'Bob']);
});

test('numbers compare as numbers, sorts take four spellings', async () => {
  const sorted = async (sorts, filters = []) => {
    const found = await hubspot.crm.companies.searchApi.doSearch({ filterGroups: filters.length ? [{ filters }] : [], sorts, properties: ['name'], limit: 10, after: '0' });
    return found.results.map((r) => r.properties.name).join(', ');
  };
  assert.equal(await sorted(['numberofemployees']), 'Five, Forty, Three hundred, None');
  assert.equal(await sorted(['-numberofemployees']), 'Three hundred, Forty, Five, None');
  assert.equal(await sorted([{ propertyName: 'numberofemployees', direction: 'DESCENDING' }]), 'Three hundred, Forty, Five, None');
  assert.equal(await sorted([JSON.stringify({ propertyName: 'name', direction: 'ASCENDING' })]), 'Five, Forty, None, Three hundred');
  assert.equal(await sorted(['-numberofemployees'], [on('numberofemployees', 'LT', { value: '100' })]), 'Forty, Five');
  assert.equal(await sorted(['-createdate'], [on('name', 'IN', { values: ['five', 'none'] })]), 'None, Five');
});

test('free text looks for beginnings of words in the searchable properties', async () => {
  const query = async (q) => (await hubspot.crm.contacts.searchApi.doSearch({ query: q, limit: 10, after: 0, sorts: [], properties: ['firstname'], filterGroups: [] }))
    .results.map((r) => r.properties.firstname).join(' ');
  assert.equal(await query('river ann'), 'Ann');
  assert.equal(await query('OTHER.ORG'), 'Cid Dot');
  assert.equal(await query('champion'), '', 'not searchable');
});

test('a change is found at once', async () => {
  const { results: [dot] } = await hubspot.crm.contacts.searchApi.doSearch({ query: 'dogwood', limit: 1, after: 0, sorts: [], properties: [], filterGroups: [] });
  await hubspot.crm.contacts.basicApi.update(dot.id, { properties: { lastname: 'Elder' } });
  assert.equal(await names([on('lastname', 'CONTAINS_TOKEN', { value: 'dogwood' })]), '');
  assert.equal(await names([on('lastname', 'CONTAINS_TOKEN', { value: 'elder' })]), 'Dot');
  assert.equal(await names([on('lastname', 'EQ', { value: 'elder' })]), 'Dot');
});

test('pages go on to the window', async () => {
  const first = await hubspot.crm.contacts.searchApi.doSearch({ filterGroups: [], limit: 3, after: 0, sorts: ['-firstname'], properties: ['firstname'] });
  assert.equal(first.total, 4);
  assert.equal(first.paging.next.after, '3');
  const second = await hubspot.crm.contacts.searchApi.doSearch({ filterGroups: [], limit: 3, after: first.paging.next.after, sorts: ['-firstname'], properties: ['firstname'] });
  assert.deepEqual(second.results.map((r) => r.properties.firstname), ['Ann']);
  assert.equal(second.paging, undefined);
  const all = await hubspot.apiRequest({ method: 'POST', path: '/crm/v3/objects/contacts/search', body: {} });
  assert.equal((await all.json()).results.length, 4);
});

test('what breaks a rule is refused', async () => {
  const bad = [
    { limit: 201 }, { after: '9991', limit: 10 }, { after: 'x' }, { sorts: ['createdate', 'email'] },
    { filterGroups: Array(6).fill({ filters: [] }) }, { filterGroups: [{ filters: Array(7).fill(on('email', 'HAS_PROPERTY')) }] },
    { filterGroups: Array(4).fill({ filters: Array(5).fill(on('email', 'HAS_PROPERTY')) }) }, { query: 'x'.repeat(3001) },
    ...[on('email', 'LIKE', { value: 'x' }), on('email', 'EQ'), on('email', 'IN'), on('closedate', 'BETWEEN', { value: '1' }), on('nope', 'EQ', { value: 'x' }),
      on('closedate', 'GT', { value: 'soon' }), on('num_notes', 'GT', { value: 'many' }), on('associations.widgets', 'EQ', { value: 1 })]
      .map((f) => ({ filterGroups: [{ filters: [f] }] })),
  ];
  for (const body of bad) {
    await rejected(hubspot.crm.contacts.searchApi.doSearch({ limit: 10, after: 0, sorts: [], properties: [], filterGroups: [], ...body }), 400, 'VALIDATION_ERROR');
  }
});
