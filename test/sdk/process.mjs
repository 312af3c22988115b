// Runs the real binary for a suite. Black box: only addresses, files and the
// exit status are looked at.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const READY_WITHIN_MS = 60_000;

let built;

/** The program: UNDERSTUDY_BIN, or one that is built for this process. */
export function binary() {
  if (process.env.UNDERSTUDY_BIN) return process.env.UNDERSTUDY_BIN;
  if (!built) {
    built = join(ROOT, 'bin', 'understudy');
    execFileSync('go', ['build', '-o', built, './cmd/understudy'], { cwd: ROOT, env: { ...process.env, CGO_ENABLED: '0' }, stdio: 'inherit' });
  }
  return built;
}

// Below the ports that systems give to who asks for any: the server binds its
// port some time after it was chosen, and nobody may have got it meanwhile. Each
// process begins at a place of its own, as the Go tests do.
const FIRST_PORT = 15_000;
const PORTS = 16_000;
const APART = 61;

let given = 0;

/** A loopback port on which nobody listens, for a server that is about to start. */
export async function freePort() {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST_PORT + (process.pid * APART + ++given) % PORTS;
    const free = await new Promise((resolve) => {
      const probe = createServer().once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (free) return port;
  }
  throw new Error('no loopback port is free');
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Starts a server on a fresh folder: {url, dir, credentials, stop}. Limits are
 * off unless the flags say otherwise. stop wants a clean exit.
 */
export async function serve(...flags) {
  const dir = mkdtempSync(join(tmpdir(), 'understudy-sdk-'));
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
  while (!await fetch(`${url}/healthz`).then((r) => r.ok, () => false)) {
    if (exit !== undefined) throw new Error(`the server ended with ${exit} before it was ready:\n${output}`);
    if (Date.now() - began > READY_WITHIN_MS) {
      child.kill('SIGKILL');
      throw new Error(`/healthz was not 200 in time:\n${output}`);
    }
    await sleep(10);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    const status = await ended;
    rmSync(dir, { recursive: true, force: true });
    assert.equal(status, 0, `exit status after SIGTERM:\n${output}`);
  };
  return { url, dir, credentials: JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8')), stop };
}
