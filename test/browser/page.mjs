// What the tests of screens share: a page that watches itself, and signing in.
import assert from 'node:assert/strict';
import axe from 'axe-core';
import { atFullSpeed, slowDown } from './slow.mjs';

/** How long a test waits for what must come: it says how long a failure takes, not how fast the program is. */
export const patience = 60_000;

/** Repeats a step until it returns something true, and returns that. */
export async function until(what, step, { within = patience, every = 50 } = {}) {
  const end = Date.now() + within;
  for (;;) {
    const found = await step();
    if (found) {
      return found;
    }
    assert.ok(Date.now() < end, `it did not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, every));
  }
}

/** Opens a page in a context of its own; close() fails the test for what its pages should not have done. */
export async function openPage(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(patience);
  await slowDown(context);
  const wrong = []; // in the order in which it came
  const patterns = []; // {pattern, needed, met}
  const note = (what) => wrong.push(what);
  context.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') {
      note(`console: ${m.text()}`);
    }
  });
  context.on('weberror', (e) => note(`error: ${e.error().message}`));
  context.on('request', (r) => {
    const url = new URL(r.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.host !== new URL(server.origin).host) {
      note(`foreign request: ${r.url()}`);
    }
  });
  context.on('response', async (r) => {
    if ((await r.allHeaders().catch(() => ({})))['set-cookie']) {
      note(`cookie: ${r.url()}`);
    }
  });
  const page = await context.newPage();
  const missing = () => patterns.filter((p) => p.needed && !wrong.some((w) => p.pattern.test(w)));
  return {
    page,
    context,
    /** Allows what matches a pattern until close(), which fails where nothing did: it has come, or will come. */
    expect: (pattern) => patterns.push({ pattern, needed: true }),
    /** Allows what matches a pattern until close(), whether it comes or not: which of it comes depends on the moment. */
    allow: (pattern) => patterns.push({ pattern, needed: false }),
    close: async () => {
      await until('what the test expects to go wrong', () => missing().length === 0, { within: 10_000 }).catch(() => {});
      assert.deepEqual(missing().map((p) => String(p.pattern)), [], 'this was expected, and never came');
      assert.deepEqual(await context.cookies(), [], 'the pages set no cookie');
      await context.close();
      assert.deepEqual(wrong.filter((w) => !patterns.some((p) => p.pattern.test(w))), []);
    },
  };
}

/** Fills in the form of signing in and sends it. */
export async function sendSignIn(page, server, email, password) {
  await page.goto(`${server.ui}sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Signs in, and waits until a page is shown. */
export async function signIn(page, server, email, password) {
  await sendSignIn(page, server, email, password);
  // The page of the form has a heading too: it is over when another stands in its place.
  await page.getByRole('heading', { level: 1 }).filter({ hasNotText: /^Sign in$/ }).waitFor();
}

export const signInAsAdmin = (page, server) =>
  signIn(page, server, server.credentials.messaging.admin_email, server.credentials.messaging.admin_password);

const standards = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] };

/**
 * Asserts that nothing serious hinders people who use assistive technology; with rules, by those alone.
 * The checker is loaded once into each document. It looks into the main frame only, and the pages have no other.
 */
export async function checkAccessibility(page, what, rules = []) {
  assert.equal(page.frames().length, 1, `${what} has frames, which are not checked`);
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(axe.source);
  }
  const runOnly = rules.length > 0 ? { type: 'rule', values: rules } : standards;
  const check = () => page.evaluate(async (options) => {
    const { violations, passes } = await window.axe.run(document, options);
    const serious = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
    return {
      passed: passes.length,
      bad: serious.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`),
    };
  }, { runOnly, resultTypes: ['violations'] });
  const { passed, bad } = await atFullSpeed(page, check);
  assert.deepEqual(bad, [], what);
  assert.ok(passed > 0, `${what}: no rule found anything to check`);
}

/** Asserts that a page does not scroll sideways, once what measures itself has done so. */
export async function checkWidth(page, what) {
  const over = () => page.evaluate(() => Math.max(document.documentElement.scrollWidth - innerWidth, 0));
  await until('the width', async () => (await over()) === 0, { within: 10_000 }).catch(() => {});
  assert.equal(await over(), 0, `${what}: so many px of sideways scrolling`);
}

/** Changes the colours that the system prefers, and waits until the page shows them. */
export async function changeColors(page, colorScheme) {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction((scheme) => document.documentElement.dataset.mantineColorScheme === scheme, colorScheme);
}

/**
 * Checks a screen by all rules in the theme that it is opened in, and by that of colours in the other: the themes differ
 * in nothing else. It must not scroll sideways.
 */
export async function checkBothThemes(page, what, colorScheme) {
  const other = colorScheme === 'light' ? 'dark' : 'light';
  await checkAccessibility(page, `${what}, ${colorScheme}`);
  await checkWidth(page, what);
  await changeColors(page, other);
  await checkAccessibility(page, `${what}, ${other}`, ['color-contrast']);
  await changeColors(page, colorScheme);
}

/** Returns the messages whose name matches a pattern. */
export const message = (page, text) => page.getByRole('article', { name: new RegExp(text) });

/** Waits until the live connection is there: nothing is said of it then. */
export const live = (page) => page.waitForFunction(() => document.querySelector('[aria-label=Connection]')?.textContent === '');

/** Waits until something has the focus: keys that are pressed before go elsewhere. */
export async function focusOn(locator) {
  await locator.waitFor();
  await until(`the focus on ${locator}`, () => locator.evaluate((e) => e.contains(document.activeElement)));
}

/** Goes somewhere by g and a letter, which must come soon after it: on a slow machine not with the first try. */
export async function goByKeys(page, letter, url) {
  await until(`g ${letter}`, async () => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press(letter);
    return page.waitForURL(url, { timeout: 3_000 }).then(() => true, () => false);
  });
}
