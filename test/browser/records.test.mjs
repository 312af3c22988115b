// The tracker and the CRM: lists, boards, pages of one thing, what is changed there, and what happens elsewhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAccessibility, checkWidth, focusOn, live, openPage, until } from './page.mjs';
import { admin, browser, graph, send, server, setUp } from './server.mjs';

setUp('--fixture', 'demo');

const key = (as) => `#key=${server.credentials.admin.key}${as ? `&as=${as}` : ''}`;
const area = (path) => `${server.ui}e/default/${path}`;

/** Checks a screen: no sideways scrolling where it is narrow, and nothing that hinders people at a width. */
const checks = (page, width = 320) => async (what) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await checkWidth(page, `${what}, 320 px`);
  await page.setViewportSize({ width, height: 800 });
  await checkAccessibility(page, `${what}, ${width} px`);
  await page.setViewportSize({ width: 1280, height: 800 });
};

for (const [colorScheme, width] of [['light', 320], ['dark', 1280]]) {
  test(`screens of the tracker: ${colorScheme}`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce' });
    const { page } = p;
    const check = checks(page, width);
    await page.goto(area('tracker') + key());
    await page.getByRole('treegrid', { name: 'Issues' }).getByRole('row').nth(2).waitFor();
    await check('list');
    await page.goto(area('tracker/ENG/list?state=Todo&assignee=none'));
    await page.getByRole('row', { name: /ENG-22/ }).waitFor();
    await page.goto(area('tracker/ENG/list?label=Bug&priority=4&cycle=2'));
    await page.getByText('No issue fits here.').waitFor();
    await check('empty list');
    await page.goto(area('tracker/ENG/board'));
    await page.getByRole('region', { name: 'Todo' }).getByRole('article', { name: /^ENG-17 / }).waitFor();
    await check('board');
    await page.goto(area('tracker/issue/ENG-15'));
    await page.getByRole('heading', { level: 1, name: 'ENG-15 Exports stop half way' }).waitFor();
    await page.getByText('Raised to ten minutes for now.').waitFor();
    await check('issue');
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await check('editing');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Add sub-issue' }).click();
    await page.getByRole('dialog', { name: 'Add sub-issue' }).getByRole('button', { name: 'Create issue' }).waitFor();
    await check('creating');
    await page.goto(area('tracker/issue/ENG-99999'));
    await page.getByRole('heading', { level: 1, name: 'There is no issue ENG-99999' }).waitFor();
    await check('no such issue');
    await p.close();
  });
}

