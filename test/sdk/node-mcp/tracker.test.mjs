// The seven tracker tools, through the official client and both transports.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { TRANSPORTS, start } from './harness.mjs';

// Names, arguments and required arguments of the reference server.
const REFERENCE = {
  list_teams: [['query', 'limit', 'cursor', 'includeArchived', 'orderBy', 'createdAt', 'updatedAt'], []],
  list_issues: [['query', 'team', 'state', 'assignee', 'project', 'label', 'cycle', 'parentId', 'priority', 'createdAt', 'updatedAt', 'includeArchived', 'orderBy', 'limit', 'cursor'], []],
  get_issue: [['id', 'includeRelations'], ['id']],
  create_issue: [['title', 'team', 'description', 'assignee', 'priority', 'state', 'project', 'labels', 'dueDate', 'cycle', 'parentId', 'estimate'], ['title', 'team']],
  update_issue: [['id', 'title', 'description', 'team', 'assignee', 'priority', 'state', 'project', 'labels', 'dueDate', 'cycle', 'parentId', 'estimate'], ['id']],
  create_comment: [['issueId', 'body', 'parentId'], ['issueId', 'body']],
  list_projects: [['query', 'team', 'state', 'member', 'limit', 'cursor', 'includeArchived', 'orderBy', 'createdAt', 'updatedAt'], []],
};

