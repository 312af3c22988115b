// What people do who use no mouse, enlarge the page or choose its colours.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, focusOn, goByKeys, live, message, openPage, signInAsAdmin } from './page.mjs';
import { browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo');

const focused = (page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');

/** Asserts that one sees where the focus is: an outline of 2 px, on the element or on what stands around it. */
async function seesFocus(page, what) {
  const width = await page.evaluate(() => {
    let most = 0;
    for (let e = document.activeElement, n = 0; e && n < 3; e = e.parentElement, n++) {
      const s = getComputedStyle(e);
      most = Math.max(most, s.outlineStyle === 'none' ? 0 : Number.parseFloat(s.outlineWidth));
    }
    return most;
  });
  assert.ok(width >= 2, `${what}: the focus is not seen on ${await focused(page)}`);
}

test('signing in, talking, reacting, threading, editing, deleting and searching without a mouse', async () => {
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  const { keyboard } = page;
  await page.goto(server.ui);
  await focusOn(page.getByLabel('Email'));
  await keyboard.type(server.credentials.messaging.admin_email); // the focus begins there
  await keyboard.press('Tab');
  await keyboard.type(server.credentials.messaging.admin_password);
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);

  // The first stop leads past the frame.
  await page.evaluate(() => document.activeElement?.blur());
  await keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to main');
  await seesFocus(page, 'skip');
  await keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'main');

  // Through the regions to the composer.
  for (let i = 0; i < 8 && (await focused(page)) !== 'Message #general'; i++) {
    await keyboard.press('F6');
    await seesFocus(page, 'F6');
  }
  assert.equal(await focused(page), 'Message #general');
  await keyboard.type('By keys alone');
  await keyboard.press('Enter');
  await message(page, 'By keys alone').waitFor();

  // Into the list, to one's message, and what one does with it.
  await keyboard.press('Shift+F6');
  const own = message(page, 'By keys alone');
  await own.focus();
  await keyboard.press('k');
  await page.waitForFunction(() => document.activeElement?.matches('article') && !document.activeElement.textContent.includes('By keys alone'));
  await keyboard.press('j');
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('By keys alone'));
  await seesFocus(page, 'a message');
  await keyboard.press('r');
  await focusOn(page.getByRole('searchbox', { name: 'Search emoji' }));
  await keyboard.type('tada');
  await page.getByRole('grid', { name: 'Emoji' }).getByRole('button').first().and(page.getByRole('button', { name: 'tada' })).waitFor();
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await own.getByRole('button', { name: 'tada, 1 person' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('By keys alone'));

  await keyboard.press('t');
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Reply in thread');
  await keyboard.type('Answered by keys');
  await keyboard.press('Enter');
  await page.getByRole('feed', { name: 'Thread messages' }).getByRole('article', { name: /Answered by keys/ }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('complementary', { name: 'Thread' }).waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.textContent?.includes('By keys alone'));

  // ↑ in the empty composer edits; Del deletes, and the focus goes to the next message.
  await page.getByRole('textbox', { name: 'Message #general' }).focus();
  await keyboard.type('Second by keys');
  await keyboard.press('Enter');
  await message(page, 'Second by keys').waitFor();
  await page.waitForFunction(() => !document.querySelector('article.sending'));
  await keyboard.press('ArrowUp');
  await focusOn(page.getByRole('textbox', { name: 'Edit message' }));
  await keyboard.type(', edited');
  await keyboard.press('Enter');
  await message(page, 'Second by keys, edited').waitFor();
  await message(page, 'Second by keys, edited').focus();
  await keyboard.press('Delete');
  await focusOn(page.getByRole('alertdialog'));
  for (let i = 0; i < 5 && (await focused(page)) !== 'Delete'; i++) {
    await keyboard.press('Tab');
  }
  assert.equal(await focused(page), 'Delete');
  await keyboard.press('Enter');
  await message(page, 'Second by keys').waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.matches('article'));

  // Home and End are the ends of the channel.
  await keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('.feed-box .scroller')?.scrollTop === 0);
  await keyboard.press('End');
  await page.waitForFunction(() => {
    const e = document.querySelector('.feed-box .scroller');
    return e && e.scrollHeight - e.scrollTop - e.clientHeight < 2;
  });

  // To another conversation, the list of keys, search, and another area.
  await keyboard.press('Control+k');
  await focusOn(page.getByRole('combobox', { name: 'Go to' }));
  await keyboard.type('random');
  await page.getByRole('option', { name: '#random' }).waitFor();
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: '#random' }).waitFor();
  await keyboard.press('Alt+ArrowUp');
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: '#random' }).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
  await keyboard.press('/');
  await focusOn(page.getByRole('searchbox', { name: 'Search messages' }));
  await keyboard.type('layout engine');
  await keyboard.press('Enter');
  await page.getByRole('status').getByText('Matches: 1').waitFor();
  await goByKeys(page, 'w', /\/(worlds|sign-in)\b/);
  await page.getByRole('heading', { name: /Sign in|Environments/ }).waitFor();
  await p.close();
});

test('a message that has the focus while it is sent stays the one from which keys go on', async () => {
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);
  let send;
  const held = new Promise((resolve) => (send = resolve));
  await page.route('**/api/chat.postMessage', async (route) => {
    await held;
    await route.continue();
  });
  const box = page.getByRole('textbox', { name: 'Message #general' });
  await box.fill('Focused while it is sent');
  await box.press('Enter');
  const own = message(page, 'Focused while it is sent');
  await own.focus();
  const draft = await own.getAttribute('data-ts');
  send();
  await page.locator('article:not(.sending)').filter({ hasText: 'Focused while it is sent' }).waitFor();
  assert.notEqual(await own.getAttribute('data-ts'), draft, 'it was stored under the ts of its draft');
  await page.keyboard.press('k');
  await page.waitForFunction(() => document.activeElement?.matches('article') && !document.activeElement.textContent.includes('Focused while'));
  await p.close();
});

test('at 200 % everything is there, and nothing scrolls sideways', async () => {
  // 1,280 px of screen at 200 % are 640 px of page.
  const p = await openPage(browser, server, { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2, reducedMotion: 'reduce' });
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('article').first().waitFor();
  await checkWidth(page, 'conversation');
  await checkAccessibility(page, '200 %');
  const box = page.getByRole('textbox', { name: 'Message #general' });
  await box.fill('Large letters');
  await page.getByRole('button', { name: 'Send' }).click();
  await message(page, 'Large letters').waitFor();
  assert.ok(await message(page, 'Large letters').isVisible());
  await page.getByRole('button', { name: 'Open the list of conversations' }).click();
  await page.getByRole('link', { name: 'random', exact: true }).click();
  await page.getByRole('heading', { name: '#random' }).waitFor();
  await checkWidth(page, 'another channel');
  await p.close();
});

test('with the colours of the system, what is chosen and focused is still seen', async () => {
  const p = await openPage(browser, server, { forcedColors: 'active', contrast: 'more', reducedMotion: 'reduce' });
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('article').first().waitFor();
  for (const selector of ['.rail-link[aria-current="page"]', '.entry[aria-current="page"]']) {
    assert.equal(await page.locator(selector).first().evaluate((e) => getComputedStyle(e).outlineStyle), 'solid', selector);
  }
  await page.getByRole('textbox', { name: 'Message #general' }).focus();
  await seesFocus(page, 'composer');
  await checkAccessibility(page, 'forced colours');
  await p.close();
});