test('an issue is found, changed and talked about by keyboard; looking leaves no trace', async () => {
  const untouched = JSON.stringify(await admin('/environments/default/diff'));
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(area('tracker/ENG/list') + key('lena.park'));
  await page.getByRole('status', { name: 'Acting as Lena Park' }).waitFor();
  const list = page.getByRole('treegrid', { name: 'Issues' });
  await list.getByRole('row', { name: /ENG-15 / }).waitFor();
  await list.focus();
  await page.keyboard.press('ArrowLeft'); // folds the first group
  await list.getByRole('row', { name: /^Backlog/, expanded: false }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/tracker\/issue\/ENG-17/);
  await page.getByLabel('State').waitFor();
  assert.equal(JSON.stringify(await admin('/environments/default/diff')), untouched);
  assert.deepEqual((await admin('/environments/default/requests?client=web')).requests, []);

  await page.getByLabel('State').selectOption({ label: 'In Progress' });
  await page.getByLabel('Priority').selectOption({ label: 'Urgent' });
  await page.getByLabel('Assignee').selectOption({ label: 'Nobody' });
  await page.getByLabel('Add label').selectOption({ label: 'Bug' });
  await page.getByRole('button', { name: 'Remove label Improvement' }).click();
  await page.getByRole('main').getByRole('heading', { name: 'Comments' }).click();
  await page.keyboard.press('c');
  await focusOn(page.getByLabel('Comment (Markdown)'));
  await page.keyboard.type('It **fails** since Monday');
  await page.getByRole('button', { name: 'Add comment' }).click();
  const said = page.getByRole('article', { name: /^Lena Park at/ }).last();
  await said.locator('strong', { hasText: 'fails' }).waitFor();
  // What was chosen is shown before it is stored.
  const acts = async () => (await admin('/environments/default/requests?client=web')).requests;
  await until('five changes and a comment', async () => (await acts()).length >= 6);
  const { issue } = await graph('{ issue(id: "ENG-17") { priority state { name } assignee { id } labels { nodes { name } } comments { nodes { body user { name } } } } }');
  assert.deepEqual(
    { ...issue, labels: issue.labels.nodes.map((l) => l.name).sort(), comments: issue.comments.nodes[0] },
    { priority: 1, state: { name: 'In Progress' }, assignee: null, labels: ['Bug', 'Export'], comments: { body: 'It **fails** since Monday', user: { name: 'Lena Park' } } },
  );
  assert.equal((await acts()).length, 6);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Tell people at once');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'ENG-17 Tell people at once' }).waitFor();

  // What others do appears by itself.
  await live(page);
  await graph('mutation { commentCreate(input: {issueId: "ENG-17", body: "Seen from afar"}) { success } issueUpdate(id: "ENG-17", input: {priority: 4}) { success } }');
  await page.getByText('Seen from afar').waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll('select')].some((s) => s.selectedOptions[0]?.textContent === 'Low'));
  await page.getByRole('button', { name: 'Show cause' }).click();
  await page.getByRole('heading', { level: 1, name: /^Request \d+$/ }).waitFor();
  await page.getByRole('region', { name: 'Request', exact: true }).getByText('tracker.commentCreate, tracker.issueUpdate').waitFor();

  // The quick switcher finds an issue, a record and a page from anywhere.
  const goTo = async (text, option) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Go to' }).fill(text);
    await page.getByRole('option', { name: option }).first().click();
  };
  await goTo('eng-20', /^ENG-20 issue/);
  await page.getByRole('heading', { level: 1, name: 'ENG-20 Sign in with SAML' }).waitFor();
  await page.getByRole('button', { name: 'Clock: running' }).waitFor();
  await page.getByRole('button', { name: 'Show cause' }).click();
  await page.getByRole('alert').getByText('It was there when the environment was created').waitFor();
  await goTo('Silverleaf', /^Silverleaf Clinics companies/);
  await page.getByRole('heading', { level: 1, name: 'Silverleaf Clinics' }).waitFor();
  await page.getByRole('button', { name: 'Clock: running' }).waitFor();
  await goTo('random', '#random channel');
  await page.getByRole('heading', { level: 1, name: '#random' }).waitFor();
  await goTo('snapsh', /^Snapshots world/);
  await page.getByRole('heading', { level: 1, name: 'Snapshots' }).waitFor();
  await p.close();
});

