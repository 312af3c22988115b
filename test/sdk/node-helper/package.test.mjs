// The package as people have it: packed, installed into an empty folder, with types.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { binary, serve } from '../process.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const HELPER = fileURLToPath(new URL('../../../clients/node', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../../docs/tasks/approvals', import.meta.url));
let folder;

/** Runs a program in the folder: {status, stdout, output}, the last being both streams. Variables of Understudy are those that are given alone. */
function run(program, args, variables = {}) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(UNDERSTUDY_|NODE_TEST)/.test(name)));
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, env: { ...env, ...variables }, timeout: 180_000 },
      (error, stdout, stderr) => resolve({ status: error ? error.code ?? error.signal : 0, stdout, output: stdout + stderr }));
  });
}

const node = (...args) => run(process.execPath, args, { UNDERSTUDY_BIN: binary() });

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-helper-'));
  writeFileSync(join(folder, 'package.json'), '{"name": "somebodys", "private": true, "type": "module"}');
  const packed = await run('npm', ['pack', '--json', '--pack-destination', folder, HELPER]);
  const [{ filename, files }] = JSON.parse(packed.stdout);
  assert.deepEqual(files.map((f) => f.path).sort(), ['README.md', 'cli.js', 'index.d.ts', 'index.js', 'package.json', 'person.js', 'server.js', 'verdict.js']);
  const installed = await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`]);
  assert.equal(installed.status, 0, installed.output);
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')), ['understudy-test'], 'it has no dependencies');
  symlinkSync(join(HERE, 'node_modules', '@slack'), join(folder, 'node_modules', '@slack'));
  cpSync(EXAMPLE, folder, { recursive: true });
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('a Bolt app is tested with a command, a click and deliveries that come twice', async () => {
  const { status, output } = await node('--test', 'approvals.test.mjs');
  assert.equal(status, 0, output);
  assert.match(output, /# pass 2/);
});

test('a Bolt app that does something else fails, with the evidence', async () => {
  const right = readFileSync(join(folder, 'bot.mjs'), 'utf8');
  const wrong = right.replace('was approved by', 'was seen by').replace('answered.add(body.event_id);', '');
  assert.notEqual(wrong, right);
  writeFileSync(join(folder, 'wrong.mjs'), wrong);
  const { status, output } = await run(process.execPath, ['--test', 'approvals.test.mjs'], { UNDERSTUDY_BIN: binary(), BOT: 'wrong.mjs' });
  assert.equal(status, 1, output);
  assert.match(output, /# fail 2/);
  assert.match(output, /plain is "42 was seen by @lena\.park", wanted \{"contains":"approved by @lena\.park"\} \(request \d+ messaging\.chat\./);
  assert.match(output, /expect\[\d\]: 2 messages/, 'answered twice');
});

test('a Bolt app is tested by a task', async () => {
  const { status, output } = await run(binary(), ['task', 'check', 'approvals.yaml']);
  assert.equal(status, 0, output);
  assert.match(output, /approvals: doing nothing passes; the solution passes twice/);
  // wrong.mjs is what the test before this one has written
  writeFileSync(join(folder, 'wrong.yaml'), readFileSync(join(folder, 'approvals.yaml'), 'utf8').replace('bot.mjs', 'wrong.mjs'));
  const failed = await run(binary(), ['run', 'wrong.yaml', '--', 'true']);
  assert.equal(failed.status, 1, failed.output);
  assert.match(failed.output, /FAILED +approvals 1\/1 .*the question says who approved: no message matched; the nearest differs in plain/);
});

test('the README', async () => {
  const [, example] = /```js\n([\s\S]*?)```/.exec(readFileSync(join(HELPER, 'README.md'), 'utf8'));
  writeFileSync(join(folder, 'readme.test.mjs'), example);
  const { status, output } = await node('--test', 'readme.test.mjs');
  assert.equal(status, 0, output);
  writeFileSync(join(folder, 'readme.test.mjs'), example.replace("text: '@tom.okafor'", "text: 'nobody'"));
  const failed = await node('--test', 'readme.test.mjs');
  assert.equal(failed.status, 1);
  assert.match(failed.output, /the nearest differs in plain/);
});

test('its types', async () => {
  writeFileSync(join(folder, 'use.ts'), `
