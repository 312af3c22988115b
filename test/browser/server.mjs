// Starts the real binary with a data folder of its own, and a browser.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');

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
      setTimeout(() => reject(new Error('the server did not say where its web UI is: was it built?')), 20_000).unref();
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
    /** Starts it anew, at the same address and with its data. */
    again: () => run(new URL(address).host),
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
  return playwright.launch({ executablePath, args: ['--no-sandbox'], env: { ...process.env, ...fonts(temporary, emoji) } });
}

/** Names the folder of the package's fonts, which it looks for in /tmp. Without a font that has a bullet, a password field ends the browser. */
function fonts(temporary, emoji) {
  const file = join(temporary, emoji ? 'fonts-emoji.conf' : 'fonts.conf');
  const folders = [join(temporary, 'fonts'), ...(emoji ? [join(here, 'node_modules', '@expo-google-fonts', 'noto-color-emoji')] : [])];
  const dirs = folders.map((folder) => `<dir>${folder}</dir>`).join('');
  writeFileSync(file, `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${dirs}<cachedir>${join(temporary, 'fonts-cache')}</cachedir></fontconfig>`);
  return { FONTCONFIG_FILE: file, FONTCONFIG_PATH: temporary };
}
