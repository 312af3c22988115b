// Starts the real binary with a data folder of its own, and a browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

/** What setUp has started. */
export let server;
export let browser;

/**
 * Starts a server with some flags, and a browser, before the tests of a file, and ends them after. A function behind the
 * flags is called between: with what it makes the tests begin.
 */
export function setUp(...flags) {
  const fill = typeof flags.at(-1) === 'function' ? flags.pop() : undefined;
  before(async () => {
    await Promise.all([
      startServer(...flags).then((s) => {
        server = s;
      }),
      startBrowser().then((b) => {
        browser = b;
      }),
    ]);
    await fill?.();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });
}

/** Sends JSON with a bearer token; returns what is answered, and the id of the request. A refusal fails the test. */
export async function exchange(method, url, body, token) {
  const reply = await fetch(url, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json; charset=utf-8' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await reply.text();
  const value = text === '' ? undefined : JSON.parse(text);
  assert.ok(reply.ok && value?.ok !== false && !value?.errors, `${method} ${url}: ${reply.status} ${text.slice(0, 400)}`);
  return { value, id: reply.headers.get('X-Request-Id') };
}

/** Sends JSON with a bearer token and returns what is answered. */
export const send = async (...args) => (await exchange(...args)).value;

/** Sends JSON to the admin plane of the server. */
export const admin = (path, body, method = body ? 'POST' : 'GET') => send(method, `${server.origin}/admin/v1${path}`, body, server.credentials.admin.key);

/** Sends a statement to the tracker of the server, as its admin. */
export const graph = async (query, variables) =>
  (await send('POST', `${server.credentials.tracker.base_url}/graphql`, { query, variables }, server.credentials.tracker.api_key)).data;

/** Starts `understudy serve` on a free port and waits until it is ready. */
export async function startServer(...args) {
  const data = mkdtempSync(join(tmpdir(), 'understudy-browser-'));
  const binary = process.env.UNDERSTUDY_BIN ?? join(root, 'bin', 'understudy');
  let child;
  let printed = '';
  const run = (listen) => {
    printed = '';
    child = spawn(binary, ['serve', '--listen', listen, '--data', data, '--mode', 'full', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with status ${code}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        printed += `${line}\n`;
        const m = /web UI\s+(\S+)/.exec(line);
        if (m) {
          resolve(m[1]);
        }
      });
      setTimeout(() => reject(new Error('the server did not say where its web UI is: was it built?')), 60_000).unref();
    });
  };
  const end = async (signal) => {
    if (child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await ended;
    }
  };
  const address = await run('127.0.0.1:0');
  return {
    ui: address,
    data,
    binary,
    /** Returns what the program has printed since it was started. */
    printed: () => printed,
    origin: new URL(address).origin,
    credentials: JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')),
    kill: () => end('SIGKILL'),
    /** Starts it anew, at the same address and with its data. For a moment a client's connection may have its port. */
    async again() {
      for (let tries = 0; ; tries++) {
        try {
          return await run(new URL(address).host);
        } catch (e) {
          if (tries === 20) {
            throw e;
          }
          await new Promise((resolve) => setTimeout(resolve, 500));
        }
      }
    },
    async stop() {
      await end('SIGTERM');
      rmSync(data, { recursive: true, force: true });
    },
  };
}

/** Starts the Chromium that comes out of npm, with none of the package's own switches; with emoji, pictures show them. */
export async function startBrowser({ emoji = false } = {}) {
  const temporary = join(root, '.cache', 'browser');
  mkdirSync(temporary, { recursive: true });
  process.env.TMPDIR = temporary;
  process.env.AWS_EXECUTION_ENV = 'AWS_Lambda_nodejs20.x'; // it brings its own system libraries then
  const { default: chromium } = await import('@sparticuz/chromium');
  const { chromium: playwright } = await import('playwright-core');
  const executablePath = await chromium.executablePath();
  const launch = () => playwright.launch({ executablePath, timeout: 120_000, args: ['--no-sandbox'], env: { ...process.env, ...fonts(temporary, emoji) } });
  try {
    return await launch();
  } catch (error) {
    if (!String(error).includes('SIGSEGV')) throw error;
    console.error('Chromium crashed before its first page; it is started once more');
    return launch();
  }
}

/** Names the folder of the package's fonts, which it looks for in /tmp. Without a font that has a bullet, a password field ends the browser. */
function fonts(temporary, emoji) {
  const file = join(temporary, emoji ? 'fonts-emoji.conf' : 'fonts.conf');
  const folders = [join(temporary, 'fonts'), ...(emoji ? [join(here, 'node_modules', '@expo-google-fonts', 'noto-color-emoji')] : [])];
  const dirs = folders.map((folder) => `<dir>${folder}</dir>`).join('');
  const own = `${file}.${process.pid}`; // a browser that starts meanwhile reads a whole file
  writeFileSync(own, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs}<cachedir>${join(temporary, 'fonts-cache')}</cachedir></fontconfig>`);
  renameSync(own, file);
  return { FONTCONFIG_FILE: file, FONTCONFIG_PATH: temporary };
}
