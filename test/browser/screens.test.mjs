import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkBothThemes, openPage, signInAsAdmin } from './page.mjs';
import { browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo');

// Without motion: a dialog that is still fading in has the contrast of nothing that people read.
for (const [width, colorScheme, other] of [[320, 'light', 'dark'], [768, 'dark', 'light'], [1440, 'light', 'dark']]) {
  test(`every screen is accessible: ${width} px, ${colorScheme} and ${other}`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 800 } });
    const check = (what) => checkBothThemes(p.page, what, colorScheme);
    await p.page.goto(`${server.ui}sign-up`);
    await p.page.getByRole('button', { name: 'Create account' }).waitFor();
    await check('sign-up');
    await p.page.goto(`${server.ui}sign-in`);
    await p.page.getByLabel('Email').waitFor();
    await check('sign-in');
    await signInAsAdmin(p.page, server);
    await p.page.getByRole('article').first().waitFor();
    await check('conversation');
    const place = p.page.url().split('?')[0];
    await p.page.getByRole('button', { name: /repl(y|ies)$/ }).first().click();
    await p.page.getByRole('feed', { name: 'Thread messages' }).waitFor();
    await check('thread');
    for (const [query, name] of [['pane=details', 'Channel details'], ['pane=members', 'Channel details']]) {
      await p.page.goto(`${place}?${query}`);
      await p.page.getByRole('complementary', { name }).waitFor();
      await check(query);
    }
    const area = place.slice(0, place.lastIndexOf('/'));
    for (const [path, ready] of [['/-/channels', 'Leave random'], ['/-/people', 'Lena Park'], ['/-/search?q=export', /Understudy|in #/],
      ['/-/apps', 'Create an app'], ['/-/webhooks', 'Add incoming webhook'], ['/-/subscriptions', 'Add event subscription'],
      ['/-/commands', 'Add slash command'], ['/-/settings', 'Save settings']]) {
      await p.page.goto(area + path);
      await p.page.getByRole('main').getByRole('button', { name: ready }).first().waitFor();
      await check(path);
    }
    for (const [path, name] of [[`${area}/-/unreads`, 'Unreads'], [`${area}/-/threads`, 'Threads'], [`${server.ui}e/default/messaging/-/workspaces`, 'Workspaces'],
      [`${server.ui}e/default/traces`, 'Traces'], [`${server.ui}e/default/docs`, 'API docs']]) {
      await p.page.goto(path);
      await p.page.getByRole('heading', { level: 1, name }).waitFor();
      await p.page.waitForLoadState('networkidle');
      await check(name);
    }
    await p.page.goto(`${area}/-/apps`);
    await p.page.getByRole('button', { name: 'Create an app' }).click();
    await p.page.getByRole('dialog', { name: 'Create an app' }).getByRole('textbox', { name: 'Manifest' }).waitFor();
    await check('create an app');
    await p.page.goto(`${place}?pane=profile&user=${server.credentials.messaging.admin_user_id}`);
    await p.page.getByRole('complementary', { name: 'Profile' }).waitFor();
    await check('profile');
    await p.page.goto(`${server.ui}preferences`);
    await p.page.getByRole('radio', { name: 'Dark' }).waitFor();
    await check('preferences');
    await p.page.goto(place);
    await p.page.getByRole('article').first().waitFor();
    await p.page.keyboard.press('Control+k');
    await p.page.getByRole('combobox', { name: 'Go to' }).waitFor();
    await check('quick switcher');
    await p.page.keyboard.press('Escape');
    await p.page.goto(`${server.ui}sign-in?by=key`);
    await p.page.getByRole('button', { name: 'Open the console' }).waitFor();
    await check('admin key');
    await p.page.goto(`${area}/-/apps/${server.credentials.messaging.app_id}`);
    await p.page.getByRole('button', { name: 'Edit manifest' }).waitFor();
    await check('app');
    await p.page.goto(`${server.ui}e/default/messaging/-/join#invitation=none`);
    await p.page.getByRole('alert').waitFor();
    await check('join');
    p.expect(/status of 404/);
    await p.page.goto(`${server.ui}worlds#key=${server.credentials.admin.key}`);
    await p.page.getByRole('table', { name: 'Environments' }).waitFor();
    await check('worlds');
    await p.page.goto(`${server.ui}worlds/default/deliveries`);
    await p.page.getByRole('table', { name: 'Deliveries' }).waitFor();
    await check('deliveries');
    await p.close();
  });
}

/** Returns the least contrast of what is not chosen with what it stands on, by its edge or its own ground. */
const contrast = (page) =>
  page.evaluate(() => {
    const parse = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const ground = (e) => {
      for (let at = e.parentElement; at; at = at.parentElement) {
        const c = parse(getComputedStyle(at).backgroundColor);
        if (c.length === 3 || c[3] === 1) {
          return c;
        }
      }
      return [255, 255, 255];
    };
    const edges = [...document.querySelectorAll('.mantine-Checkbox-input:not(:checked), .mantine-Radio-radio:not(:checked)')].map((e) => ratio(parse(getComputedStyle(e).borderTopColor), ground(e)));
    const tracks = [...document.querySelectorAll('.mantine-Switch-input:not(:checked) + .mantine-Switch-track')].map((e) => ratio(parse(getComputedStyle(e).backgroundColor), ground(e)));
    return { count: edges.length + tracks.length, least: Math.min(...edges, ...tracks) };
  });

test('what is not chosen is seen: 3 to 1 in both themes', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce' });
    const { page } = p;
    await page.goto(`${server.ui}e/default/messaging#key=${server.credentials.admin.key}`);
    await page.getByRole('checkbox', { name: 'Mark as read while acting' }).waitFor();
    const seen = async (what) => {
      const { count, least } = await contrast(page);
      assert.ok(count > 0 && least >= 3, `${what}, ${colorScheme}: ${count} boxes, ${least}`);
    };
    await seen('conversation');
    await page.getByRole('button', { name: 'Create a channel' }).click();
    await page.getByRole('dialog').getByText('Private').waitFor();
    await seen('create a channel');
    await page.goto(`${server.ui}preferences`);
    await page.getByRole('radio', { name: 'Dark' }).waitFor();
    await seen('preferences');
    await p.close();
  }
});

test('on a phone the environment and Go to… are there, and panes have the whole width', async () => {
  const p = await openPage(browser, server, { viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${server.ui}e/default/messaging#key=${server.credentials.admin.key}`);
  await page.getByRole('article').first().waitFor();
  await page.getByRole('button', { name: 'Environment: default' }).click();
  await page.getByRole('dialog', { name: 'Environments' }).getByRole('option', { name: /default/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Go to…' }).click();
  await page.getByRole('combobox', { name: 'Go to' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Channel details' }).click();
  const pane = await page.getByRole('complementary', { name: 'Channel details' }).boundingBox();
  assert.equal(Math.round(pane.width), 320);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  await p.close();
});
