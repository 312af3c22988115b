// The sizes of what a first load brings, from the build's own files. Files with this ending measure: they run when no other does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo');

test('a first load of any route brings at most 260 KiB of scripts and styles', async () => {
  const area = `${server.ui}e/default/messaging`;
  const key = `#key=${server.credentials.admin.key}&as=lena.park`;
  const team = server.credentials.messaging.workspace_id;
  for (const path of [`${server.ui}sign-in`, area + key, `${area}/${team}/-/apps${key}`, `${server.ui}worlds${key}`, `${server.ui}e/default/tracker/ENG/list${key}`, `${server.ui}e/default/crm/contacts${key}`, `${server.ui}e/default/traces${key}`, `${server.ui}preferences`]) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(path);
    await page.locator('h1').first().waitFor();
    await page.waitForLoadState('networkidle');
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter((r) => /\.(js|css)$/.test(new URL(r.name).pathname))
        .reduce((n, r) => n + r.encodedBodySize, 0),
    );
    assert.ok(bytes > 50_000 && bytes <= 260 * 1024, `${path.split('#')[0]}: ${Math.round(bytes / 1024)} KiB`);
    await context.close();
  }
});
