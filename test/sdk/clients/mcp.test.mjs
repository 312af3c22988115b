// Clients of tool servers, by HTTP and on stdio.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { serve } from '../process.mjs';
import { witnessed } from '../witness.mjs';
import { file, third } from './programs.mjs';

let s;
before(async () => { s = await serve(); });
after(() => s?.stop());

const SERVICES = {
  messaging: { token: (c) => c.messaging.bot_token, tool: 'msg_list_channels', has: '"channels"' },
  tracker: { token: (c) => c.tracker.api_key, tool: 'list_teams', has: '"teams"' },
};
const client = (service, name) => ({ ...third(service, name), kind: 'MCP' });

for (const [service, { token, tool, has }] of Object.entries(SERVICES)) {
  test(`the official client lists and calls the tools of ${service}`, () => witnessed(s, client(service, '@modelcontextprotocol/sdk'), async (w) => {
    const c = new Client({ name: 'understudy-test', version: '1.0.0' });
    await c.connect(new StreamableHTTPClientTransport(new URL(`${w.base_url}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token(s.credentials)}` } } }));
    await uses(c, tool, has);
  }));

  test(`mcp-remote bridges the tools of ${service} to stdio`, () => witnessed(s, client(service, 'mcp-remote'), async (w) => {
    const c = new Client({ name: 'understudy-test', version: '1.0.0' });
    const pipe = new StdioClientTransport({ command: process.execPath, stderr: 'ignore', env: { PATH: process.env.PATH, HOME: s.dir, MCP_REMOTE_CONFIG_DIR: s.dir },
      args: [file('mcp-remote/dist/proxy.js'), `${w.base_url}/mcp`, '--allow-http', '--transport', 'http-only', '--header', `Authorization: Bearer ${token(s.credentials)}`] });
    await c.connect(pipe);
    await uses(c, tool, has);
  }));

  test(`supergateway bridges the tools of ${service} to stdio`, () => witnessed(s, client(service, 'supergateway'), async (w) => {
    const c = new Client({ name: 'understudy-test', version: '1.0.0' });
    await c.connect(new StdioClientTransport({ command: process.execPath, stderr: 'ignore', env: { PATH: process.env.PATH },
      args: [file('supergateway/dist/index.js'), '--streamableHttp', `${w.base_url}/mcp`, '--oauth2Bearer', token(s.credentials), '--logLevel', 'none'] }));
    await uses(c, tool, has);
  }));
}

async function uses(c, tool, has) {
  try {
    assert.ok((await c.listTools()).tools.some((x) => x.name === tool));
    const { content, isError } = await c.callTool({ name: tool, arguments: {} });
    assert.ok(!isError && content[0].text.includes(has), content[0].text);
  } finally {
    await c.close();
  }
}