test('cards are moved by menu, by pointer and by others', async () => {
  const p = await openPage(browser, server, { reducedMotion: 'reduce', viewport: { width: 1600, height: 800 } });
  const { page } = p;
  await page.goto(area('tracker/SUP/board') + key());
  const column = (name) => page.getByRole('region', { name, exact: true });
  const card = page.getByRole('article').first();
  await card.waitFor();
  await live(page);
  const name = (await card.getAttribute('aria-label')).split(' ')[0];
  const stands = (state) => column(state).getByRole('article', { name: new RegExp(`^${name} `) });
  await page.getByRole('article', { name: new RegExp(`^${name} `) }).getByRole('button', { name: 'Move to…' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Done' }).focus();
  await page.keyboard.press('Enter');
  await stands('Done').waitFor();
  const state = async () => (await graph(`{ issue(id: "${name}") { state { name } } }`)).issue.state.name;
  await until('the move is stored', async () => (await state()) === 'Done'); // a card is shown in its place before
  await stands('Done').dragTo(column('Todo'));
  await stands('Todo').waitFor();
  await until('the second move is stored', async () => (await state()) === 'Todo');
  await graph('mutation($id: String!) { issueUpdate(id: $id, input: {priority: 1}) { success } }', { id: name });
  await stands('Todo').getByRole('img', { name: 'Urgent' }).waitFor();
  assert.equal(await state(), 'Todo');
  await stands('Todo').focus();
  await page.keyboard.press('b');
  await page.waitForURL(/SUP\/list/);
  await page.getByRole('row', { name: new RegExp(`${name} `) }).waitFor();
  await p.close();
});

test('many and hostile issues: pages are read as one comes to them, nothing breaks the frame', async () => {
  const { teams } = await graph('{ teams { nodes { id key } } }');
  const teamId = teams.nodes.find((t) => t.key === 'WEB').id;
  const make = (issues) => graph('mutation($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }', { input: { issues } });
  for (let n = 0; n < 4; n++) {
    await make(Array.from({ length: 50 }, (_, i) => ({ teamId, title: `Filler ${n * 50 + i}`, priority: 4 })));
  }
  const made = await graph('mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }', {
    input: {
      teamId,
      title: `\u202Eright to left\u200B ${'W'.repeat(200)}`,
      priority: 1,
      description: `<img src=x onerror="document.title='broken'"> [bad](javascript:alert(1)) [good](https://example.com) ![picture](https://example.com/a.png)\n\n${'> '.repeat(300)}deep\n\n${'*'.repeat(5000)}`,
    },
  });
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  let calls = 0;
  page.on('request', (r) => r.url().endsWith('/graphql') && calls++);
  await page.goto(area('tracker/WEB/list') + key());
  const list = page.getByRole('treegrid', { name: 'Issues' });
  await list.getByRole('row').first().waitFor();
  assert.ok(calls <= 3, `${calls} calls for a list: teams, what one chooses from, issues`);
  assert.ok((await list.getByRole('row').count()) < 60, 'only what is in view is drawn');
  await list.focus();
  await until('all are counted', async () => {
    await page.keyboard.press('End');
    await page.waitForTimeout(50);
    await page.keyboard.press('Home');
    return list.getByRole('row', { name: /^Backlog \d{3}$/ }).isVisible();
  });
  await page.goto(area(`tracker/issue/${made.issueCreate.issue.identifier}`));
  await page.getByRole('link', { name: 'good' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'bad' }).count(), 0);
  assert.equal(await page.locator('main img:not([role])').count(), 0);
  await checks(page)('hostile issue');
  await page.goto(area('tracker/WEB/board'));
  await page.getByRole('article', { name: new RegExp(made.issueCreate.issue.identifier) }).waitFor();
  await checks(page)('full board');
  await p.close();
});

const crm = (path, body) => send(body ? 'POST' : 'GET', `${server.credentials.crm.base_url}/api${path}`, body, server.credentials.crm.fixture_token);

for (const [colorScheme, width] of [['light', 1280], ['dark', 320]]) {
  test(`screens of the CRM: ${colorScheme}`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce' });
    const { page } = p;
    const check = checks(page, width);
    await page.goto(area('crm') + key());
    await page.getByRole('table', { name: 'Contacts' }).getByRole('link', { name: 'Anna Albers' }).waitFor();
    await check('contacts');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Job Title (jobtitle)' }).waitFor();
    await check('columns');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('dialog', { name: 'Add filter' }).getByLabel('Operator').waitFor();
    await check('filter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create record' }).click();
    await page.getByRole('dialog', { name: 'Create record' }).getByLabel('First Name').waitFor();
    await check('create');
    await page.goto(area('crm/contacts?q=nobodyhasthisname'));
    await page.getByText('No record fits.').waitFor();
    await check('no contacts');
    await page.goto(area('crm/deals/-/board'));
    await page.getByRole('list', { name: 'Stages' }).getByRole('region', { name: /^Qualified To Buy: \d+$/ }).getByRole('article').first().waitFor();
    const current = page.getByRole('navigation', { name: 'CRM', includeHidden: true }).locator('[aria-current=page]');
    assert.deepEqual(await current.allTextContents(), ['Board'], 'one page is the current one');
    await check('board');
    await page.goto(area('crm/tickets/-/properties'));
    await page.getByRole('table', { name: 'Properties' }).getByText('hs_pipeline_stage').waitFor();
    await check('properties');
    await page.goto(area('crm/owners'));
    await page.getByRole('table', { name: 'Owners' }).getByText('Mara Lindt').waitFor();
    await check('owners');
    await page.goto(area('crm/contacts/1'));
    await page.getByRole('heading', { level: 1, name: 'There is no contact 1' }).waitFor();
    p.expect(/status of 404/);
    await p.close();
  });
}

