// What came of runs of `understudy run`, in the browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changeColors, checkAccessibility, checkWidth, openPage } from './page.mjs';
import { admin, browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

const task = (name) => `task: ${name}
world: {environment: default}
instruction: Say hello in #general.
limits: {seconds: 100}
expect:
  - {name: a greeting, inserted: messaging.message, where: {channel: "#general", text: hello}}
nothing_else: true
`;

/** Plays a task and returns the exit status. */
function run(name, text, ...flags) {
  const file = join(server.data, `${name}.yaml`);
  writeFileSync(file, task(name));
  const say = `echo to the agent: ${text}; curl -sS "\${SLACK_API_URL}chat.postMessage" -H "Authorization: Bearer $SLACK_BOT_TOKEN" -d channel=general --data-urlencode "text=${text}"`;
  return spawnSync(server.binary, ['run', '--data', server.data, ...flags, file, '--', 'sh', '-c', say], { timeout: 300_000 }).status;
}

const report = (body) => admin('/environments/default/verdicts', body);

test('what came of runs is found, read and followed into the fork', async () => {
  assert.equal(run('greeting', 'hello', '-n', '2'), 0);
  assert.equal(run('mistaken', 'goodbye', '--keep'), 1);
  const name = `${'\u202e'}${'\u05e9\u05dc\u05d5\u05dd'.repeat(40)}`;
  await report({ task: name, run: 1, series: 's'.repeat(200), state: 'error', reason: 'x'.repeat(5_000), output: `${'o'.repeat(60_000)}\u001b[31m<script>`, answer: 'a'.repeat(3_000) });

  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${server.ui}worlds#key=${server.credentials.admin.key}`);
  await page.getByRole('link', { name: 'Verdicts of runs' }).click();
  const table = page.getByRole('table', { name: 'Verdicts' });
  await table.getByRole('row', { name: 'greeting, run 2, passed' }).waitFor();
  await page.getByRole('status').getByText('2 of 4 passed').waitFor();
  await checkAccessibility(page, 'verdicts of runs');

  // Filters stand in the address.
  await page.getByLabel('State').selectOption('failed');
  await page.waitForURL(/state=failed/);
  await table.getByRole('row', { name: /greeting/ }).first().waitFor({ state: 'detached' });
  const failed = table.getByRole('row', { name: 'mistaken, run 1, failed' });
  await failed.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'mistaken, run 1' }).waitFor();

  // The checks, with what came nearest and which request it was of.
  const checks = page.getByRole('list', { name: 'Checks' });
  await checks.getByRole('listitem').filter({ hasText: 'a greeting' }).getByText('wanted "hello", found "goodbye"').waitFor();
  await page.getByRole('region', { name: 'Output of the command' }).getByText('to the agent: goodbye').waitFor();
  await checkAccessibility(page, 'a run');
  await changeColors(page, 'dark');
  await checkAccessibility(page, 'a run in dark colours', ['color-contrast']);
  await changeColors(page, 'light');
  await checks.getByRole('link', { name: 'messaging.chat.postMessage' }).first().click();
  await page.getByRole('heading', { level: 1, name: /^Request \d+/ }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Diff' }).click();
  await page.getByText('messaging: 1 message added').waitFor();
  await page.goBack();

  // The fork of a run that was not kept is gone; its evidence is not.
  await page.goto(`${server.ui}worlds/-/verdicts?task=greeting`);
  await table.getByRole('link').first().click();
  await page.getByText('is gone. understudy run --keep leaves it').waitFor();
  await checks.getByText(/by request \d+ messaging\.chat\.postMessage/).first().waitFor();
  assert.equal(await checks.getByRole('link').count(), 0);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('status').getByText('The verdict was deleted.').waitFor();
  await page.getByRole('status').getByText('1 of 3 passed').waitFor();

  // What anybody may report breaks no frame.
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${server.ui}worlds/-/verdicts?state=error&environment=default`);
  await table.getByRole('link').first().click();
  await page.getByText('This run was not graded').waitFor();
  await checkWidth(page, 'a hostile run');
  await checkAccessibility(page, 'a hostile run at 320 px');
  await p.close();
});
