// What a person sees who starts the program: its last lines, the address at the root, and the link of `understudy ui`.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openPage } from './page.mjs';
import { browser, server, setUp, startServer } from './server.mjs';

setUp('--fixture', 'demo');

const link = async (...args) => {
  const { stdout } = await promisify(execFile)(server.binary, ['ui', '--data', server.data, ...args], { timeout: 120_000 });
  return stdout.trim();
};

test('what the program prints ends with the address of the web UI', () => {
  const printed = server.printed();
  assert.equal(printed.trim().split('\n').at(-1).trim(), `web UI     ${server.ui}`, printed);
});

test('the root leads to the web UI, and its addresses answer as they should', async () => {
  const get = async (path, accept) => {
    const reply = await fetch(server.origin + path, { redirect: 'manual', headers: accept ? { Accept: accept } : {} });
    return { status: reply.status, to: reply.headers.get('Location'), type: reply.headers.get('Content-Type') };
  };
  const html = 'text/html,*/*;q=0.8';
  assert.deepEqual(await get('/', html), { status: 302, to: '/ui/', type: 'text/html; charset=utf-8' });
  assert.match((await get('/', 'application/json')).type, /json/);
  assert.deepEqual([(await get('/ui', html)).status, (await get('/ui', html)).to], [308, '/ui/']);
  assert.equal((await get('/ui/assets/none.js')).status, 404);
  assert.match((await get('/ui/e/default/traces/users/ann@example.com', html)).type, /html/);
  const p = await openPage(browser, server);
  await p.page.goto(server.origin);
  await p.page.getByRole('button', { name: 'Sign in' }).waitFor();
  await p.close();
});

test('the link of understudy ui signs in, as the admin and as somebody', async () => {
  for (const [args, who] of [[[], 'Admin'], [['--as', 'lena.park'], 'Lena Park']]) {
    const p = await openPage(browser, server);
    await p.page.goto(await link(...args));
    await p.page.getByRole('status', { name: `Acting as ${who}` }).waitFor();
    await p.page.getByRole('heading', { name: '#general' }).waitFor();
    assert.ok(!p.page.url().includes('#'), 'the key stays in the address');
    await p.close();
  }
  const p = await openPage(browser, server);
  await p.page.goto(await link('--path', 'worlds'));
  await p.page.getByRole('table', { name: 'Environments' }).waitFor();
  await p.close();
});

test('understudy ui --json prints the same link for programs, on a line that people can read too', async () => {
  const printed = await link('--as', 'lena.park', '--json');
  assert.deepEqual(JSON.parse(printed), { url: await link('--as', 'lena.park') });
  assert.match(printed, /#as=lena\.park&key=adm_/);
});

test('with the key of the server in a variable the link of understudy ui needs no file', async () => {
  const key = randomBytes(32).toString('hex');
  const keyed = await startServer('--key', key);
  const p = await openPage(browser, keyed);
  try {
    const env = { ...process.env, UNDERSTUDY_KEY: key, UNDERSTUDY_ADMIN_URL: `${keyed.origin}/admin/v1`, UNDERSTUDY_DATA: join(keyed.data, 'none') };
    const { stdout } = await promisify(execFile)(keyed.binary, ['ui'], { env, timeout: 120_000 });
    await p.page.goto(stdout.trim());
    await p.page.getByRole('status', { name: 'Acting as Admin' }).waitFor();
  } finally {
    await p.close();
    await keyed.stop();
  }
});
