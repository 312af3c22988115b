import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkAccessibility, openPage, signInAsAdmin } from './page.mjs';
import { startBrowser, startServer } from './server.mjs';

let server;
let browser;

before(async () => {
  [server, browser] = await Promise.all([startServer('--fixture', 'demo'), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

for (const colorScheme of ['light', 'dark']) {
  for (const width of [320, 768, 1440]) {
    test(`every screen is accessible: ${colorScheme}, ${width} px`, async () => {
      // Without motion: a dialog that is still fading in has the contrast of nothing that people read.
      const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce', viewport: { width, height: 800 } });
      const check = async (what) => {
        await checkAccessibility(p.page, what);
        const over = await p.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${what}: ${over} px of sideways scrolling`);
      };
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
      for (const [path, ready] of [['/-/channels', 'Leave random'], ['/-/people', 'Lena Park'], ['/-/search?q=export', /Understudy|in #/]]) {
        await p.page.goto(area + path);
        await p.page.getByRole('main').getByRole('button', { name: ready }).first().waitFor();
        await check(path);
      }
      await p.page.goto(`${server.ui}preferences`);
      await p.page.getByRole('radio', { name: 'Dark' }).waitFor();
      await check('preferences');
      await p.page.goto(place);
      await p.page.getByRole('article').first().waitFor();
      await p.page.keyboard.press('Control+k');
      await p.page.getByRole('combobox', { name: 'Go to' }).waitFor();
      await check('quick switcher');
      await p.close();
    });
  }
}
