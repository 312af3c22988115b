// npm agnostai 0.1.2, unmodified: turns of a chat agent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as agnost from 'agnostai';
import { start } from './harness.mjs';

let server;

before(async () => {
  server = await start('agnostai', '0.1.2');
  assert.ok(agnost.init(server.api_key, { endpoint: server.base_url }));
});

after(async () => {
  await agnost.shutdown();
  await server?.stop();
});

test('two interactions at once in one conversation', async () => {
  agnost.identify('user_1', { plan: 'paid', age: 30 });
  const one = agnost.begin({ userId: 'user_1', agentName: 'weather', input: 'Sun?', conversationId: 'my-conversation' });
  const two = agnost.begin({ userId: 'user_1', agentName: 'weather', input: 'Rain?', conversationId: 'my-conversation' });
  two.setProperty('temperature', '0.7');
  two.end('No.', true, 1.5);
  one.end('It failed', false);
  await agnost.flush();
  const { events } = await server.until('events', (r) => r.events.length === 2);
  const rain = events.find((e) => e.args.includes('Rain'));
  assert.equal(rain.session_id, 'my-conversation');
  assert.equal(rain.latency, 2, 'fractions are rounded');
  assert.equal(rain.primitive_name, 'weather');
  assert.equal(rain.primitive_type, null);
  assert.equal(rain.result, '{"output":"No."}');
  assert.equal(rain.metadata.temperature, '0.7');
  assert.equal(events.find((e) => e.args.includes('Sun')).success, false);

  const { session, tree } = await server.until('sessions/my-conversation', (r) => r.session.registered);
  assert.equal(session.user_id, 'user_1');
  assert.equal(session.event_count, 2);
  assert.equal(tree.length, 2);
  assert.deepEqual(await server.read('tools'), { tools: [] }, 'a turn is no tool');
});

test('traits become filters', async () => {
  const { traits } = await server.read('traits');
  assert.deepEqual(traits.find((t) => t.name === 'plan'), { name: 'plan', values: [{ value: 'paid', count: 1 }] });
  assert.equal((await server.read('events?trait.plan=paid&trait.age=30')).events.length, 2);
  assert.equal((await server.read('events?trait.plan=free')).events.length, 0);
  const { users } = await server.read('users?trait.age=30');
  assert.deepEqual(users.map((u) => u.user_id), ['user_1']);
});

test('a burst of 300 interactions is all there, each once', async () => {
  for (let i = 0; i < 300; i++) {
    agnost.begin({ userId: `burst_${i % 7}`, agentName: 'burst', input: `${i}`, conversationId: `c${i % 20}` }).end(`${i}`);
  }
  await agnost.flush();
  const { points } = await server.until('timeseries?interval=day&tool=burst&distinct=user_id', (r) => r.points[0]?.count >= 300);
  assert.equal(points[0].count, 300);
  assert.equal(points[0].users, 7);
});
