// What people and programs may send, on every screen that shows it; refusals for
// a time; and a break in which more was said than a page holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, live, message, openPage, signInAsAdmin, until } from './page.mjs';
import { browser, send, server, setUp } from './server.mjs';

let base;

setUp('--fixture', 'demo', '--rate-limits', 'off', () => {
  base = server.credentials.messaging.base_url;
});

const call = (method, body) => send('POST', `${base}/api/${method}`, body, server.credentials.messaging.user_token);

const word = 'w'.repeat(3_000);
const script = '<script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">';
const texts = [
  word,
  script,
  '[x](javascript:window.hurt=3) <javascript:window.hurt=4|press me> javascript:window.hurt=5',
  '\u202eevil \u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627 \u2066isolated',
  'zero\u200bwidth\u200b\u200b\ufeff and \u0000NUL'.replace('\u0000', ''),
  `Z${'\u0351\u036b\u0343\u036a\u0302'.repeat(200)}`,
  '*'.repeat(800) + '_'.repeat(800) + '`'.repeat(300) + '>'.repeat(300),
  '\n'.repeat(500) + 'below',
  `\`\`\`${'const x = 1;\n'.repeat(3_000)}\`\`\``, // about 40 KB
  'x '.repeat(19_000),
];

test('hostile text breaks no screen', async () => {
  const { channel } = await call('conversations.create', { name: `h${'x'.repeat(78)}` });
  await call('conversations.setTopic', { channel: channel.id, topic: script + word.slice(0, 100) });
  const sent = [];
  for (const text of texts) {
    sent.push((await call('chat.postMessage', { channel: channel.id, text })).ts);
  }
  for (const text of [script, word]) {
    await call('chat.postMessage', { channel: channel.id, thread_ts: sent[1], text });
  }
  await call('reactions.add', { channel: channel.id, timestamp: sent[0], name: 'tada' });
  await call('chat.postMessage', {
    channel: channel.id,
    text: 'blocks',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: script + word.slice(0, 2_800) }, accessory: { type: 'button', action_id: 'a', text: { type: 'plain_text', text: 'b'.repeat(75) } } },
      { type: 'image', image_url: 'https://images.invalid/x.png', alt_text: word.slice(0, 1_900) },
      { type: 'context', elements: Array.from({ length: 10 }, () => ({ type: 'mrkdwn', text: word.slice(0, 300) })) },
      { type: 'section', fields: Array.from({ length: 10 }, (_, i) => ({ type: 'mrkdwn', text: `${i} ${word.slice(0, 300)}` })) },
    ],
  });
  await call('users.profile.set', { profile: { display_name: `${word.slice(0, 70)}`, title: script, status_text: '\u202eסטטוס' } });
  const p = await openPage(browser, server, { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('article').first().waitFor();
  const team = page.url().split('/')[6];
  const area = `${server.ui}e/default/messaging/${team}`;
  const me = (await call('auth.test', {})).user_id;
  const screens = [
    `${channel.id}`,
    `${channel.id}?at=${sent[0]}`,
    `${channel.id}?at=${sent[8]}`,
    `${channel.id}?thread=${sent[1]}`,
    `${channel.id}?pane=details`,
    `${channel.id}?pane=members`,
    `${channel.id}?pane=profile&user=${me}`,
    '-/unreads',
    '-/threads',
    '-/channels',
    '-/people',
    `-/search?q=${encodeURIComponent('below')}`,
    `-/search?q=${encodeURIComponent(`${script} \u202e"`)}`,
  ];
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const screen of screens) {
      await page.goto(`${area}/${screen}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await checkWidth(page, `${screen} at ${width} px`);
      assert.equal(await page.evaluate(() => window.hurt), undefined, `${screen}: a script ran`);
      const places = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((h) => !/^(\/ui\/|https?:|mailto:|#)/.test(h)));
      assert.deepEqual(places, [], `${screen}: links lead elsewhere`);
      assert.equal(await page.getByText('Something went wrong here').count(), 0, screen);
    }
  }
  await page.goto(`${area}/${channel.id}?at=${sent[1]}`);
  await message(page, 'window.hurt = 1').first().waitFor();
  await checkAccessibility(page, 'hostile');

  // A message that is taller than the window is read through by the arrow keys, and nothing jumps.
  await page.goto(`${area}/${channel.id}?at=${sent[8]}`);
  const tall = page.locator(`[data-ts="${sent[8]}"]`);
  await tall.waitFor();
  await tall.focus();
  const top = () => page.evaluate(() => document.querySelector('.feed-box .scroller').scrollTop);
  const began = await top();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((t) => document.querySelector('.feed-box .scroller').scrollTop > t, began);
  assert.ok(await tall.evaluate((e) => e === document.activeElement));
  await p.close();
});

test('a refusal for a time counts down and is repeated by itself', async () => {
  const p = await openPage(browser, server);
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('heading', { name: '#general' }).waitFor();
  await live(page);
  const once = async (url, body) => {
    let refused = false;
    await page.route(url, (route) => {
      if (refused) {
        return route.continue();
      }
      refused = true;
      return route.fulfill({ status: 429, headers: { 'Retry-After': '2', 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
    });
  };
  await once('**/api/chat.postMessage', { ok: false, error: 'ratelimited' });
  const box = page.getByRole('textbox', { name: 'Message #general' });
  await box.fill('Too soon');
  await box.press('Enter');
  await message(page, 'Too soon').getByText('It is sent again in 2 s').waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('article')].some((a) => a.textContent.includes('Too soon') && !/sending|failed/.test(a.className)));
  assert.equal(await message(page, 'Too soon').count(), 1);

  await once('**/api/client/channels?*', { error: 'ratelimited', message: 'Too many requests.' });
  await page.getByRole('button', { name: 'Browse channels' }).click();
  await page.getByRole('alert').getByText('It is read again in 2 s').waitFor();
  await page.getByRole('button', { name: 'Leave random' }).or(page.getByRole('button', { name: 'Join random' })).waitFor();
  p.expect(/status of 429/);
  await p.close();
});

test('a long draft grows the box, and the end of the feed stays in view', async () => {
  const p = await openPage(browser, server, { viewport: { width: 1100, height: 500 }, reducedMotion: 'reduce' });
  const { page } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('link', { name: 'general', exact: true }).click();
  await page.getByRole('article').first().waitFor();
  await live(page);
  const below = () => page.evaluate(() => {
    const e = document.querySelector('.feed-box .scroller');
    return e.scrollHeight - e.scrollTop - e.clientHeight;
  });
  await page.getByRole('article').last().focus();
  await page.keyboard.press('End');
  await page.waitForFunction(() => {
    const e = document.querySelector('.feed-box .scroller');
    return e.scrollHeight > e.clientHeight && e.scrollHeight - e.scrollTop - e.clientHeight < 2;
  });
  const box = page.getByRole('textbox', { name: 'Message #general' });
  const low = (await box.boundingBox()).height;
  await box.fill('What is written here is longer than a line. '.repeat(12));
  await page.waitForFunction((h) => document.querySelector('.composer textarea').offsetHeight > h + 30, low);
  await until('the end of the feed is in view', async () => (await below()) < 2);
  await box.fill('');
  await p.close();
});

test('more than a page is said during a break, and nothing is missing', async () => {
  const p = await openPage(browser, server);
  const { page, context } = p;
  await signInAsAdmin(page, server);
  await page.getByRole('link', { name: 'random', exact: true }).click();
  await page.getByRole('heading', { name: '#random' }).waitFor();
  await page.getByRole('article').first().waitFor();
  await live(page);
  const random = page.url().split('/').pop().split('?')[0];
  await context.setOffline(true);
  await page.evaluate(() => dispatchEvent(new Event('offline')));
  const numbers = Array.from({ length: 260 }, (_, i) => i);
  for (const n of numbers) {
    await call('chat.postMessage', { channel: random, text: `During the break ${n}.` });
  }
  await context.setOffline(false);
  await message(page, 'During the break 259').first().waitFor();
  // From the end to the beginning, each is there once.
  const seen = new Map();
  await until('the first of them', async () => {
    for (const [n, ts] of await page.evaluate(() =>
      [...document.querySelectorAll('article[data-ts]')].map((a) => [Number(/During the break (\d+)/.exec(a.textContent)?.[1] ?? -1), a.dataset.ts]),
    )) {
      assert.ok(n < 0 || (seen.get(n) ?? ts) === ts, `message ${n} is there twice`);
      seen.set(n, ts);
    }
    await page.evaluate(() => document.querySelector('.feed-box .scroller').scrollBy(0, -500));
    return seen.has(0);
  }, { every: 60, within: 120_000 });
  assert.deepEqual(numbers.filter((n) => !seen.has(n)), []);
  p.allow(/ERR_INTERNET_DISCONNECTED|WebSocket/); // it may ask for nothing while it is away
  await p.close();
});
