// Looking changes nothing: after every screen of every area was opened, as one of the people of a seeded world, nothing is
// recorded, nothing differs, and what the world makes next is what it makes where nobody has looked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from './page.mjs';
import { browser, exchange, server, setUp } from './server.mjs';

let key;

setUp('--rate-limits', 'real', () => {
  key = server.credentials.admin.key;
});

const send = (method, path, body, token = key) => exchange(method, server.origin + path, body, token);
const world = async () => (await send('POST', '/admin/v1/environments', { fixture: 'demo', seed: 7, clock: '2026-03-02T09:00:00Z', rate_limits: 'real' })).value;

/** Writes in all services but ingestion, and returns what is drawn from the seed for it. */
async function next(made) {
  const said = await send('POST', `/e/${made.id}/messaging/api/chat.postMessage`, { channel: 'general', text: 'next' }, made.messaging.bot_token);
  const contact = await send('POST', `/e/${made.id}/crm/api/crm/v3/objects/contacts`, { properties: { email: 'next@x.example' } }, made.crm.access_token);
  const ask = (query) => send('POST', `/e/${made.id}/tracker/graphql`, { query }, made.tracker.api_key);
  const { data } = (await ask('{ teams(filter: {key: {eq: "ENG"}}) { nodes { id } } }')).value;
  const issue = await ask(`mutation { issueCreate(input: {title: "next", teamId: "${data.teams.nodes[0].id}"}) { issue { id identifier } } }`);
  return [said.id, said.value.ts, contact.value.id, issue.id, issue.value.data.issueCreate];
}

test('every screen of every area is opened, and the world is as it was', async () => {
  const looked = await world();
  const control = await world();
  const p = await openPage(browser, server);
  const { page } = p;
  const at = (path) => `${server.ui}${path}`;
  await page.goto(`${at(`e/${looked.id}/messaging`)}#key=${key}&as=lena.park`);
  await page.getByRole('status', { name: 'Acting as Lena Park' }).waitFor();
  await page.getByRole('article').first().waitFor();
  const team = looked.messaging.workspace_id;
  const channel = page.url().split('/').pop().split('?')[0];
  const in_ = (area, paths) => paths.map((path) => `e/${looked.id}/${area}${path && `/${path}`}`);
  const screens = [
    ...in_(`messaging/${team}`, [channel, `${channel}?pane=details`, `${channel}?pane=members`, `${channel}?pane=profile&user=${looked.messaging.admin_user_id}`,
      '-/unreads', '-/threads', '-/channels', '-/people', '-/search?q=export', '-/apps', `-/apps/${looked.messaging.app_id}`, '-/webhooks', '-/subscriptions', '-/commands', '-/settings']),
    ...in_('messaging', ['-/workspaces']),
    ...in_('traces', ['', 'sessions', 'tools', 'users', 'events', 'live', 'keys']),
    ...in_('crm', ['contacts', 'companies', 'deals', 'tickets', 'owners', 'deals/-/board', 'contacts/-/properties']),
    ...in_('tracker', ['', 'ENG/list', 'ENG/board', 'ENG/cycles', 'projects', 'issue/ENG-12', 'graphql']),
    ...in_('docs', ['']),
    'worlds',
    ...['', '/requests', '/events', '/deliveries', '/diff', '/snapshots', '/faults', '/verdict', '/seed', '/credentials', '/settings'].map((path) => `worlds/${looked.id}${path}`),
  ];
  for (const screen of screens) {
    await page.goto(at(screen));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
    assert.equal(await page.getByRole('heading', { name: /Something went wrong|is gone|Sign in/ }).count(), 0, screen);
  }
  // The end of a conversation stays in view for longer than it takes to count as read, when one reads oneself.
  await page.goto(at(`e/${looked.id}/messaging/${team}/${channel}`));
  await page.getByRole('article').first().waitFor();
  await page.waitForTimeout(1500);

  const lists = async (path, list) => (await send('GET', `/admin/v1/environments/${looked.id}/${path}`)).value[list];
  assert.deepEqual(await lists('requests', 'requests'), [], 'something was recorded');
  assert.deepEqual(await lists('deliveries', 'deliveries'), []);
  const { value: diff } = await send('GET', `/admin/v1/environments/${looked.id}/diff`);
  assert.deepEqual([diff.inserts, diff.updates, diff.deletes], [[], [], []], 'something was changed');
  assert.deepEqual(await next(looked), await next(control));
  await p.close();
});