import { explain, fork, UnderstudyError, type Verdict, type World } from 'understudy-test';
await using w: World = await fork({ fixture: 'demo', seed: 7, destinations: { 'http://bot.invalid': 'http://127.0.0.1:1' }, rate_limits: 'real' });
const { ts, channel }: { ts: string; channel: string } = await w.person('messaging/jon.abel').say('#general', 'hello');
await w.person('lena.park', { tenant: 'T1' }).click({ channel, ts }, 'approve', { block_id: 'b' });
await w.person('lena.park').wait({ channel, text: { contains: 'x', ignoring: ['case'] } }, { timeout_ms: 5 });
const v: Verdict = await w.expect([{ inserted: 'messaging.message', where: { ts, plain: { contains: 'x' } }, count: { at_least: 1 } }], { nothing_else: true, trajectory: [{ at_most: 4 }] });
await w.nothingElse({ except: [{ inserted: 'messaging.reaction' }], consequences: 'listed' });
const [first] = (await w.fault([{ on: 'delivery', match: { event: 'message' }, when: { probability: 0.2 }, do: { duplicate: 1 } }])).faults;
const url: string = w.credentials.messaging.api_url + explain(v) + (await w.env()).SLACK_BOT_TOKEN + first?.fired + w.credentials.messaging.apps?.[0]?.bot_token;
const joins: string[] = (await w.trace('-')).turns.flatMap((t) => t.requests.map((r) => r.join));
try { await w.settle({ quiet_ms: 5 }); } catch (e) { if (e instanceof UnderstudyError) throw new Error([e.code, url, joins].join()); }
// @ts-expect-error a fixture is a text
await fork({ fixture: 7 });
// @ts-expect-error there is no such act
await w.person('lena.park').sing('a song');
// @ts-expect-error a count is a number or bounds
await w.expect({ inserted: 'messaging.message', count: 'many' });
`);
  const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--noUncheckedIndexedAccess', '--lib', 'es2022,esnext.disposable'];
  const { status, output } = await run(process.execPath, [join(HERE, 'node_modules', 'typescript', 'bin', 'tsc'), ...strict, 'use.ts']);
  assert.equal(status, 0, output);
});

test('without a program it says in one line what to do', async () => {
  const line = /understudy was not found: put the program on PATH or name it in UNDERSTUDY_BIN, or use a server that runs with UNDERSTUDY_ADMIN_URL and UNDERSTUDY_ADMIN_KEY/;
  mkdirSync(join(folder, 'empty'), { recursive: true });
  const cli = join(folder, 'node_modules', '.bin', 'understudy-test');
  const asked = await run(process.execPath, [cli, 'serve'], { PATH: join(folder, 'empty') });
  assert.equal(asked.status, 1);
  assert.match(asked.output, line);
  assert.equal(asked.output.trim().split('\n').length, 1);
  const forked = await run(process.execPath, ['-e', "import('understudy-test').then((u) => u.fork()).catch((e) => console.log(e.message))"], { PATH: join(folder, 'empty'), TMPDIR: join(folder, 'empty') });
  assert.match(forked.output, line);
  assert.deepEqual(readdirSync(join(folder, 'empty')), []);
  const wrong = await run(process.execPath, [cli, 'serve'], { UNDERSTUDY_BIN: '/nowhere/understudy' });
  assert.equal(wrong.output.trim(), 'understudy-test: UNDERSTUDY_BIN names no program: /nowhere/understudy');
  const keyless = await run(process.execPath, ['-e', "import('understudy-test').then((u) => u.fork()).catch((e) => console.log(e.message))"], { UNDERSTUDY_ADMIN_URL: 'http://127.0.0.1:1/admin/v1' });
  assert.match(keyless.output, /UNDERSTUDY_ADMIN_KEY must hold/);
});

test('npx understudy-test serve runs the program, and hands signals and the exit status on', async () => {
  const cli = join(folder, 'node_modules', '.bin', 'understudy-test');
  const bin = join(folder, 'path');
  mkdirSync(bin);
  symlinkSync(binary(), join(bin, 'understudy'));
  const child = spawn(process.execPath, [cli, 'serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'served')], { env: { PATH: bin }, stdio: ['ignore', 'pipe', 'inherit'] });
  const [greeting] = await once(child.stdout, 'data');
  assert.match(`${greeting}`, /understudy is ready/);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.equal((await run(process.execPath, [cli, 'serve', '--nonsense'], { PATH: bin })).status, 2);
});

test('a server of its own ends with the process, however that ends', async () => {
  const temporary = join(folder, 'temporary');
  mkdirSync(temporary);
  const script = "const { fork } = await import('understudy-test'); const w = await fork(); console.log(w.url);";
  const use = (text) => run(process.execPath, ['--input-type=module', '-e', text], { UNDERSTUDY_BIN: binary(), TMPDIR: temporary });
  const [ended, killed] = await Promise.all([use(script), use(`${script} process.kill(process.pid, 'SIGKILL');`)]);
  assert.deepEqual([ended.status, killed.status], [0, 'SIGKILL']);
  for (const began = Date.now(); ;) {
    const answers = await Promise.all([ended, killed].map(({ stdout }) => fetch(stdout.trim()).then(() => true, () => false)));
    if (!answers.includes(true) && readdirSync(temporary).length === 0) break;
    assert.ok(Date.now() - began < 60_000, `still there: ${answers}, ${readdirSync(temporary)}`);
    await new Promise((later) => setTimeout(later, 20));
  }
});

test('it uses a server that runs, and leaves nothing there', async () => {
  const s = await serve();
  try {
    const { base_url: url, key } = s.credentials.admin;
    const list = () => fetch(`${url}/environments`, { headers: { Authorization: `Bearer ${key}` } }).then((r) => r.json()).then((r) => r.environments.map((e) => e.id));
    const attached = { UNDERSTUDY_ADMIN_URL: `${url}/`, UNDERSTUDY_ADMIN_KEY: key, PATH: '/nowhere' };
    const use = (more, script) => run(process.execPath, ['--input-type=module', '-e', `const { fork } = await import('understudy-test');
      const [a, b] = await Promise.all([fork({ fixture: 'demo' }), fork({ fixture: 'demo' })]); console.log(a.id !== b.id, a.url); ${script}`], { ...attached, ...more });
    const gone = await use({}, 'await a.delete(); await a.delete(); await b[Symbol.asyncDispose]();');
    assert.equal(gone.status, 0, gone.output);
    assert.ok(gone.output.includes(`true ${s.url}/e/`));
    assert.deepEqual(await list(), ['default']);
    // Kept: a failed check names the fork's address.
    const kept = await use({ UNDERSTUDY_KEEP: '1' }, "await a.expect({ inserted: 'crm.contact' }).catch((e) => console.log(e.message)); await a.delete();");
    const [, id] = /fork: .*\/e\/(\w+)/.exec(kept.output);
    assert.ok((await list()).includes(id), kept.output);
    const forked = await use({}, `const w = await fork({ environment: '${id}', id: 'mine' }); console.log(w.id); for (const x of [a, b, w]) await x.delete();`);
    assert.match(forked.output, /^mine$/m);
    assert.ok(!(await list()).includes('mine'));
  } finally {
    await s.stop();
  }
});

test('a server that was kept stays and can be ended', async () => {
  const { output } = await run(process.execPath, ['--input-type=module', '-e', "const { fork } = await import('understudy-test'); await (await fork()).delete();"],
    { UNDERSTUDY_BIN: binary(), UNDERSTUDY_KEEP: '1' });
  const [, url, file, pid] = /understudy stays: (\S+), credentials in (\S+); end it with: kill (\d+)/.exec(output);
  try {
    const { admin } = JSON.parse(readFileSync(file, 'utf8'));
    const [, world] = /understudy keeps \S+\/e\/(\w+)/.exec(output);
    assert.equal((await fetch(`${url}/environments/${world}`, { headers: { Authorization: `Bearer ${admin.key}` } })).status, 200);
  } finally {
    process.kill(Number(pid));
    for (const began = Date.now(); await fetch(url).then(() => true, () => false);) assert.ok(Date.now() - began < 60_000, 'it still answers');
    rmSync(join(file, '..'), { recursive: true, force: true });
  }
  assert.ok(!existsSync(file));
});
