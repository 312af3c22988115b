// Runs the real binary and points the official client at it. Black box: only
// addresses, files and the exit status are looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LinearClient } from '@linear/sdk';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const READY_WITHIN_MS = 20_000;

function binary() {
  if (process.env.UNDERSTUDY_BIN) return process.env.UNDERSTUDY_BIN;
  const out = join(ROOT, 'bin', 'understudy');
  execFileSync('go', ['build', '-o', out, './cmd/understudy'], { cwd: ROOT, env: { ...process.env, CGO_ENABLED: '0' }, stdio: 'inherit' });
  return out;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a server on a fresh folder. Limits are off unless the flags say otherwise. */
export async function start(...flags) {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-tracker-'));
  const port = await freePort();
  const limits = flags.includes('--rate-limits') ? [] : ['--rate-limits', 'off'];
  const child = spawn(binary(), ['serve', '--listen', `127.0.0.1:${port}`, '--data', dir, ...limits, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (b) => { output += b; });
  child.stderr.on('data', (b) => { output += b; });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  let exit;
  ended.then((status) => { exit = status; });

  const began = Date.now();
  while (!await fetch(`http://127.0.0.1:${port}/healthz`).then((r) => r.ok, () => false)) {
    if (exit !== undefined) throw new Error(`the server ended with ${exit} before it was ready:\n${output}`);
    if (Date.now() - began > READY_WITHIN_MS) {
      child.kill('SIGKILL');
      throw new Error(`/healthz was not 200 in time:\n${output}`);
    }
    await sleep(10);
  }
  const { tracker } = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'));
  return new Server(tracker, async () => {
    child.kill('SIGTERM');
    const status = await ended;
    rmSync(dir, { recursive: true, force: true });
    assert.equal(status, 0, `exit status after SIGTERM:\n${output}`);
  });
}

/** A running server and the ways of talking to its tracker. */
export class Server {
  #made = 0;

  constructor(credentials, stop) {
    this.credentials = credentials;
    this.base = credentials.base_url;
    this.graphql = `${this.base}/graphql`;
    this.stop = stop;
  }

  /** The official client with the default key, or with other credentials. */
  client(options = { apiKey: this.credentials.api_key }) {
    return new LinearClient({ apiUrl: this.graphql, ...options });
  }

  /** A key for a team that nobody used yet. */
  key() { this.#made += 1; return `K${this.#made}`; }

  /** A fresh team, as the client gives it. */
  async team(client = this.client()) {
    const key = this.key();
    return (await client.createTeam({ key, name: `Team ${key}` })).team;
  }

  /** One request of the control plane: {status, body}. */
  async rest(method, path, { token, body } = {}) {
    const headers = { 'content-type': 'application/json' };
    if (token) headers.authorization = `Bearer ${token}`;
    const reply = await fetch(this.base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Someone with an organization of their own: {client, session, organization}. */
  async stranger(name) {
    const up = await this.rest('POST', '/api/auth/signup', { body: { email: `${name}@example.com`, password: 'correct horse', name } });
    assert.equal(up.status, 201, JSON.stringify(up.body));
    const made = await this.rest('POST', '/api/organization', { token: up.body.accessToken, body: { name, urlKey: name } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { client: this.client({ accessToken: made.body.accessToken }), session: made.body, email: `${name}@example.com` };
  }
}

/** The promise must fail with that class of the client's; gives the error. */
export async function refused(promise, kind, text) {
  let failure;
  await promise.then((reply) => assert.fail(`wanted ${kind}, got ${JSON.stringify(reply)}`), (err) => { failure = err; });
  if (failure instanceof assert.AssertionError) throw failure;
  assert.equal(failure.constructor.name, kind, `${failure.message}\n${failure.stack}`);
  if (text) assert.match(failure.message, text);
  return failure;
}
