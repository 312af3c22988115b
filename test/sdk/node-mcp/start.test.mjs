// How a tool server starts, ends and refuses: processes, HTTP and scripts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { binary, freePort } from '../process.mjs';
import { run, start } from './harness.mjs';

const HELLO = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'script', version: '1' } } };
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('starting a tool server', () => {
  let s;
  let base;
  before(async () => { s = await start(); base = s.credentials.messaging.base_url; });
  after(() => s.stop());

  const oneLine = (r, status, says) => {
    assert.equal(r.status, status, r.errors);
    assert.equal(r.output, '', 'standard output carries the protocol and nothing else');
    assert.match(r.errors, says);
    assert.equal(r.errors.trim().split('\n').length, 1, r.errors);
  };

  it('ends with one line and status 1 when the token is bad', async () => {
    oneLine(await run('messaging', { CHAT_MCP_TOKEN: 'xoxb-nothing', CHAT_MCP_BASE_URL: base }), 1, /CHAT_MCP_TOKEN.*invalid_auth/);
    oneLine(await run('messaging', { CHAT_MCP_BASE_URL: base }), 1, /CHAT_MCP_TOKEN is not set/);
  });

  it('does so for the tracker', async () => {
    const { base_url: tracker, api_key: key } = s.credentials.tracker;
    oneLine(await run('tracker', { TRACKER_MCP_API_KEY: 'trk_api_nothing', TRACKER_MCP_BASE_URL: tracker }), 1, /TRACKER_MCP_API_KEY.*refused the key/);
    oneLine(await run('tracker', { TRACKER_MCP_BASE_URL: tracker }), 1, /TRACKER_MCP_API_KEY is not set/);
    oneLine(await run('tracker', { TRACKER_MCP_API_KEY: key, TRACKER_MCP_BASE_URL: `${s.url}/healthz` }), 1, /not as a tracker/);
    const bare = await fetch(`${tracker}/mcp`, { method: 'POST', headers: { ...HEADERS, authorization: key }, body: JSON.stringify(HELLO) });
    assert.equal(bare.status, 200, 'the key may stand bare, as its own clients send it');
  });

  it('ends with one line when the service is not there, or the URL is none', async () => {
    oneLine(await run('messaging', { CHAT_MCP_TOKEN: 'xoxb-1', CHAT_MCP_BASE_URL: `http://127.0.0.1:${await freePort()}/messaging` }), 1, /cannot be reached/);
    oneLine(await run('messaging', { CHAT_MCP_TOKEN: 'xoxb-1', CHAT_MCP_BASE_URL: `${s.url}/healthz` }), 1, /not as a messaging service/);
    oneLine(await run('messaging', { CHAT_MCP_TOKEN: 'xoxb-1', CHAT_MCP_BASE_URL: 'nonsense' }), 2, /CHAT_MCP_BASE_URL/);
  });

  it('answers what a script pipes in, and ends with the input', async () => {
    const child = spawn(binary(), ['mcp', 'messaging'], { env: { CHAT_MCP_TOKEN: s.credentials.messaging.bot_token, CHAT_MCP_BASE_URL: base }, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = [HELLO, { jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'msg_auth_test' } }];
    child.stdin.end(lines.map((l) => JSON.stringify(l)).join('\n')); // no end of line after the last
    let output = '';
    child.stdout.on('data', (b) => { output += b; });
    const status = await new Promise((resolve) => child.once('close', resolve));
    const answers = output.trim().split('\n').map((l) => JSON.parse(l));
    assert.deepEqual(answers.map((a) => a.id).sort(), [1, 2, 3]);
    assert.equal(status, 0);
  });

  it('answers a line that is no message, and goes on', async () => {
    const child = spawn(binary(), ['mcp', 'messaging'], { env: { CHAT_MCP_TOKEN: s.credentials.messaging.bot_token, CHAT_MCP_BASE_URL: base }, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.end(`nonsense\n${JSON.stringify(HELLO)}\n`);
    let output = '';
    child.stdout.on('data', (b) => { output += b; });
    assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
    const [complaint, hello] = output.trim().split('\n').map((l) => JSON.parse(l));
    assert.equal(complaint.error.code, -32700);
    assert.equal(hello.result.serverInfo.name, 'understudy-messaging');
  });

  it('ends on SIGTERM with status 0', async () => {
    const child = spawn(binary(), ['mcp', 'messaging'], { env: { CHAT_MCP_TOKEN: s.credentials.messaging.bot_token, CHAT_MCP_BASE_URL: base }, stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.write(`${JSON.stringify(HELLO)}\n`);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGTERM');
    assert.equal(await new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal))), 0);
  });

  describe('over HTTP', () => {
    const post = (headers, body = HELLO) => fetch(`${base}/mcp`, { method: 'POST', headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) });

    it('refuses a request without a good token', async () => {
      for (const headers of [{}, { authorization: 'Bearer xoxb-nothing' }, { authorization: 'nothing' }]) {
        const r = await post(headers);
        assert.equal(r.status, 401);
        assert.match(r.headers.get('www-authenticate'), /^Bearer/);
        assert.ok((await r.json()).error.message);
      }
    });

    it('refuses a token that has stopped working', async () => {
      const made = await s.rest('POST', `${base}/api/admin/provision`, { token: s.credentials.admin.key, body: { workspace_name: 'Short lived' } });
      const tools = await s.tools('http', 'messaging', made.body.bot_token);
      await tools.call('msg_auth_test');
      const gone = await s.rest('DELETE', `${base}/api/workspaces/${made.body.workspace_id}`, { token: made.body.user_token });
      assert.equal(gone.status, 204);
      const said = await tools.refusal('msg_list_channels');
      assert.match(said.hint, /token does not work/);
      assert.equal((await post({ authorization: `Bearer ${made.body.bot_token}` })).status, 401, 'and the next request finds the door shut');
    });

    it('refuses pages of other sites, and serves those that it was told of', async () => {
      const page = { authorization: `Bearer ${s.credentials.messaging.bot_token}`, origin: 'http://localhost:6274' };
      for (const origin of ['https://evil.example', page.origin]) {
        const far = await post({ ...page, origin });
        assert.equal(far.status, 403);
        assert.equal(far.headers.get('access-control-allow-origin'), null);
      }
      const open = await start('--cors-origins', page.origin);
      try {
        const url = `${open.credentials.messaging.base_url}/mcp`;
        const headers = { ...HEADERS, ...page, authorization: `Bearer ${open.credentials.messaging.bot_token}` };
        const near = await fetch(url, { method: 'POST', headers, body: JSON.stringify(HELLO) });
        assert.equal(near.status, 200);
        assert.equal(near.headers.get('access-control-allow-origin'), page.origin);
        const asked = await fetch(url, { method: 'OPTIONS', headers: { origin: page.origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' } });
        assert.equal(asked.status, 204);
        assert.match(asked.headers.get('access-control-allow-headers'), /authorization/i);
      } finally {
        await open.stop();
      }
    });

    it('keeps environments apart', async () => {
      const made = await s.rest('POST', `${s.credentials.admin.base_url}/environments`, { token: s.credentials.admin.key, body: { name: 'apart' } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const { messaging } = made.body;
      const there = await s.tools('http', 'messaging', messaging.bot_token, messaging.base_url);
      assert.equal((await there.call('msg_auth_test')).team_id, messaging.workspace_id);
      assert.equal((await post({ authorization: `Bearer ${messaging.bot_token}` })).status, 401);
      const byPipe = await s.tools('stdio', 'messaging', messaging.bot_token, messaging.base_url);
      assert.equal((await byPipe.call('msg_auth_test')).team_id, messaging.workspace_id);
    });
  });
});
