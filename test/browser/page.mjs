// What the tests of screens share: a page that watches itself, and signing in.
import assert from 'node:assert/strict';
import axe from 'axe-core';

/** Opens a page in a context of its own; close() fails the test for what it should not have done. */
export async function openPage(browser, server, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const wrong = [];
  page.on('console', (m) => {
    if (m.type() === 'error' || m.type() === 'warning') {
      wrong.push(`console: ${m.text()}`);
    }
  });
  page.on('pageerror', (e) => wrong.push(`error: ${e.message}`));
  page.on('request', (r) => {
    const url = new URL(r.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.host !== new URL(server.origin).host) {
      wrong.push(`foreign request: ${r.url()}`);
    }
  });
  page.on('response', async (r) => {
    if ((await r.allHeaders().catch(() => ({})))['set-cookie']) {
      wrong.push(`cookie: ${r.url()}`);
    }
  });
  return {
    page,
    context,
    /** Takes back what a test expects to go wrong. */
    expect: (pattern) => {
      for (let i = wrong.length - 1; i >= 0; i--) {
        if (pattern.test(wrong[i])) {
          wrong.splice(i, 1);
        }
      }
    },
    close: async () => {
      assert.deepEqual(await context.cookies(), [], 'the pages set no cookie');
      await context.close();
      assert.deepEqual(wrong, []);
    },
  };
}

export async function signIn(page, server, email, password) {
  await page.goto(`${server.ui}sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
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
  const { passed, bad } = await page.evaluate(async (options) => {
    const { violations, passes } = await window.axe.run(document, options);
    const serious = violations.filter((v) => v.impact === 'serious' || v.impact === 'critical');
    return {
      passed: passes.length,
      bad: serious.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`),
    };
  }, { runOnly, resultTypes: ['violations'] });
  assert.deepEqual(bad, [], what);
  assert.ok(passed > 0, `${what}: no rule found anything to check`);
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
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(over <= 0, `${what}: ${over} px of sideways scrolling`);
  await changeColors(page, other);
  await checkAccessibility(page, `${what}, ${other}`, ['color-contrast']);
  await changeColors(page, colorScheme);
}

/** Returns the messages whose name matches a pattern. */
export const message = (page, text) => page.getByRole('article', { name: new RegExp(text) });

/** Waits until the live connection is there: nothing is said of it then. */
export const live = (page) => page.waitForFunction(() => document.querySelector('[aria-label=Connection]')?.textContent === '');
