// Addresses that nobody made: unknown names, wrong types, huge and repeated values. Each is answered by a page that says
// what is wrong, or shows what it can.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, patience } from './page.mjs';
import { browser, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

const huge = 'x'.repeat(6_000);
const odd = encodeURIComponent('\u202e\u0000<script>"\'%\\');
const queries = [
  'period=99x',
  'period=constructor&sort=__proto__&view=toString',
  'period=custom&from=99999999999999999999&to=-1',
  `period=custom&from=${'9'.repeat(400)}`,
  'period=custom&from=2026-13-45T99:99&to=yesterday',
  'period=custom&from=2026-03-02T09:00:00Z&to=2020-01-01T00:00:00Z',
  'period=custom&from=0&to=8640000000000000',
  'period=all&from=5&from=6&period=1h',
  'success=maybe',
  'success=true&success=false',
  'tool=&user_id=&trait.=x&trait.%20=y&metadata.=z',
  `tool=${odd}&trait.${odd}=${odd}`,
  `tool=${huge}`,
  `trait.${huge}=1`,
  Array.from({ length: 60 }, (_, n) => `trait.t${n}=v`).join('&'),
  'project_id=none&model=true&customer_id=null',
  'sort=nonsense&errors=perhaps&q=%25%00&view=sideways&event=none&tab=9',
  'constructor=1&__proto__=2&hasOwnProperty=3&toString=4',
  '%E0%A4%A&=&&&a=b=c',
];
const worldQueries = [
  'service=nothing&method=BREW&status=9xx&since=yesterday&client=%00',
  `q=${huge}`,
  `path=${odd}&principal=${odd}&trace_id=zz`,
  'status=200&status=404&service=crm',
  'from=nothing&to=nothing&change=a.b%20c%20d&without=,,messaging',
  'sort=nonsense&tree=maybe&destination=none',
  '__proto__=2&constructor=1',
];
const recordQueries = ['filter=%7B', `filter=${odd}`, 'filter=email.EQ.', 'sort=nothing&columns=nothing,,__proto__', `q=${huge}`, `columns=${huge}`, 'pipeline=none', `filter=${encodeURIComponent('[{"propertyName":5}]')}`];
const issueQueries = ['state=None&assignee=none&label=None&project=x&cycle=y&priority=z', 'sort=nonsense&group=nonsense', `label=${huge}`, 'priority=-1&cycle=99999999999', `state=${odd}`, '__proto__=1&group=constructor&sort=toString'];

/** Opens addresses one after the other; each must end as a page with a heading that stands in the frame. */
async function visit(paths) {
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${server.ui}worlds#key=${server.credentials.admin.key}`);
  await page.getByRole('table', { name: 'Environments' }).waitFor();
  const bad = [];
  for (const path of paths) {
    const errors = [];
    const note = (e) => errors.push(e.message);
    page.on('pageerror', note);
    await page.goto(server.ui + path);
    const shown = await page
      .waitForFunction(() => document.querySelector('main h1, [role=alert] h2') && !document.querySelector('main .late, main [aria-busy=true]:not([role=feed])'), undefined, { timeout: patience })
      .catch(() => undefined);
    const found = await page.evaluate(() => ({
      failed: document.body.textContent.includes('Something went wrong here'),
      over: Math.max(document.documentElement.scrollWidth - innerWidth, 0),
      frame: document.querySelector('nav[aria-label=Areas]') !== null || document.querySelector('main h1')?.textContent === 'There is no such page',
      text: document.querySelector('main')?.textContent.slice(0, 200),
    }));
    page.off('pageerror', note);
    if (!shown || found.failed || found.over > 0 || !found.frame || errors.length > 0) {
      bad.push({ path: path.slice(0, 160), shown: Boolean(shown), ...found, errors });
    }
  }
  assert.deepEqual(bad, []);
  p.expect(/status of 4\d\d/);
  await p.close();
}

/** Returns addresses of the pages with the queries: each page has every third of them, and the pages together all. */
const ofPages = (pages, list) => pages.flatMap((page, n) => list.filter((_, i) => (i + n) % 3 === 0).map((q) => `${page}?${q}`));

test('filters of traces that nobody would choose', () =>
  visit(ofPages(['', '/sessions', '/tools', '/users', '/events', '/live'].map((page) => `e/default/traces${page}`), queries)));

test('filters of worlds', () =>
  visit(ofPages(['worlds', 'worlds/-/verdicts', ...['', 'requests', 'events', 'deliveries', 'diff', 'snapshots', 'faults'].map((page) => `worlds/default/${page}`)], worldQueries)));

test('filters of records and issues', () =>
  visit([
    ...ofPages(['e/default/crm/contacts', 'e/default/crm/deals/-/board', 'e/default/crm/companies'], recordQueries),
    ...ofPages(['e/default/tracker/ENG/list', 'e/default/tracker/ENG/board', 'e/default/tracker/SUP/list'], issueQueries),
  ]));

test('pages of things that are not there', () =>
  visit([
    ...['__proto__', odd].flatMap((id) => [
      `worlds/default/requests/${id}`, `worlds/default/deliveries/${id}`, `worlds/-/verdicts/${id}`,
      `e/default/traces/sessions/${id}`, `e/default/traces/events/${id}`, `e/default/traces/tools/${id}`, `e/default/traces/users/${id}`,
      `e/default/crm/${id}`, `e/default/crm/contacts/${id}`, `e/default/crm/${id}/-/board`, `e/default/crm/${id}/-/properties`,
      `e/default/tracker/${id}/list`, `e/default/tracker/${id}/board`, `e/default/tracker/${id}/cycles`, `e/default/tracker/issue/${id}`, `e/default/tracker/projects/${id}`,
    ]),
    `e/default/crm/${huge.slice(0, 900)}`, 'worlds/default/requests/..%2f..', 'worlds/none', 'e/none/traces', 'e/none/crm/contacts', 'e/none/tracker/ENG/list', `worlds/${odd}`, `e/${odd}/traces`, 'worlds/default/nothing', 'e/default/nothing',
  ]));