test('records are found, filtered and sorted by the address; one is read, changed and made', async () => {
  const untouched = JSON.stringify(await admin('/environments/default/diff'));
  const recorded = (await admin('/environments/default/requests?client=web&service=crm')).requests.length;
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(area('crm/contacts') + key('mara.lindt'));
  await page.getByRole('status', { name: 'Acting as Mara Lindt' }).waitFor();
  const table = page.getByRole('table', { name: 'Contacts' });
  await table.getByRole('row').nth(5).waitFor();
  const { total } = await crm('/crm/v3/objects/contacts/search', { limit: 1 });
  await page.getByText(`Total: ${total}`).waitFor();
  await table.getByRole('row').nth(1).focus();
  await until('the rows of the next page', async () => {
    await page.keyboard.press('End');
    return page.evaluate(() => [...document.querySelectorAll('[role=row]')].some((r) => Number(r.getAttribute('aria-rowindex')) > 101));
  });

  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('searchbox', { name: 'Find property' }).fill('jobtitle');
  await page.getByRole('checkbox', { name: 'Job Title (jobtitle)' }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  await table.getByRole('columnheader', { name: 'Job Title' }).waitFor();
  await page.getByRole('button', { name: 'Add filter' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add filter' });
  await dialog.getByLabel('Property').selectOption('lifecyclestage');
  await dialog.getByLabel('Value').selectOption('lead');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Remove filter Lifecycle Stage is Lead' }).waitFor();
  const leads = await crm('/crm/v3/objects/contacts/search', { limit: 1, filterGroups: [{ filters: [{ propertyName: 'lifecyclestage', operator: 'EQ', value: 'lead' }] }] });
  await page.getByText(`Total: ${leads.total}`).waitFor();
  await table.getByRole('button', { name: 'Email' }).click();
  await page.waitForURL(/sort=email/);
  await table.getByRole('columnheader', { name: 'Email' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  await table.getByRole('button', { name: 'Email' }).click();
  await page.waitForURL(/sort=-email/);
  const [last] = (await crm('/crm/v3/objects/contacts/search', { limit: 1, filterGroups: [{ filters: [{ propertyName: 'lifecyclestage', operator: 'EQ', value: 'lead' }] }], sorts: [{ propertyName: 'email', direction: 'DESCENDING' }] })).results;
  await table.getByRole('row').nth(1).getByText(last.properties.email).waitFor();
  await page.reload();
  await table.getByRole('row').nth(1).getByText(last.properties.email).waitFor();
  await table.getByRole('columnheader', { name: 'Job Title' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search contacts' }).fill(last.properties.lastname);
  await page.waitForURL(/q=/);
  // The rows of before stay until those that match have come.
  const matching = await crm('/crm/v3/objects/contacts/search', { limit: 1, query: last.properties.lastname, filterGroups: [{ filters: [{ propertyName: 'lifecyclestage', operator: 'EQ', value: 'lead' }] }] });
  assert.ok(matching.total < leads.total);
  await page.getByText(`Total: ${matching.total}`, { exact: true }).waitFor();
  await table.getByRole('row').nth(1).getByText(last.properties.lastname).first().waitFor();
  await table.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Associations' }).getByRole('region', { name: 'Companies' }).getByText('Primary').waitFor();
  assert.equal(JSON.stringify(await admin('/environments/default/diff')), untouched);
  assert.equal((await admin('/environments/default/requests?client=web&service=crm')).requests.length, recorded, 'looking is not recorded');

  const group = page.getByRole('region', { name: 'Contact information' });
  await group.getByRole('button', { name: 'Edit Job Title' }).click();
  await group.getByLabel('Job Title', { exact: true }).fill('Head of kites');
  await group.getByRole('button', { name: 'Save' }).click();
  await group.getByText('Head of kites').waitFor();
  await group.getByRole('button', { name: 'History of Job Title' }).click();
  await group.getByRole('list', { name: 'History of Job Title' }).getByRole('listitem').nth(1).waitFor();
  await group.getByRole('button', { name: 'Edit Email', exact: true }).click();
  await group.getByLabel('Email', { exact: true }).fill('anna.albers0@rivermill-studio.example');
  await group.getByRole('button', { name: 'Save' }).click();
  await group.getByRole('alert').waitFor(); // somebody else has it: the service's own sentence
  p.expect(/status of 4(00|09)/);
  await group.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Show as JSON' }).click();
  await page.getByRole('dialog', { name: 'Record as JSON' }).getByText('"jobtitle": "Head of kites"').waitFor();
  await page.keyboard.press('Escape');
  await p.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = await until('a text is copied', () => page.evaluate(() => navigator.clipboard.readText()));
  assert.match(curl, /^curl -s 'http.*contacts\/\d+' -H "Authorization: Bearer \$TOKEN"$/);

  await page.getByRole('navigation', { name: 'CRM' }).getByRole('link', { name: 'Deals' }).click();
  await page.getByRole('button', { name: 'Create record' }).click();
  const create = page.getByRole('dialog', { name: 'Create record' });
  const hostile = `\u202E<img src=x onerror=alert(1)> ${'W'.repeat(3900)}`;
  await create.getByLabel('Deal Name').fill(hostile);
  await create.getByLabel('Deal Stage').selectOption('appointmentscheduled');
  await create.getByLabel('Amount', { exact: true }).fill('1234.5');
  await create.getByRole('button', { name: 'Create record' }).click();
  await page.waitForURL(/crm\/deals\/\d+/);
  await page.getByRole('region', { name: 'Associations' }).waitFor();
  const made = await crm(`/crm/v3/objects/deals/${page.url().match(/deals\/(\d+)/)[1]}?properties=dealname,amount`);
  assert.equal(made.properties.dealname, hostile);
  await checks(page)('hostile deal');
  await page.getByRole('button', { name: 'Show cause' }).click();
  await page.getByRole('region', { name: 'Request', exact: true }).getByText('crm.POST /crm/v3/objects/{objectType}').waitFor();

  // A board of few records is one search, with the counts of the search API.
  const searches = [];
  page.on('request', (r) => /objects\/deals\/search/.test(r.url()) && searches.push(r.url()));
  await page.goto(area('crm/deals/-/board'));
  const stages = page.getByRole('list', { name: 'Stages' });
  await stages.getByRole('article').first().waitFor();
  const stage = { propertyName: 'dealstage', operator: 'EQ', value: 'appointmentscheduled' };
  const inStage = await crm('/crm/v3/objects/deals/search', { limit: 1, filterGroups: [{ filters: [stage] }] });
  await stages.getByRole('region', { name: `Appointment Scheduled: ${inStage.total}`, exact: true }).waitFor();
  assert.equal(searches.length, 1);
  const acts = (await admin('/environments/default/requests?client=web&service=crm')).requests;
  assert.equal(acts.length - recorded, 3, 'two edits and a new record');
  await p.close();
});

for (const [colorScheme, width] of [['light', 320], ['dark', 1280]]) {
  test(`projects, cycles and the GraphQL console: ${colorScheme}`, async () => {
    const p = await openPage(browser, server, { colorScheme, reducedMotion: 'reduce' });
    const { page } = p;
    const check = checks(page, width);
    await page.goto(area('tracker/projects') + key());
    await check('projects');
    await page.getByRole('table', { name: 'Projects' }).getByRole('link', { name: 'Reliable exports' }).click();
    await page.getByRole('heading', { level: 1, name: 'Reliable exports' }).waitFor();
    await page.getByRole('table', { name: 'Issues' }).getByRole('link').first().waitFor();
    await check('project');
    await page.goto(area('tracker/ENG/cycles'));
    await page.getByRole('table', { name: 'Cycles' }).getByRole('link', { name: 'Sprint 15' }).waitFor();
    await check('cycles');

    await page.goto(area('tracker/graphql'));
    await page.getByRole('tree', { name: 'Schema' }).getByRole('treeitem', { name: 'Query type' }).waitFor();
    await page.getByLabel('Template', { exact: true }).selectOption('query issues');
    await page.getByRole('textbox', { name: 'Query' }).getByText('identifier').first().waitFor();
    await page.getByRole('button', { name: 'Format' }).click();
    await page.getByRole('textbox', { name: 'Query' }).focus();
    await page.keyboard.press('Control+Enter');
    const reply = page.getByRole('region', { name: 'Reply', exact: true });
    await reply.getByText(/^Status 200/).waitFor();
    await reply.getByText('Requests left').waitFor();
    await check('console');
    await page.getByRole('textbox', { name: 'Query' }).fill('{ viewer { nothing } }');
    await page.getByRole('textbox', { name: 'Query' }).locator('.cm-lintRange-error').waitFor();
    await page.getByRole('searchbox', { name: 'Search schema' }).fill('issueCreate');
    await page.getByRole('treeitem', { name: /^Mutation.issueCreate\(/ }).dblclick();
    await page.getByRole('textbox', { name: 'Variables' }).getByText('teamId').waitFor();
    await page.getByRole('textbox', { name: 'Variables' }).fill('{');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('alert').getByText('Variables are not JSON').waitFor();
    await page.reload();
    await page.getByLabel('History', { exact: true }).selectOption({ index: 1 });
    await page.getByRole('textbox', { name: 'Query' }).getByText('identifier').first().waitFor();
    await p.close();
  });
}

test('a browser gets the console at the GraphQL endpoint, programs what they got before', async () => {
  const endpoint = `${server.credentials.tracker.base_url}/graphql`;
  const program = await fetch(endpoint, { headers: { Accept: 'application/json' } });
  assert.equal(program.headers.get('Allow'), 'POST');
  assert.match(program.headers.get('Content-Type'), /json/);
  const p = await openPage(browser, server, { reducedMotion: 'reduce' });
  const { page } = p;
  await page.goto(endpoint);
  await page.getByRole('heading', { level: 1, name: 'GraphQL console' }).waitFor();
  await page.getByRole('textbox', { name: 'Headers' }).fill(JSON.stringify({ Authorization: server.credentials.tracker.api_key }));
  await page.getByRole('textbox', { name: 'Query' }).fill('{ viewer { name } }');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('region', { name: 'Reply', exact: true }).getByText('"Ada Admin"').waitFor();
  await page.getByRole('definition').first().filter({ hasText: /^2$/ }).waitFor(); // what it cost
  assert.ok(!(await page.evaluate(() => JSON.stringify({ ...localStorage }))).includes('trk_api'), 'headers are not kept');
  await checks(page)('console alone');
  await p.close();
});
