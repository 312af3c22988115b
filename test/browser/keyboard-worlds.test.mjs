// The tasks of people who make worlds and who judge agents, from end to end by keys alone.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { focusOn, goByKeys, live, openPage } from './page.mjs';
import { browser, server, setUp } from './server.mjs';
import { details, play } from './walk.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

const has = (locator) => locator.evaluate((e) => e === document.activeElement).catch(() => false);

/** Presses Tab until something has the focus, which must be seen there. */
async function reach(page, locator, key = 'Tab') {
  await locator.waitFor();
  for (let n = 0; n < 80 && !(await has(locator)); n++) {
    await page.keyboard.press(key);
  }
  assert.ok(await has(locator), `${locator} is not reached by ${key}`);
  const seen = await locator.evaluate((e) => {
    const widths = [e, e.parentElement, e.parentElement?.parentElement].filter(Boolean).map((x) => {
      const s = getComputedStyle(x);
      return s.outlineStyle === 'none' ? 0 : Number.parseFloat(s.outlineWidth);
    });
    return Math.max(...widths) >= 2 || e.matches('input, textarea, select, [contenteditable]');
  });
  assert.ok(seen, `the focus is not seen on ${locator}`);
}

/** Goes to an area: g, then its letter. */
async function area(page, letter, name) {
  await goByKeys(page, letter, letter === 'w' ? /\/ui\/worlds$/ : /\/messaging\b/);
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

test('a world is made, seeded, looked at as somebody, kept, forked, changed, compared, reset and deleted', async () => {
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  const { keyboard } = page;
  const button = (name) => page.getByRole('button', { name, exact: true });
  const link = (name) => page.getByRole('navigation', { name: 'Worlds' }).getByRole('link', { name, exact: true });
  const row = (name) => page.getByRole('table', { name: 'Environments' }).getByRole('row', { name, exact: true });
  const toRow = async (name) => {
    await area(page, 'w', 'Environments');
    await row(name).waitFor();
    const inside = () => page.evaluate(() => document.activeElement?.closest('[role=row][tabindex]') != null);
    for (let n = 0; n < 80 && !(await inside()); n++) {
      await keyboard.press('Tab');
    }
    await keyboard.press('Home');
    for (let n = 0; n < 10 && !(await has(row(name))); n++) {
      await keyboard.press('ArrowDown');
    }
    assert.ok(await has(row(name)), `${name} has the focus`);
  };
  const done = async () => {
    await reach(page, page.getByRole('dialog', { name: 'Credentials' }).getByRole('button', { name: 'Done' }));
    await keyboard.press('Enter');
  };

  await page.goto(`${server.ui}worlds#key=${server.credentials.admin.key}`);
  await row('default').waitFor();
  await reach(page, button('Create environment'));
  await keyboard.press('Enter');
  await reach(page, page.getByRole('dialog', { name: 'Create environment' }).getByLabel('Name'));
  await keyboard.type('Exam');
  await reach(page, page.getByRole('dialog').getByLabel('Fixture'));
  await page.getByRole('dialog').getByLabel('Fixture').getByRole('option', { name: 'demo' }).waitFor({ state: 'attached' }); // they are read
  await keyboard.type('demo');
  await keyboard.press('Tab');
  await reach(page, page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }));
  await keyboard.press('Enter');
  await done();

  await toRow('Exam');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Exam' }).waitFor();
  await reach(page, link('Seed document'), 'Shift+Tab');
  await keyboard.press('Enter');
  await reach(page, page.getByRole('textbox', { name: 'Seed document' }));
  await keyboard.press('Control+a');
  await keyboard.insertText('crm:\n  contacts:\n    grace: {properties: {email: grace@hopper.example}}\n');
  await reach(page, button('Apply'));
  await keyboard.press('Enter');
  await page.getByRole('region', { name: 'Result', exact: true }).getByText('grace').first().waitFor();

  // Around in it as one of its people.
  await area(page, 'm', /^#/);
  await live(page);
  await keyboard.press('Control+k');
  await focusOn(page.getByRole('combobox', { name: 'Go to' }));
  await keyboard.type('Act as');
  await page.getByRole('option', { name: /^Act as/ }).first().waitFor();
  await keyboard.press('Enter');
  await focusOn(page.getByRole('dialog', { name: /^Act as/ }).getByRole('combobox'));
  await keyboard.type('Sara');
  await page.waitForFunction(() => document.querySelectorAll('[role=dialog] [role=option]').length === 1);
  await keyboard.press('Enter');
  await page.getByRole('status', { name: 'Acting as Sara Nilsson' }).waitFor();

  await toRow('Exam');
  await keyboard.press('s');
  await reach(page, page.getByRole('dialog', { name: 'Snapshot of Exam' }).getByLabel('Snapshot name'));
  await keyboard.type('filled');
  await keyboard.press('Enter');
  await page.getByRole('status').getByText('The snapshot filled was made.').waitFor();
  await toRow('Exam');
  await keyboard.press('f');
  await reach(page, page.getByRole('dialog', { name: 'Fork Exam' }).getByLabel('Name', { exact: true }));
  await keyboard.type('Try');
  await keyboard.press('Enter');
  await done();

  await toRow('Try');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Try' }).waitFor();
  await area(page, 'm', /^#/);
  await live(page);
  await page.getByRole('textbox', { name: /^Message #/ }).waitFor();
  for (let n = 0; n < 8 && !(await has(page.getByRole('textbox', { name: /^Message #/ }))); n++) {
    await keyboard.press('F6');
  }
  await keyboard.type('One change');
  await keyboard.press('Enter');
  await page.getByRole('article', { name: /One change/ }).waitFor();
  await toRow('Try');
  await keyboard.press('Enter');
  await reach(page, link('Diff'), 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByText('1 message added').first().waitFor();
  await toRow('Try');
  await keyboard.press('x');
  await reach(page, page.getByRole('alertdialog', { name: 'Reset Try?' }).getByRole('button', { name: 'Reset' }));
  await keyboard.press('Enter');
  await page.getByRole('status').getByText('Try was reset.').waitFor();
  await toRow('Try');
  await keyboard.press('Enter');
  await reach(page, link('Diff'), 'Shift+Tab');
  await keyboard.press('Enter');
  await page.getByText('Nothing has changed').waitFor();

  await toRow('Try');
  await reach(page, button('Actions for Try'));
  await keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  for (let n = 0; n < 6 && !(await has(page.getByRole('menuitem', { name: 'Delete' }))); n++) {
    await keyboard.press('ArrowDown');
  }
  await keyboard.press('Enter');
  await reach(page, page.getByLabel('Name of the environment'));
  await keyboard.type('Try');
  await reach(page, page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }), 'Shift+Tab');
  await keyboard.press('Enter');
  await row('Try').waitFor({ state: 'detached' });
  await p.close();
});

test('from a world to the failing call, what it left behind and the request that did it', async () => {
  await play(join(server.data, 'credentials.json'), 4);
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  const { keyboard } = page;
  await page.goto(`${server.ui}worlds/default#key=${server.credentials.admin.key}`);
  await page.getByRole('heading', { level: 1, name: 'default' }).waitFor();
  await goByKeys(page, 'e', /\/traces\//);
  await details(page).getByText('channel_not_found').first().waitFor();
  const call = page.getByRole('row', { name: /^create_issue,/ });
  for (let n = 0; n < 20 && (await call.getAttribute('aria-selected')) !== 'true'; n++) {
    await keyboard.press('ArrowUp');
  }
  assert.equal(await call.getAttribute('aria-selected'), 'true');
  await keyboard.press('Enter');
  const effects = details(page).getByRole('tab', { name: 'Effects' });
  await reach(page, details(page).getByRole('tab', { selected: true }));
  for (let n = 0; n < 6 && !(await has(effects)); n++) {
    await keyboard.press('ArrowRight');
  }
  await details(page).getByText('tracker issue').waitFor();
  await reach(page, details(page).getByRole('listitem').filter({ hasText: 'tracker issue' }).first().getByRole('link', { name: /^Request \d+$/ }));
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /^Request \d+$/ }).waitFor();
  await page.getByRole('region', { name: 'Changes', exact: true }).getByText('tracker issue').waitFor();
  await p.close();
});
