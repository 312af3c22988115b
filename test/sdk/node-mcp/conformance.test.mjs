// The protocol's own conformance suite, those of its scenarios that apply to a
// server that has tools and nothing else. It cannot send a token, so a relay
// adds it and passes everything else on as it came.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { request, createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { start } from './harness.mjs';

const SUITE = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));

// The others test resources, prompts, sampling and the like, or call tools of a model server.
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];

function relay(origin, token) {
  const server = createServer((req, res) => {
    const on = request(origin + req.url, { method: req.method, headers: { ...req.headers, authorization: `Bearer ${token}` } }, (reply) => {
      res.writeHead(reply.statusCode, reply.headers);
      reply.pipe(res);
    });
    on.on('error', () => res.destroy());
    req.pipe(on);
  });
  return new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server)); });
}

function suite(url, scenario) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [SUITE, 'server', '--url', url, '--scenario', scenario], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (b) => { output += b; });
    child.stderr.on('data', (b) => { output += b; });
    child.once('close', (status) => resolve({ status, output }));
  });
}

const SERVICES = { messaging: 'bot_token', tracker: 'api_key' };

for (const [service, credential] of Object.entries(SERVICES)) {
  describe(`conformance of the ${service} tools`, () => {
    let s;
    let door;
    before(async () => {
      s = await start();
      door = await relay(s.url, s.credentials[service][credential]);
    });
    after(async () => {
      door.closeAllConnections();
      door.close();
      await s.stop();
    });

    for (const scenario of SCENARIOS) {
      it(scenario, async () => {
        const { status, output } = await suite(`http://127.0.0.1:${door.address().port}/${service}/mcp`, scenario);
        assert.equal(status, 0, output);
        assert.match(output, /Passed: [1-9]\d*\/\d+, 0 failed/, output);
      });
    }
  });
}
