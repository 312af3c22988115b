// What `make demo` runs: a server with the demo world in a folder of its own, and ten sessions of the scripted agent.
// It goes on serving until Ctrl C, and nothing of it stays.
//
//   node docs/demo/demo.mjs bin/understudy [flags of `understudy serve`]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { judge, prepare } from './stage.mjs';

const [binary, ...flags] = process.argv.slice(2);
const data = mkdtempSync(join(tmpdir(), 'understudy-demo-')); // the server removes it at its end
const server = spawn(binary, ['serve', '--temporary', '--data', data, '--mode', 'full', '--fixture', 'demo', ...flags], {
  stdio: ['pipe', 'pipe', 'inherit'], // the server ends when this program does
});
server.on('exit', (status) => process.exit(status ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => server.kill('SIGTERM'));
}

let ui = '';
const file = await new Promise((resolve) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    ui = /web UI\s+(\S+)/.exec(line)?.[1] ?? ui;
    const found = /Credentials are in (\S+\.json)/.exec(line)?.[1];
    if (found) {
      resolve(found);
    }
  });
});

const credentials = JSON.parse(readFileSync(file, 'utf8'));
const sessions = 10;
await prepare(credentials);
const began = performance.now();
const agent = spawn(process.execPath, [join(dirname(fileURLToPath(import.meta.url)), 'agent.mjs'), file, String(sessions)], {
  stdio: 'inherit',
});
const status = await new Promise((resolve) => agent.on('exit', resolve));
if (status !== 0) {
  console.error('The agent did not come to its end.');
  server.kill('SIGTERM');
} else {
  await judge(credentials, sessions, (performance.now() - began) / 1000);
  const { admin, fixture_password: password } = credentials;
  console.log(`
The demo world is served until Ctrl C. Open

  traces     ${ui}e/default/traces#key=${admin.key}
  messaging  ${ui}e/default/messaging  (lena.park@understudy.example, password ${password})

Credentials are in ${file}. docs/ui.md shows the way from a failed run to its cause.`);
}