for (const transport of TRANSPORTS) {
  describe(`tracker tools over ${transport}`, () => {
    let s;
    let t;
    let gql;
    let ids;
    before(async () => {
      s = await start();
      const { tracker } = s.credentials;
      t = await s.tools(transport, 'tracker', tracker.api_key);
      gql = (query, variables) => ask(s, tracker.base_url, tracker.api_key, query, variables);
      const make = (name, input) => gql(`mutation($input: ${name[0].toUpperCase()}${name.slice(1)}Input!) { r: ${name}(input: $input) { ${name.replace('Create', '')} { id } } }`, { input })
        .then((d) => d.r[name.replace('Create', '')].id);
      ids = {};
      ids.eng = await make('teamCreate', { key: 'ENG', name: 'Engineering' });
      ids.ops = await make('teamCreate', { key: 'OPS', name: 'Operations' });
      ids.bug = await make('issueLabelCreate', { name: 'Bug', color: '#ff0000' });
      ids.infra = await make('issueLabelCreate', { name: 'Infra', color: '#00ff00', teamId: ids.ops });
      ids.project = await make('projectCreate', { name: 'Apollo', teamIds: [ids.eng] });
      const at = Date.now();
      ids.cycle = await make('cycleCreate', { teamId: ids.eng, startsAt: new Date(at - 864e5).toISOString(), endsAt: new Date(at + 864e5).toISOString() });
    });
    after(() => s.stop());

    it('says who it acts as', () => {
      const { tracker } = s.credentials;
      assert.equal(t.client.getServerVersion().name, 'understudy-tracker');
      for (const part of [tracker.url_key, tracker.user_email, 'list_teams']) assert.ok(t.client.getInstructions().includes(part), part);
    });

    it('lists the tools with all that a model needs', async () => {
      const tools = await t.list();
      assert.deepEqual(tools.map((x) => x.name), Object.keys(REFERENCE));
      for (const x of tools) {
        const [args, required] = REFERENCE[x.name];
        assert.deepEqual(Object.keys(x.inputSchema.properties).sort(), [...args].sort(), x.name);
        assert.deepEqual(x.inputSchema.required ?? [], required, x.name);
        assert.ok(x.description.length > 30 && x.title && x.outputSchema.type === 'object', x.name);
        for (const [name, p] of Object.entries(x.inputSchema.properties)) assert.ok(p.description && p.type, `${x.name}.${name}`);
        assert.equal(x.annotations.readOnlyHint, /^(list|get)_/.test(x.name), x.name);
        assert.equal(x.annotations.destructiveHint, x.name === 'update_issue', x.name);
      }
      const { limit } = tools[1].inputSchema.properties;
      assert.deepEqual([limit.default, limit.maximum], [50, 250]);
    });

    it('lists teams with their states', async () => {
      const { teams, pageInfo } = await t.call('list_teams');
      assert.equal(pageInfo.hasNextPage, false);
      const eng = teams.find((x) => x.key === 'ENG');
      assert.deepEqual([eng.id, eng.name, eng.states.length], [ids.eng, 'Engineering', 6]);
      assert.ok(eng.createdAt && eng.updatedAt);
      assert.deepEqual((await t.call('list_teams', { query: 'oper' })).teams.map((x) => x.key), ['OPS']);
    });

    it('creates an issue by names', async () => {
      const bare = await t.call('create_issue', { title: 'Bare', team: 'eng' });
      assert.match(bare.identifier, /^ENG-\d+$/);
      assert.equal(bare.statusType, 'backlog');
      assert.deepEqual(bare.labels, []);

      const full = await t.call('create_issue', {
        title: 'Full', team: 'Engineering', description: '# Why\nBecause.', assignee: 'me', priority: 1, state: 'In Progress', project: 'apollo',
        labels: ['bug'], dueDate: '2030-01-31', cycle: 'current', parentId: bare.identifier, estimate: 3,
      });
      assert.deepEqual(full.priority, { value: 1, name: 'Urgent' });
      assert.equal(full.status, 'In Progress');
      assert.equal(full.assigneeId, s.credentials.tracker.user_id);
      assert.equal(full.createdById, s.credentials.tracker.user_id);
      assert.equal(full.projectId, ids.project);
      assert.equal(full.project, 'Apollo');
      assert.deepEqual(full.labels, ['Bug']);
      assert.equal(full.dueDate, '2030-01-31');
      assert.equal(full.cycleId, ids.cycle);
      assert.equal(full.parentId, bare.id);
      assert.equal(full.parent, bare.identifier);
      assert.equal(full.estimate, 3);
      assert.equal(full.teamKey, 'ENG');
      assert.ok(full.url.includes(full.identifier) && full.gitBranchName);
    });

    it('takes ids and the names that older servers use', async () => {
      const made = await t.call('create_issue', { title: 'By ids', teamId: ids.ops, status: 'Todo', labels: [ids.infra], assigneeId: s.credentials.tracker.user_id });
      assert.deepEqual([made.teamKey, made.status, made.labels[0]], ['OPS', 'Todo', 'Infra']);
    });

    it('shows an issue with comments and parts', async () => {
      const parent = await t.call('create_issue', { title: 'Parent', team: 'ENG' });
      const part = await t.call('create_issue', { title: 'Part', team: 'ENG', parentId: parent.id });
      const comment = await t.call('create_comment', { issueId: parent.identifier, body: 'first' });
      assert.equal(comment.issueId, parent.id);
      assert.equal(comment.user.id, s.credentials.tracker.user_id);
      assert.ok(comment.url.includes('#comment-'));
      const reply = await t.call('create_comment', { issueId: parent.identifier, body: 'second', parentId: comment.id });
      assert.equal(reply.parentId, comment.id);
      const shown = await t.call('get_issue', { id: parent.identifier.toLowerCase(), includeRelations: true });
      assert.equal(shown.id, parent.id);
      assert.deepEqual(shown.children.map((c) => c.identifier), [part.identifier]);
      assert.deepEqual(shown.comments.map((c) => c.body).sort(), ['first', 'second']);
      assert.equal((await t.call('get_issue', { id: parent.id })).children, undefined);
    });

    it('changes an issue: values, null, another team', async () => {
      const made = await t.call('create_issue', { title: 'Before', team: 'ENG', assignee: 'me', project: 'Apollo', labels: ['Bug'], dueDate: '2030-01-31', estimate: 2, description: 'x', cycle: '1' });
      const done = await t.call('update_issue', { id: made.identifier, title: 'After', state: 'completed', priority: 0, labels: [] });
      assert.deepEqual([done.title, done.statusType, done.labels.length], ['After', 'completed', 0]);
      assert.equal(done.assigneeId, s.credentials.tracker.user_id, 'what is left out stays');
      const bare = await t.call('update_issue', { id: made.id, assignee: null, project: null, dueDate: null, cycle: null, estimate: null, description: null });
      for (const field of ['assignee', 'project', 'dueDate', 'cycleId', 'estimate']) assert.equal(bare[field], undefined, field);
      assert.ok(!bare.description);
      const moved = await t.call('update_issue', { id: made.identifier, team: 'OPS', state: 'Todo' });
      assert.match(moved.identifier, /^OPS-\d+$/);
      assert.equal(moved.status, 'Todo');
    });

    it('lists issues by every argument', async () => {
      const found = async (args) => (await t.call('list_issues', args)).issues.map((i) => i.title);
      const parent = await t.call('create_issue', { title: 'Needle parent', team: 'OPS' });
      const part = await t.call('create_issue', { title: 'Needle part', team: 'OPS', assignee: 'me', priority: 2, state: 'In Progress', labels: ['Infra'], parentId: parent.identifier });
      assert.deepEqual((await found({ query: 'needle' })).sort(), ['Needle parent', 'Needle part']);
      assert.deepEqual(await found({ query: part.identifier }), ['Needle part']);
      assert.deepEqual(await found({ query: 'needle', assignee: 'me' }), ['Needle part']);
      assert.deepEqual(await found({ query: 'needle', assignee: null }), ['Needle parent']);
      assert.deepEqual(await found({ query: 'needle', state: 'started' }), ['Needle part']);
      assert.deepEqual(await found({ team: 'operations', label: 'infra', query: 'needle' }), ['Needle part']);
      assert.deepEqual(await found({ parentId: parent.identifier }), ['Needle part']);
      assert.deepEqual(await found({ query: 'needle', priority: 2 }), ['Needle part']);
      assert.deepEqual(await found({ query: 'needle', team: 'ENG' }), []);
      assert.deepEqual(await found({ query: 'needle', createdAt: '2099-01-01' }), []);
      assert.equal((await found({ query: 'needle', updatedAt: '-P1D', orderBy: 'createdAt' })).length, 2);
      assert.ok((await found({ project: 'Apollo' })).includes('Full'));
      assert.ok((await found({ cycle: 'current' })).includes('Full'));
      assert.ok(!(await found({ project: null })).includes('Full'));
      await gql('mutation($id: String!) { issueArchive(id: $id) { success } }', { id: parent.id });
      assert.deepEqual((await found({ query: 'needle' })).length, 2, 'archived ones are listed unless the caller does not want them');
      assert.deepEqual(await found({ query: 'needle', includeArchived: false }), ['Needle part']);
    });

    it('lists projects', async () => {
      const { content } = await t.call('list_projects');
      assert.deepEqual(content.map((p) => [p.name, p.teams]), [['Apollo', ['ENG']]]);
      assert.deepEqual([content[0].state, typeof content[0].status.name, content[0].priority.value], ['backlog', 'string', 0]);
      assert.equal((await t.call('list_projects', { team: 'ENG', query: 'apo', state: 'backlog' })).content.length, 1);
      assert.equal((await t.call('list_projects', { team: 'OPS' })).content.length, 0);
    });

    it('pages, and keeps results to a size that a model can read', async () => {
      const team = (await gql('mutation { r: teamCreate(input: {key: "BIG", name: "Big"}) { team { id } } }')).r.team.id;
      const issues = Array.from({ length: 45 }, (_, i) => ({ teamId: team, title: `big ${i}`, description: 'lorem ipsum '.repeat(300) }));
      await gql('mutation($input: IssueBatchCreateInput!) { issueBatchCreate(input: $input) { success } }', { input: { issues } });
      const seen = [];
      let cursor;
      let count = 0;
      do {
        const r = await t.client.callTool({ name: 'list_issues', arguments: { team: 'BIG', limit: 250, orderBy: 'createdAt', cursor } });
        assert.ok(!r.isError, r.content[0].text);
        assert.ok(r.content[0].text.length <= 60_000);
        seen.push(...r.structuredContent.issues.map((i) => i.title));
        cursor = r.structuredContent.pageInfo.hasNextPage ? r.structuredContent.pageInfo.endCursor : undefined;
        count += 1;
      } while (cursor);
      assert.ok(count > 1, 'more than one page');
      assert.equal(seen.length, 45);
      assert.equal(new Set(seen).size, 45);

      const huge = await t.call('create_issue', { title: 'Huge', team: 'BIG', description: 'word '.repeat(18_000) });
      assert.equal(huge.truncated, true);
    });

    describe('refusals say what to do next', () => {
      const cases = [
        ['create_issue', { team: 'ENG' }, 'invalid_arguments', /title/],
        ['create_issue', { title: 'x', team: 'NOWHERE' }, 'not_found', /ENG \(Engineering\).*list_teams/],
        ['create_issue', { title: 'x', team: 'ENG', state: 'Nonsense' }, 'not_found', /In Progress/],
        ['create_issue', { title: 'x', team: 'ENG', labels: ['Infra'] }, 'not_found', /Bug/],
        ['create_issue', { title: 'x', team: 'ENG', assignee: 'nobody' }, 'not_found', /@/],
        ['create_issue', { title: 'x', team: 'ENG', priority: 7 }, 'invalid_arguments', /0 to 4/],
        ['get_issue', { id: 'ENG-9999' }, 'invalid_input', /list_issues/],
        ['update_issue', { id: 'ENG-9999', title: 'x' }, 'invalid_input', /list_issues/],
        ['update_issue', { id: 'ENG-1' }, 'invalid_arguments', /at least one field/],
        ['create_comment', { issueId: 'ENG-9999', body: 'x' }, 'invalid_input', /list_issues/],
        ['list_issues', { project: 'Nonsense' }, 'not_found', /Apollo/],
        ['list_issues', { cursor: 'nonsense' }, 'invalid_input', /without cursor/],
        ['list_issues', { orderBy: 'colour' }, 'invalid_arguments', /createdAt or updatedAt/],
        ['list_projects', { team: 'NOWHERE' }, 'not_found', /list_teams/],
      ];
      for (const [tool, args, code, says] of cases) {
        it(`${tool} ${JSON.stringify(args)}: ${code}`, async () => {
          const said = await t.refusal(tool, args);
          assert.equal(said.error, code, JSON.stringify(said));
          assert.ok(said.message && said.status >= 400);
          assert.match(`${said.message} ${said.hint}`, says);
        });
      }
    });

    it('sees its own organization alone', async () => {
      const secret = await t.call('create_issue', { title: 'xylophone', team: 'ENG' });
      const base = s.credentials.tracker.base_url;
      const post = async (path, body, token) => {
        const r = await s.rest('POST', `${base}${path}`, { token, body });
        assert.ok(r.status < 300, JSON.stringify(r));
        return r.body;
      };
      const { accessToken } = await post('/api/auth/signup', { email: 'rival@example.com', password: 'correct horse', name: 'Rival' });
      const org = await post('/api/organization', { name: 'Rivals', urlKey: 'rivals' }, accessToken);
      const { token } = await post('/api/api-keys', { label: 'tools' }, org.accessToken);
      const rival = await s.tools(transport, 'tracker', token);
      assert.ok(rival.client.getInstructions().includes('rivals'));
      assert.deepEqual((await rival.call('list_issues', { query: 'xylophone' })).issues, []);
      assert.ok(!(await rival.call('list_teams')).teams.some((x) => x.id === ids.eng));
      assert.deepEqual((await rival.call('list_projects')).content, []);
      assert.equal((await rival.refusal('get_issue', { id: secret.id })).error, 'invalid_input');
      assert.equal((await rival.refusal('update_issue', { id: secret.id, title: 'x' })).error, 'invalid_input');
      assert.equal((await rival.refusal('create_comment', { issueId: secret.id, body: 'x' })).error, 'invalid_input');
      assert.equal((await rival.refusal('create_issue', { title: 'x', team: ids.eng })).error, 'not_found');
    });

    it('wrote nothing beside the protocol', () => assert.equal(t.errors(), ''));
  });
}

/** Asks the GraphQL API without tools; returns data. */
async function ask(s, base, key, query, variables) {
  const { body } = await s.rest('POST', `${base}/graphql`, { token: key, body: { query, variables } });
  assert.equal(body.errors, undefined, JSON.stringify(body.errors));
  return body.data;
}
