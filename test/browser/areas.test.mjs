// Traces, worlds, CRM and tracker with what people and programs may send, with very much of it, and with a server that
// is killed and comes back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, live, openPage } from './page.mjs';
import { admin, browser, graph, send, server, setUp } from './server.mjs';

setUp('--fixture', 'demo', '--rate-limits', 'off');

const crm = (path, body) => send('POST', `${server.credentials.crm.base_url}/api${path}`, body, server.credentials.crm.access_token);
const capture = (event) => send('POST', `${server.credentials.ingest.base_url}/api/v1/capture-event`, event, server.credentials.ingest.api_key);
const key = () => `#key=${server.credentials.admin.key}`;

const word = 'w'.repeat(3_000);
const script = '<script>window.hurt = 1</script><img src=x onerror="window.hurt = 2">';
const right = '\u202eevil \u05e9\u05dc\u05d5\u05dd \u2066isolated\u200b\ufeff';
const zalgo = `Z${'\u0351\u036b\u0343'.repeat(60)}`;
const link = 'javascript:window.hurt=3';

test('hostile data breaks no screen of traces, worlds, CRM and tracker', async () => {
  const session = crypto.randomUUID();
  const deep = '['.repeat(100) + ']'.repeat(100);
  const parent = crypto.randomUUID();
  const event = { session_id: session, primitive_type: 'tool', latency: 5, user_id: `${right}${word.slice(0, 180)}`, user_data: { traits: { [script.slice(0, 60)]: word, plan: zalgo } } };
  await capture({ ...event, event_id: parent, primitive_name: `${script.slice(0, 60)}${word.slice(0, 100)}`, args: deep, result: JSON.stringify({ [script]: word, next: link }), success: false, metadata: { 'checkpoint.sent': 1, [right]: word } });
  await capture({ ...event, event_id: crypto.randomUUID(), parent_id: parent, primitive_name: right, args: 'x'.repeat(600_000), result: zalgo });
  const { id: company } = await crm('/crm/v3/objects/companies', { properties: { name: `${script}${word}`, domain: 'hostile.example', description: `${link} ${right}` } });
  const { id: contact } = await crm('/crm/v3/objects/contacts', { properties: { firstname: right, lastname: word, email: 'hostile@example.com', jobtitle: script, website: link } });
  await crm('/crm/v3/properties/deals/groups', { name: 'hostile', label: script }).catch(() => {});
  await crm('/crm/v3/properties/deals', { name: 'hostile', label: `${script}${right}`.slice(0, 100), type: 'enumeration', fieldType: 'select', groupName: 'dealinformation', options: Array.from({ length: 300 }, (_, n) => ({ label: `${n} ${zalgo}`.slice(0, 100), value: `v${n}` })) });
  const { teams } = await graph('{ teams { nodes { id key } } }');
  const labels = Array.from({ length: 40 }, (_, n) => `l${n}: issueLabelCreate(input: {name: ${JSON.stringify(`${n} ${script.slice(0, 40)}${right}`)}}) { issueLabel { id } }`);
  const made = Object.values(await graph(`mutation { ${labels.join(' ')} }`)).map((l) => l.issueLabel.id);
  const { issueCreate } = await graph(`mutation { issueCreate(input: {teamId: "${teams.nodes[0].id}", title: ${JSON.stringify(word.slice(0, 250))}, description: ${JSON.stringify(`${script}\n\n[x](${link}) ![i](${link})\n\n${word}`)}, labelIds: ${JSON.stringify(made)}}) { issue { identifier } } }`);
  const faults = [
    { id: `h${'x'.repeat(60)}`, on: 'request', match: { path: `/${word.slice(0, 300)}`, principal: `${script}${right}` }, when: { nth: Array.from({ length: 50 }, (_, n) => n + 1) }, do: { error: { status: 503, message: `${script}${word.slice(0, 300)}` } } },
    { on: 'request', match: { operation: 'messaging.chat.postMessage', body: { [`/${word.slice(0, 200)}`]: { any_of: [script, right, link] } } }, do: { drop: 'after' } },
  ];
  for (const fault of faults) {
    await admin('/environments/default/faults', fault);
  }
  await fetch(`${server.credentials.messaging.base_url}/api/${encodeURIComponent(script)}?x=${encodeURIComponent(right)}`);
  await admin('/environments', { id: 'hostile', name: `${script}${right}`.slice(0, 100) });
  await admin('/environments/hostile/snapshots', { name: `${right}${script}`.slice(0, 100) });

  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(`${server.ui}worlds${key()}`);
  await page.getByRole('table', { name: 'Environments' }).waitFor();
  const { requests } = await admin('/environments/default/requests?method=POST&limit=5&service=crm');
  const traces = 'e/default/traces';
  const screens = [
    'worlds', 'worlds/hostile', 'worlds/hostile/snapshots', 'worlds/hostile/settings', 'worlds/default/faults', 'worlds/default/requests',
    `worlds/default/requests/${requests[0].seq}`, 'worlds/default/events', 'worlds/default/diff', `worlds/default/requests?q=${encodeURIComponent(script)}`,
    traces, `${traces}/sessions`, `${traces}/sessions/${session}?event=${parent}`, `${traces}/tools`, `${traces}/tools/${encodeURIComponent(right)}`,
    `${traces}/users`, `${traces}/users/${encodeURIComponent(event.user_id)}`, `${traces}/events`, `${traces}?tool=${encodeURIComponent(right)}&trait.plan=${encodeURIComponent(zalgo)}`,
    'e/default/crm/contacts', `e/default/crm/contacts/${contact}`, `e/default/crm/companies/${company}`, 'e/default/crm/deals/-/properties', `e/default/crm/contacts?q=${encodeURIComponent(script)}`,
    `e/default/tracker/issue/${issueCreate.issue.identifier}`, `e/default/tracker/${teams.nodes[0].key}/list`, `e/default/tracker/${teams.nodes[0].key}/board`,
  ];
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const screen of screens) {
      await page.goto(`${server.ui}${screen}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForFunction(() => !document.querySelector('main .late, main [aria-busy=true]'));
      const found = await page.evaluate(() => ({
        hurt: window.hurt,
        wrong: [...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href')).filter((h) => !/^(\/|https?:|mailto:|#)/.test(h)),
        failed: document.body.textContent.includes('Something went wrong here'),
      }));
      assert.deepEqual(found, { hurt: undefined, wrong: [], failed: false }, `${screen} at ${width} px`);
      await checkWidth(page, `${screen} at ${width} px`);
    }
  }
  await page.goto(`${server.ui}worlds/default/faults`);
  await page.getByRole('table', { name: 'Faults' }).getByRole('row').nth(2).waitFor();
  await checkAccessibility(page, 'hostile faults');
  await page.getByRole('button', { name: 'Remove all' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Nothing is broken on purpose here').waitFor();
  await p.close();
});

test('thousands of properties, labels and stages are chosen from, and drawn as far as they are seen', async () => {
  for (let first = 0; first < 1_000; first += 100) {
    await crm('/crm/v3/properties/tickets/batch/create', {
      inputs: Array.from({ length: 100 }, (_, n) => ({ name: `much_${first + n}`, label: `Much ${first + n}`, type: 'string', fieldType: 'text', groupName: 'ticketinformation' })),
    });
  }
  for (let n = 0; n < 20; n++) {
    await crm('/crm/v3/pipelines/tickets', { label: `Pipeline ${n}`, displayOrder: n, stages: Array.from({ length: 50 }, (_, s) => ({ label: `Stage ${s}`, displayOrder: s, metadata: { ticketState: 'OPEN' } })) });
  }
  for (let first = 0; first < 1_000; first += 100) {
    await graph(`mutation { ${Array.from({ length: 100 }, (_, n) => `l${n}: issueLabelCreate(input: {name: "Much ${first + n}"}) { success }`).join(' ')} }`);
  }
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  const nodes = () => page.evaluate(() => document.querySelectorAll('*').length);
  await page.goto(`${server.ui}e/default/crm/tickets/-/properties${key()}`);
  await page.getByLabel('Find property').fill('much_999');
  await page.getByRole('row', { name: /much_999/ }).waitFor();
  await page.getByLabel('Find property').fill('');
  await page.waitForFunction(() => Number(document.querySelector('[role=table]').ariaRowCount) > 1_000);
  assert.ok((await nodes()) < 3_000, 'properties');
  await page.goto(`${server.ui}e/default/crm/tickets/-/board`);
  await page.getByLabel('Pipeline').selectOption('Pipeline 7');
  const stages = page.getByRole('list', { name: 'Stages' });
  await stages.getByRole('region', { name: /^Stage 49/ }).waitFor();
  assert.equal(await stages.getByRole('region').count(), 50);
  await page.goto(`${server.ui}e/default/tracker`);
  await page.getByRole('treegrid', { name: 'Issues' }).waitFor();
  await page.getByLabel('Label', { exact: true }).selectOption('Much 999');
  await page.getByText('No issue fits here').waitFor();
  await p.close();
});

test('a server is killed and comes back under open pages: each goes on, and nothing is missing', async () => {
  const opened = [];
  const open = async (path) => {
    const p = await openPage(browser, server, { reducedMotion: 'reduce' });
    opened.push(p);
    await p.page.goto(`${server.ui}${path}${key()}`);
    await p.page.getByRole('heading', { level: 1 }).waitFor();
    return p.page;
  };
  const session = crypto.randomUUID();
  const tell = (name) => capture({ event_id: crypto.randomUUID(), session_id: session, primitive_name: name, primitive_type: 'tool', latency: 5 });
  await tell('first');
  await crm('/crm/v3/objects/contacts', { properties: { firstname: 'Before', email: 'before@example.com' } });
  const [requests, tail, trace, list, contacts, console] = await Promise.all([
    open('worlds/default/requests?service=crm'),
    open('e/default/traces/live'),
    open(`e/default/traces/sessions/${session}`),
    open('e/default/tracker/ENG/list'),
    open('e/default/crm/contacts?q=after'),
    open('e/default/tracker/graphql'),
  ]);
  await Promise.all([live(tail), live(list), trace.getByRole('row', { name: /^first/ }).waitFor()]);
  await requests.getByRole('table', { name: 'Requests' }).getByRole('row').nth(1).waitFor();
  await tail.waitForFunction(() => document.body.textContent.includes('Waiting for events'));
  await server.kill();
  await requests.getByText('Reconnecting…').first().waitFor();
  await tail.getByText('Reconnecting…').first().waitFor();
  await list.getByText(/Reconnecting…|Offline/).first().waitFor();
  await requests.getByRole('table', { name: 'Requests' }).getByRole('row').nth(1).waitFor(); // what was read stays
  await server.again();
  // What comes before the pages are connected again is not missed.
  await tell('second');
  const { issueCreate } = await graph(`mutation { issueCreate(input: {teamId: "${(await graph('{ teams(filter: {key: {eq: "ENG"}}) { nodes { id } } }')).teams.nodes[0].id}", title: "After the end", priority: 1}) { issue { identifier } } }`);
  await crm('/crm/v3/objects/contacts', { properties: { firstname: 'After', email: 'after@example.com' } });
  await tail.getByRole('feed', { name: 'Live events' }).getByRole('article', { name: /^second/ }).waitFor();
  assert.equal(await tail.getByRole('article', { name: /^second/ }).count(), 1);
  await trace.getByRole('row', { name: /^second/ }).waitFor();
  await requests.getByRole('row', { name: /^POST \/api\/crm\/v3\/objects\/contacts, 201/ }).first().waitFor();
  await list.getByRole('link', { name: `${issueCreate.issue.identifier} After the end` }).waitFor();
  await Promise.all([live(tail), live(list)]);
  // Who acts goes on acting, in areas that hold no connection too.
  await contacts.getByLabel('Search contacts').fill('after@example');
  await contacts.getByRole('link', { name: /After/ }).waitFor();
  await console.getByRole('button', { name: 'Run', exact: true }).click();
  await console.getByRole('region', { name: 'Reply' }).getByText('"viewer"').waitFor();
  for (const p of opened) {
    p.allow(/ERR_|WebSocket|status of (401|403|5\d\d)/); // which of its calls meet the end
    await p.close();
  }
});
