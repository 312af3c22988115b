// What the official client does when requests are broken on purpose: it never
// tries again by itself, and says which kind of error it met.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { serve } from '../process.mjs';
import { faultsOf } from '../faults.mjs';
import { Server } from './harness.mjs';

const CREATE = 'tracker.issueCreate';

let server, linear, team, faults;
before(async () => {
  const { credentials, stop } = await serve();
  server = new Server(credentials.tracker, stop);
  linear = server.client();
  team = await server.team();
  faults = faultsOf(credentials);
});
after(() => server.stop());

/** Creates an issue with an id of the caller's under a rule: what came of it, and how many there are. */
async function create(rule) {
  const input = { id: randomUUID(), teamId: (await team).id, title: `Issue ${randomUUID()}` };
  const seen = await faults.broken({ operation: CREATE, ...rule }, () => linear.createIssue(input));
  const { nodes } = await linear.issues({ filter: { title: { eq: input.title } } });
  return { ...seen, input, ids: nodes.map((n) => n.id) };
}

/** Tries again as a careful caller does: with the same id. */
const again = (input) => linear.createIssue(input).then(() => 'made', (err) => err.constructor.name);

test('errors have the class that upstream\'s have, and nothing is made', async () => {
  for (const [error, kind] of [
    [{ status: 429, retry_after: 3 }, 'RatelimitedLinearError'],
    [{ status: 500 }, 'InternalLinearError'],
    [{ status: 503 }, 'InternalLinearError'],
    [{ status: 401 }, 'AuthenticationLinearError'],
    [{ status: 403 }, 'ForbiddenLinearError'],
    [{ status: 400 }, 'InvalidInputLinearError'],
  ]) {
    const seen = await create({ do: { error } });
    assert.equal(seen.error?.constructor.name, kind, `${JSON.stringify(error)}: ${seen.error?.message}`);
    assert.deepEqual([seen.faults.length, seen.ids], [1, []], kind);
    if (error.retry_after) assert.equal(seen.error.retryAfter, 3);
    assert.equal(await again(seen.input), 'made');
  }
});

test('a lost answer is not tried again; with its id the caller makes the issue once', async () => {
  const early = await create({ do: { drop: 'before' } });
  assert.ok(early.error);
  assert.deepEqual([early.faults, early.ids], [['drop before'], []]);
  assert.equal(await again(early.input), 'made');
  for (const rule of [{ drop: 'after' }, { error_after: { status: 502 } }, { cut: 15 }]) {
    const lost = await create({ do: rule });
    assert.ok(lost.error, JSON.stringify(rule));
    assert.deepEqual([lost.faults.length, lost.ids], [1, [lost.input.id]], JSON.stringify(rule));
    assert.equal(await again(lost.input), 'InvalidInputLinearError');
    const { nodes } = await linear.issues({ filter: { title: { eq: lost.input.title } } });
    assert.equal(nodes.length, 1);
  }
});

test('a slow answer is waited for', async () => {
  const { error, ms, ids, input } = await create({ do: { delay: { ms: 400 } } });
  assert.equal(error, null);
  assert.ok(ms >= 400);
  assert.deepEqual(ids, [input.id]);
});
