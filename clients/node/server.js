// Finds the server of a test suite: the one at UNDERSTUDY_ADMIN_URL, or one that
// is started from the binary for the first world.
import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const READY_WITHIN_MS = 20_000;
const FLAGS = ['serve', '--listen', '127.0.0.1:0', '--rate-limits', 'off', '--log-level', 'error'];

/** An error reply of the server, or a failed request. */
export class UnderstudyError extends Error {
  constructor(status, body, what) {
    const { code, message } = body?.error ?? {};
    super(`${what}: ${message ? `${message} (${code})` : `status ${status} and no JSON: is this the admin plane?`}`);
    this.name = 'UnderstudyError';
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

/** Reports whether forks and a started server are kept after the tests. */
export const keeps = () => process.env.UNDERSTUDY_KEEP === '1';

/** Returns the path of the binary: UNDERSTUDY_BIN, or `understudy` on PATH. Without one it throws an Error that says what to do. */
export function findBinary() {
  const given = process.env.UNDERSTUDY_BIN;
  if (given) {
    if (runs(given)) return given;
    throw new Error(`UNDERSTUDY_BIN names no program: ${given}`);
  }
  const name = process.platform === 'win32' ? 'understudy.exe' : 'understudy';
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)).find(runs);
  if (found) return found;
  throw new Error('understudy was not found: put the program on PATH or name it in UNDERSTUDY_BIN, '
    + 'or use a server that runs with UNDERSTUDY_ADMIN_URL and UNDERSTUDY_ADMIN_KEY');
}

function runs(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

let found;

/** Returns the server of this process, shared by all worlds. */
export function server() {
  found ??= (process.env.UNDERSTUDY_ADMIN_URL ? attach() : start()).catch((error) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function attach() {
  const key = process.env.UNDERSTUDY_ADMIN_KEY;
  if (!key) throw new Error('UNDERSTUDY_ADMIN_URL is set: UNDERSTUDY_ADMIN_KEY must hold the key of that admin plane');
  const s = new Server(process.env.UNDERSTUDY_ADMIN_URL.replace(/\/+$/, ''), key);
  process.once('beforeExit', () => s.deleteBases());
  return s;
}

async function start() {
  const binary = findBinary();
  const folder = mkdtempSync(join(tmpdir(), 'understudy-test-'));
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('UNDERSTUDY_')));
  const keep = keeps();
  // With --temporary the server ends when this process ends in any way, and removes the folder.
  const child = spawn(binary, [...FLAGS, '--data', folder, ...(keep ? [] : ['--temporary'])],
    { env, stdio: [keep ? 'ignore' : 'pipe', 'pipe', 'pipe'], detached: keep });
  await ready(child);
  const { admin } = JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));
  child.unref();
  for (const stream of child.stdio) stream?.unref();
  if (keep) {
    process.stderr.write(`understudy stays: ${admin.base_url}, credentials in ${join(folder, 'credentials.json')}; end it with: kill ${child.pid}\n`);
  } else {
    process.once('beforeExit', () => child.stdin.destroy());
  }
  return new Server(admin.base_url, admin.key);

  function ready() {
    let output = '';
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`understudy was not ready within ${READY_WITHIN_MS} ms:\n${output}`));
      }, READY_WITHIN_MS);
      const fail = (why) => {
        clearTimeout(late);
        rmSync(folder, { recursive: true, force: true });
        reject(new Error(`understudy did not start: ${why}\n${output}`));
      };
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
      child.stderr.on('data', (text) => { output += text; });
      child.stdout.on('data', (text) => {
        output += text;
        if (!output.includes('Credentials are in')) return;
        clearTimeout(late);
        resolve();
      });
    });
  }
}

/** An admin plane, and the environments that worlds are forked from. */
class Server {
  #key;
  #bases = new Map(); // id by options, as promises

  constructor(url, key) {
    this.url = url;
    this.#key = key;
  }

  /** Sends a request to the admin plane and returns the reply: JSON, or text if type is 'text'. */
  async call(method, path, body, type = 'json') {
    const yaml = typeof body === 'string';
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${this.#key}`, ...(body !== undefined && { 'Content-Type': yaml ? 'application/yaml' : 'application/json' }) },
      body: yaml || body === undefined ? body : JSON.stringify(body),
    }).catch((error) => { throw new Error(`${this.url} does not answer: ${error.cause?.message ?? error.message}`, { cause: error }); });
    const text = await response.text();
    if (response.ok && type === 'text') return text;
    let reply;
    try {
      reply = text && JSON.parse(text);
    } catch { /* said below */ }
    if (!response.ok || (text && reply === undefined)) throw new UnderstudyError(response.status, reply, `${method} ${path}`);
    return reply;
  }

  /** Returns the id of an environment with these options, which is created once. */
  base(options) {
    const key = JSON.stringify(options);
    if (!this.#bases.has(key)) {
      const made = this.call('POST', '/environments', { rate_limits: 'off', ephemeral: true, ttl_seconds: 86_400, name: 'base of tests', ...options });
      made.catch(() => this.#bases.delete(key));
      this.#bases.set(key, made.then(({ id }) => id));
    }
    return this.#bases.get(key);
  }

  async deleteBases() {
    for (const base of this.#bases.values()) {
      await base.then((id) => this.call('DELETE', `/environments/${id}`)).catch(() => {});
    }
  }
}
