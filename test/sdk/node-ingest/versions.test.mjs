// Older versions of npm agnost, unmodified: a tool call of an MCP server.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { z } from 'zod';
import { start } from './harness.mjs';

const OLDER = Object.entries(createRequire(import.meta.url)('./package.json').dependencies).filter(([name]) => name.startsWith('agnost-'));

for (const [name, spec] of OLDER) {
  test(`a tool call arrives through ${spec.slice('npm:'.length)}`, async () => {
    const { checkpoint, createConfig, trackMCP } = await import(name);
    const server = await start('agnost', spec.split('@').at(-1));
    const mcp = new McpServer({ name: 'orders', version: '1.0.0' });
    mcp.registerTool('find', { description: 'Find', inputSchema: { query: z.string() } }, async ({ query }) => {
      checkpoint('database', { rows: 3 });
      return { content: [{ type: 'text', text: `found ${query}` }] };
    });
    trackMCP(mcp, server.api_key, createConfig({ endpoint: server.base_url, disableLogs: true, identify: () => ({ userId: 'user-7', plan: 'pro' }) }));
    const client = new Client({ name: 'test-client', version: '1.0.0' });
    const [a, b] = InMemoryTransport.createLinkedPair();
    await Promise.all([mcp.connect(a), client.connect(b)]);
    try {
      await client.callTool({ name: 'find', arguments: { query: 'open' } });
      const { events: [found] } = await server.until('events', (r) => r.events.length === 1);
      assert.deepEqual([found.primitive_name, found.primitive_type, found.success, found.user_id], ['find', 'tool', true, 'user-7']);
      assert.match(found.args, /"query":"open"/);
      assert.match(found.result, /found open/);
      assert.deepEqual(found.checkpoints.map((c) => [c.name, c.metadata]), [['database', { rows: 3 }]]);
      const { sessions } = await server.until('sessions?trait.plan=pro', (r) => r.sessions.length > 0);
      assert.equal(sessions[0].session_id, found.session_id);
    } finally {
      await client.close();
      await server.stop();
    }
  });
}
