// Stands between a client program and a server, passes everything on as it is,
// and writes down which calls the program made: docs/clients.md is made of that.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where each suite leaves what it saw; ignored by git. */
export const SEEN = fileURLToPath(new URL('../../.cache/clients/', import.meta.url));

const SERVICES = ['messaging', 'crm', 'tracker', 'ingest'];

/**
 * Begins to watch a program: {url, base_url, done}. The program is given
 * base_url, which is that of the service, in place of the server's. done, called
 * once everything went as it should, writes down what the program called.
 *
 * program: {service, kind, name, version, runs}; kind is "official", "third party" or "MCP".
 */
export async function witness(server, program) {
  const calls = new Map(); // by name, whether one was answered well
  const pending = new Set();
  const proxy = createServer((req, res) => {
    const chunks = [];
    const on = request(server.url + req.url, { method: req.method, headers: req.headers }, (reply) => {
      const back = [];
      reply.on('data', (b) => back.push(b));
      reply.on('end', () => {
        pending.delete(on);
        const refused = reply.statusCode >= 400 || /^\s*\{"(ok":false|errors":\[)/.test(Buffer.concat(back).toString());
        for (const name of callsOf(req, Buffer.concat(chunks).toString())) calls.set(name, calls.get(name) || !refused);
      });
      res.writeHead(reply.statusCode, reply.headers);
      reply.pipe(res);
    });
    pending.add(on);
    on.on('error', () => { pending.delete(on); res.destroy(); });
    res.on('close', () => on.destroy());
    req.on('data', (b) => { chunks.push(b); on.write(b); });
    req.on('end', () => on.end());
  });
  await new Promise((resolve) => { proxy.listen(0, '127.0.0.1', resolve); });
  const url = `http://127.0.0.1:${proxy.address().port}`;
  const close = () => new Promise((resolve) => { proxy.close(resolve); proxy.closeAllConnections(); });
  return {
    url,
    base_url: `${url}/${program.service}`,
    close,
    async done() {
      await close();
      if (calls.size === 0) throw new Error(`${program.name} made no call`);
      const file = `${program.service}-${program.name}-${program.version}`.replaceAll(/[^\w.-]+/g, '_');
      mkdirSync(SEEN, { recursive: true });
      writeFileSync(join(SEEN, `${file}.json`), `${JSON.stringify({ ...program, calls: [...calls.keys()].sort(), refused: [...calls.keys()].filter((c) => !calls.get(c)).sort() }, null, 1)}\n`);
    },
  };
}

/** Runs f with a program's witness, and writes down the calls when f succeeds. */
export async function witnessed(server, program, f) {
  const w = await witness(server, program);
  try {
    await f(w);
  } catch (err) {
    await w.close();
    throw err;
  }
  await w.done();
}

/** The version of an installed package, from the folder of a suite. */
export function versionOf(require, name) {
  for (let dir = dirname(require.resolve(name)); ; dir = dirname(dir)) {
    try {
      const p = require(join(dir, 'package.json'));
      if (p.version) return p.version;
    } catch { /* look further up */ }
    if (dir === dirname(dir)) throw new Error(`${name} has no package.json with a version`);
  }
}

// What the docs call a request: the method of messaging, the fields of a
// document, the tool of an agent, or method and path with {id} for what names
// one thing.
function callsOf(req, body) {
  let path = new URL(req.url, 'http://x').pathname;
  const service = SERVICES.find((s) => path.startsWith(`/${s}/`));
  if (!service) return [];
  path = path.slice(service.length + 1).replace(/\/{2,}/g, '/');
  if (path.endsWith('/mcp')) return rpc(req, body);
  if (path === '/graphql') return fields(body);
  if (service === 'messaging' && /^\/api\/[a-z]+\.[a-zA-Z.]+$/.test(path)) return [path.slice(5)];
  const parts = path.replace(/^\/api(?=\/)/, '').split('/').map((p) => (/^(\d{4,}|[A-Z]\w{8,}|.*(%40|@).*|pat-.*|[\w-]{24,})$/.test(p) ? '{id}' : p));
  return [`${req.method} ${parts.join('/')}`];
}

function rpc(req, body) {
  if (req.method !== 'POST') return [];
  try {
    return [JSON.parse(body)].flat().filter((m) => m.method && !m.method.startsWith('notifications/')).map((m) => (m.method === 'tools/call' ? m.params.name : m.method));
  } catch {
    return [];
  }
}

// The fields that a document begins with, without a parser: braces and brackets are counted.
function fields(body) {
  let text;
  try { text = JSON.parse(body).query; } catch { return []; }
  const kind = /^\s*(?:fragment[^]*?\n)?\s*(mutation|subscription)/.test(text) || /\bmutation\b[\s\w]*[({]/.test(text) ? 'mutation' : 'query';
  const found = [];
  const start = /\b(?:query|mutation)\b[^{(]*(?:\((?:[^()]|\([^()]*\))*\))?[^{]*\{|^\s*\{/.exec(text);
  if (!start) return [];
  let depth = 1;
  let round = 0;
  for (let i = start.index + start[0].length; i < text.length && depth > 0;) {
    const c = text[i];
    if (c === '{') depth += 1;
    else if (c === '}') depth -= 1;
    else if (c === '(') round += 1;
    else if (c === ')') round -= 1;
    const name = depth === 1 && round === 0 && /^(?:\w+\s*:\s*)?([a-zA-Z]\w*)/.exec(text.slice(i));
    if (name) { found.push(`${kind} ${name[1]}`); i += name[0].length; } else i += 1;
  }
  return found;
}
