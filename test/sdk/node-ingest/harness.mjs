// Starts the built program on a free port with a temporary folder.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const binary = process.env.UNDERSTUDY_BINARY ?? resolve(import.meta.dirname, '../../../bin/understudy');

export async function start() {
  const data = mkdtempSync(join(tmpdir(), 'understudy-ingest-'));
  const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--data', data], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((ready, failed) => {
    child.stdout.on('data', (text) => String(text).includes('is ready') && ready());
    child.on('exit', (code) => failed(new Error(`the program ended with status ${code}`)));
  });
  const { ingest, admin } = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8'));
  const read = async (path) => {
    const reply = await fetch(`${ingest.base_url}/api/v1/${path}`, { headers: { 'x-api-key': ingest.api_key } });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  return {
    ...ingest,
    admin,
    read,
    // until asks again until check holds, for 10 seconds at most.
    async until(path, check) {
      for (let last, i = 0; ; i++) {
        last = await read(path);
        if (check(last)) return last;
        if (i === 200) throw new Error(`${path} never came to it: ${JSON.stringify(last)}`);
        await new Promise((r) => setTimeout(r, 50));
      }
    },
    async stop() {
      child.removeAllListeners('exit');
      const ended = new Promise((r) => child.on('exit', r));
      child.kill('SIGTERM');
      await ended;
      rmSync(data, { recursive: true, force: true });
    },
  };
}
