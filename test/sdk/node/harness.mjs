// Runs the real binary and points the official client at it. Black box: only
// addresses, files and the exit status are looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LogLevel, WebClient } from '@slack/web-api';

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
  const dir = mkdtempSync(join(tmpdir(), 'understudy-node-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const limits = flags.includes('--rate-limits') ? [] : ['--rate-limits', 'off'];
  const child = spawn(binary(), ['serve', '--listen', url.slice(7), '--data', dir, ...limits, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (b) => { output += b; });
  child.stderr.on('data', (b) => { output += b; });
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)));
  let exit;
  ended.then((status) => { exit = status; });

  const began = Date.now();
  for (;;) {
    if (exit !== undefined) throw new Error(`the server ended with ${exit} before it was ready:\n${output}`);
    if (Date.now() - began > READY_WITHIN_MS) {
      child.kill('SIGKILL');
      throw new Error(`/healthz was not 200 in time:\n${output}`);
    }
    const ok = await fetch(`${url}/healthz`).then((r) => r.ok, () => false);
    if (ok) break;
    await sleep(10);
  }
  const credentials = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'));
  return new Server(url, dir, credentials, async () => {
    child.kill('SIGTERM');
    const status = await ended;
    rmSync(dir, { recursive: true, force: true });
    assert.equal(status, 0, `exit status after SIGTERM:\n${output}`);
  });
}

/** A running server and the ways of talking to its messaging service. */
export class Server {
  #made = 0;

  constructor(url, dir, credentials, stop) {
    this.url = url;
    this.dir = dir;
    this.credentials = credentials;
    this.messaging = credentials.messaging;
    this.base = credentials.messaging.base_url;
    this.stop = stop;
  }

  /** The official client. It does not retry, so that a wrong status fails a test at once. */
  client(token, options = {}) {
    return new WebClient(token, { slackApiUrl: `${this.base}/api/`, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR, ...options });
  }

  get bot() { return this.client(this.messaging.bot_token); }

  get admin() { return this.client(this.messaging.user_token); }

  /** A name nobody used yet. */
  name(prefix = 'c') { this.#made += 1; return `${prefix}-${this.#made}-${process.pid % 1000}`; }

  /** A channel made by client, with a name of its own. */
  async channel(client = this.admin, options = {}) {
    const { channel } = await client.conversations.create({ name: this.name(), ...options });
    return channel;
  }

  /** One request of the control plane: {status, body}. body is null when there is none. */
  async rest(method, path, { token, body, base = this.base } = {}) {
    const headers = {};
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const reply = await fetch(base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), redirect: 'manual' });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** A person with an account, in the default workspace: {id, client, jwt, account, email, password}. */
  async person(name = this.name('person')) {
    const email = `${name}@example.com`;
    const password = 'correct horse';
    const up = await this.rest('POST', '/api/auth/signup', { body: { email, password, name } });
    assert.equal(up.status, 201, JSON.stringify(up.body));
    const joined = await this.rest('POST', `/api/workspaces/${this.messaging.workspace_id}/join`, { token: up.body.access_token });
    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    return {
      id: joined.body.user.id, client: this.client(joined.body.access_token), jwt: joined.body.access_token,
      refresh: up.body.refresh_token, account: up.body.account, email, password,
    };
  }

  /** An app with exactly these scopes: {app, client}. */
  async app(scopes, name = this.name('app')) {
    const manifest = { display_information: { name }, features: { bot_user: { display_name: name } }, oauth_config: { scopes: { bot: scopes } } };
    const made = await this.rest('POST', '/api/apps', { token: this.messaging.user_token, body: { manifest } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { app: made.body, client: this.client(made.body.bot_token) };
  }
}

/** The promise must be refused by the platform with this code; gives the reply. */
export async function refused(promise, code) {
  const began = Date.now();
  let failure;
  await promise.then((reply) => assert.fail(`wanted ${code}, got ${JSON.stringify(reply)}`), (err) => { failure = err; });
  if (failure instanceof assert.AssertionError) throw failure;
  assert.equal(failure.code, 'slack_webapi_platform_error', `${failure}`);
  assert.equal(failure.data.error, code);
  assert.ok(Date.now() - began < 5000, 'a refusal must not be retried');
  return failure.data;
}

/** Everything that pages of an iterator hold under key. */
export async function collect(pages, key) {
  const all = [];
  for await (const page of pages) all.push(...page[key]);
  return all;
}

export const TS = /^\d{10}\.\d{6}$/;
