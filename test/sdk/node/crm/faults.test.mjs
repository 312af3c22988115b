// What the official client does when requests are broken on purpose: it tries
// again what upstream's documentation says, and nothing is written twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { faultsOf } from '../../faults.mjs';
import { client, start } from './crm.mjs';

const CREATE = 'crm.POST /crm/v3/objects/{objectType}';

let server, hubspot, faults, made = 0;
before(async () => {
  server = await start();
  hubspot = client(server, { numberOfApiCallRetries: 3 });
  faults = faultsOf(server.credentials);
});
after(() => server.stop());

const found = (email) => client(server).crm.contacts.basicApi.getById(email, undefined, undefined, undefined, false, 'email').then((c) => c.id, (err) => err.code);

/** Creates a contact through a client that retries, under a rule: what came of it, and whether the contact is there. */
async function create(rule) {
  const email = `fault-${made += 1}@example.com`;
  const seen = await faults.broken({ operation: CREATE, ...rule }, () => hubspot.crm.contacts.basicApi.create({ properties: { email }, associations: [] }));
  return { ...seen, email, id: await found(email) };
}

test('a server error before the work is tried again, and the contact is made once', async () => {
  for (const status of [500, 502, 503]) {
    const { value, error, faults: done, id } = await create({ do: { error: { status } } });
    assert.equal(error, null);
    assert.deepEqual(done, [`error ${status}`, null]);
    assert.equal(value.id, id);
  }
});

test('a server error after the work is tried again, and meets what was made', async () => {
  const { error, faults: done, id } = await create({ do: { error_after: { status: 502 } } });
  assert.deepEqual(done, ['error_after 502', null]);
  assert.deepEqual([error.code, error.body.category], [409, 'CONFLICT']);
  assert.ok(error.body.message.includes(id), 'the refusal names the contact that there is');
});

test('errors that stay are returned after the last try, and nothing is made', async () => {
  const { error, faults: done, id } = await create({ when: {}, do: { error: { status: 503 } } });
  assert.equal(error.code, 503);
  assert.deepEqual([error.body.status, typeof error.body.correlationId], ['error', 'string']);
  assert.deepEqual([done, id], [['error 503', 'error 503', 'error 503'], 404]);
});

test('a lost connection is not tried again: what the caller repeats meets what was made', async () => {
  const before = await create({ do: { drop: 'before' } });
  assert.ok(before.error && typeof before.error.code !== 'number', String(before.error));
  assert.deepEqual([before.faults, before.id], [['drop before'], 404]);
  const lost = await create({ do: { drop: 'after' } });
  assert.ok(lost.error && typeof lost.error.code !== 'number', String(lost.error));
  assert.deepEqual(lost.faults, ['drop after']);
  assert.match(lost.id, /^\d+$/);
  const again = await hubspot.crm.contacts.basicApi.create({ properties: { email: lost.email }, associations: [] }).then(assert.fail, (err) => err);
  assert.deepEqual([again.code, again.body.category], [409, 'CONFLICT']);
});

test('an answer that ends early is an error, and the contact is made once', async () => {
  const { error, faults: done, id } = await create({ do: { cut: 20 } });
  assert.ok(error);
  assert.deepEqual(done, ['cut 20']);
  assert.match(id, /^\d+$/);
});

test('a slow answer is waited for', async () => {
  const { value, ms, faults: done, id } = await create({ do: { delay: { ms: 400 } } });
  assert.equal(value.id, id);
  assert.ok(ms >= 400);
  assert.equal(done.length, 1);
});

test('a spent limit names its policy and is waited for as long as upstream\'s', async () => {
  const email = 'limit@example.com';
  const call = (c) => () => c.crm.contacts.basicApi.create({ properties: { email }, associations: [] });
  const rule = { operation: CREATE, do: { error: { status: 429, retry_after: 7 } } };
  const refused = await faults.broken(rule, call(client(server)));
  assert.deepEqual([refused.error.code, refused.error.body.errorType, refused.error.body.policyName], [429, 'RATE_LIMIT', 'TEN_SECONDLY_ROLLING']);
  assert.equal(refused.error.headers['retry-after'], '7');
  assert.equal(await found(email), 404);
  const { value, faults: done, ms } = await faults.broken(rule, call(hubspot));
  assert.deepEqual([done, value.id], [['error 429', null], await found(email)]);
  assert.ok(ms >= 10_000, 'the client waits for ten seconds, whatever it is told');
});
