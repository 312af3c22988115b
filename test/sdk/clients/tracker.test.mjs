// Programs by others that talk to the tracker.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GraphQLClient, gql } from 'graphql-request';
import { serve } from '../process.mjs';
import { witnessed } from '../witness.mjs';
import { redirected, third, tools } from './programs.mjs';

let s, t;
before(async () => {
  s = await serve();
  t = s.credentials.tracker;
  await graphql('mutation { teamCreate(input: { name: "Core", key: "CORE" }) { success } }');
});
after(() => s?.stop());

const graphql = async (query) => {
  const reply = await fetch(`${t.base_url}/graphql`, { method: 'POST', headers: { authorization: t.api_key, 'content-type': 'application/json' }, body: JSON.stringify({ query }) });
  return (await reply.json()).data;
};

test('graphql-request reads, writes and is refused', () => witnessed(s, third('tracker', 'graphql-request'), async (w) => {
  const client = new GraphQLClient(`${w.base_url}/graphql`, { headers: { authorization: t.api_key } });
  const { viewer, teams } = await client.request(gql`query Start { viewer { id email } teams(first: 5) { nodes { id key } } }`);
  assert.equal(viewer.email, t.user_email);
  const { issueCreate } = await client.request(gql`mutation Make($input: IssueCreateInput!) { issueCreate(input: $input) { success issue { id identifier } } }`, { input: { teamId: teams.nodes[0].id, title: 'From a plain client' } });
  const { issue } = await client.request(gql`query One($id: String!) { issue(id: $id) { title state { name } } }`, { id: issueCreate.issue.identifier });
  assert.equal(issue.title, 'From a plain client');
  await assert.rejects(client.request('{ issue(id: "NO-1") { id } }'), (e) => /not found/i.test(e.response.errors[0].message));
}));

// The tools that each program is asked for, with a team and an issue to work on. linear-mcp's search names a filter
// that upstream's schema does not have.
const PROGRAMS = {
  'linear-mcp': { path: 'linear-mcp/build/index.js', token: 'LINEAR_ACCESS_TOKEN', calls: (team, issue) => [
    ['linear_get_user', {}], ['linear_get_teams', {}], ['linear_create_issue', { title: 'By a tool', description: 'Why', teamId: team }],
    ['linear_bulk_update_issues', { issueIds: [issue.id], update: { priority: 2 } }],
    ['linear_search_issues_by_identifier', { identifiers: [issue.identifier] }], ['linear_create_comment', { issueId: issue.id, body: 'A comment' }], ['linear_list_projects', {}],
  ] },
  '@tacticlaunch/mcp-linear': { path: '@tacticlaunch/mcp-linear/dist/index.js', token: 'LINEAR_API_KEY', calls: (team, issue) => [
    ['linear_getViewer', {}], ['linear_getTeams', {}], ['linear_createIssue', { title: 'By a tool', teamId: team }], ['linear_updateIssue', { id: issue.id, priority: 2 }],
    ['linear_getIssueById', { id: issue.id }], ['linear_createComment', { issueId: issue.id, body: 'A comment' }], ['linear_getWorkflowStates', { teamId: team }], ['linear_getLabels', {}],
  ] },
};

for (const [name, { path, token, calls }] of Object.entries(PROGRAMS)) {
  test(`${name} makes, changes and finds issues`, () => witnessed(s, third('tracker', name, { runs: 'its address is fixed: redirected' }), async (w) => {
    const tool = await tools(path, { [token]: t.api_key, ...redirected({ 'api.linear.app': w.base_url }) });
    try {
      const team = (await graphql('{ teams { nodes { id } } }')).teams.nodes[0].id;
      const { issueCreate: { issue } } = await graphql(`mutation { issueCreate(input: { teamId: "${team}", title: "Made before" }) { issue { id identifier } } }`);
      const count = async () => (await graphql('{ issues { nodes { id } } }')).issues.nodes.length;
      const before = await count();
      for (const [called, values] of calls(team, issue)) {
        const text = await tool(called, values);
        assert.ok(!/error|failed/i.test(text), `${called}: ${text}`);
      }
      assert.equal(await count(), before + 1);
      const now = (await graphql(`{ issue(id: "${issue.id}") { priority comments { nodes { body } } } }`)).issue;
      assert.deepEqual(now, { priority: 2, comments: { nodes: [{ body: 'A comment' }] } });
    } finally {
      await tool.close();
    }
  }));
}
