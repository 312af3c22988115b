// npm agnost 0.2.1, unmodified: tool calls of an MCP server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';
import { checkpoint, createConfig, trackMCP } from 'agnost';
import { start } from './harness.mjs';

let server, client;

before(async () => {
  server = await start('agnost', '0.2.1');
  const mcp = new McpServer({ name: 'orders', version: '1.0.0' });
  mcp.registerTool('find', { description: 'Find', inputSchema: { query: z.string() } }, async ({ query }) => {
    checkpoint('start');
    await new Promise((r) => setTimeout(r, 20));
    checkpoint('database', { rows: 3 });
    return { content: [{ type: 'text', text: `found ${query}` }] };
  });
  mcp.registerTool('break', { description: 'Break', inputSchema: { query: z.string() } }, async () => {
    throw new Error('no such order');
  });
  trackMCP(mcp, server.api_key, createConfig({
    endpoint: `${server.base_url}/`,
    disableLogs: true,
    identify: () => ({ userId: 'user-7', plan: 'pro', seats: 3 }),
  }));
  const [a, b] = InMemoryTransport.createLinkedPair();
  client = new Client({ name: 'test-client', version: '1.0.0' });
  await Promise.all([mcp.connect(a), client.connect(b)]);
});

after(async () => {
  await client?.close();
  await server?.stop();
});

test('tool calls arrive with arguments, latency, outcome and checkpoints', async () => {
  await client.callTool({ name: 'find', arguments: { query: 'open' } });
  await client.callTool({ name: 'break', arguments: { query: 'x' } });
  const { events } = await server.until('events', (r) => r.events.length === 2);
  const found = events.find((e) => e.primitive_name === 'find');
  assert.equal(found.primitive_type, 'tool');
  assert.equal(found.success, true);
  assert.ok(found.latency >= 19, `latency ${found.latency}`);
  assert.match(found.args, /"query":"open"/);
  assert.match(found.result, /found open/);
  assert.equal(found.user_id, 'user-7');
  assert.deepEqual(found.checkpoints.map((c) => c.name), ['start', 'database']);
  assert.deepEqual(found.checkpoints[1].metadata, { rows: 3 });
  assert.ok(found.checkpoints[1].offset_ms >= 15);
  const broken = events.find((e) => e.primitive_name === 'break');
  assert.equal(broken.success, false);
  assert.match(broken.result, /no such order/);

  const { tools } = await server.read('tools');
  assert.deepEqual(tools.map((t) => [t.tool, t.count, t.errors]).sort(), [['break', 1, 1], ['find', 1, 0]]);
});

test('the session has the user, the traits and the tree, and no secret anywhere', async () => {
  const { sessions } = await server.until('sessions?trait.plan=pro', (r) => r.sessions.length > 0);
  assert.equal(sessions[0].user_id, 'user-7');
  assert.equal(sessions[0].traits.seats, 3);
  const whole = await server.read(`sessions/${sessions[0].session_id}`);
  assert.equal(whole.tree.length, 2, 'calls without a parent stand at the root');
  for (const path of ['sessions', 'events', `sessions/${sessions[0].session_id}`, 'users']) {
    assert.ok(!JSON.stringify(await server.read(path)).includes(server.api_key), `${path} shows the key`);
  }
  assert.deepEqual(await server.read('tools?trait.plan=free'), { tools: [] });
});

test('the OAuth form of session ids keeps the key out', async () => {
  const post = (path, body) => fetch(`${server.base_url}/api/v1/${path}`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Org-Id': server.api_key }, body: JSON.stringify(body) });
  const id = `oauth:${server.api_key}:tok-1`;
  assert.equal((await post('capture-session', { session_id: id, client_config: 'c', connection_type: 'http', ip: '' })).status, 200);
  assert.equal((await post('capture-event', { org_id: server.api_key, session_id: id, primitive_type: 'tool', primitive_name: 'oauth-tool', args: '', result: '', latency: 1, success: true })).status, 200);
  const { events } = await server.until('events?tool=oauth-tool', (r) => r.events.length === 1);
  assert.equal(events[0].session_id, 'oauth:[redacted]:tok-1');
  const { session } = await server.read(`sessions/${encodeURIComponent(events[0].session_id)}`);
  assert.deepEqual(session.attributes, { connection_type: 'http' });
});

test('an organization id that is no key is refused', async () => {
  const reply = await fetch(`${server.base_url}/api/v1/capture-session`, {
    method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Org-Id': server.organization_id }, body: '{"session_id":"x"}' });
  assert.equal(reply.status, 401);
  assert.equal(reply.headers.get('www-authenticate'), 'ApiKey');
  assert.equal((await reply.json()).code, 'unauthorized');
});
