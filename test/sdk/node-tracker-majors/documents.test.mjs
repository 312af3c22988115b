// Every document of one version of each group of the official client, as the
// package exports it, against the endpoint.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { parse, print } from 'graphql';
import { serve } from '../process.mjs';
import { witnessed } from '../witness.mjs';

const require = createRequire(import.meta.url);
const versions = Object.entries(require('./package.json').devDependencies).filter(([name]) => name.startsWith('linear-')).map(([name, spec]) => ({ name, version: spec.split('@').at(-1) }));

// The documents of the core families, and how many of them each version has.
const core = { '1.22.0': 78, '8.0.0': 86, '20.0.0': 94, '30.0.0': 97, '39.2.1': 98, '66.0.1': 98, '72.0.0': 99, '80.1.0': 100, '98.0.0': 100 };

// Queries that begin in an area that is not served. They exist for other
// programs, and the client's documents may select more than these do.
const areas = /^(attachment|document|initiative|issueRelation|projectMilestone|projectUpdates?$|teamMembership)/;
// Documents that ask for what no later version has.
const gone = { '1.22.0': ['organization_milestones'] };

let server; let schema;
const send = async (body) => {
  const reply = await fetch(`${server.credentials.tracker.base_url}/graphql`, {
    method: 'POST', headers: { 'content-type': 'application/json', authorization: server.credentials.tracker.api_key }, body: JSON.stringify(body),
  });
  return reply.json();
};
before(async () => {
  server = await serve();
  const { data } = await send({ query: '{ __schema { queryType { fields(includeDeprecated: true) { name } } mutationType { fields(includeDeprecated: true) { name } } } }' });
  schema = { query: new Set(data.__schema.queryType.fields.map((f) => f.name)), mutation: new Set(data.__schema.mutationType.fields.map((f) => f.name)) };
  await fill();
});
after(() => server.stop());

/** The documents of a version by operation name. */
async function documents(name) {
  const exported = (await import(name)).LinearDocument ?? require(name).LinearDocument;
  const found = new Map();
  for (const [key, value] of Object.entries(exported)) {
    if (!key.endsWith('Document')) continue;
    const text = value.kind === 'Document' ? print(value) : String(value);
    const operation = parse(text).definitions.find((d) => d.kind === 'OperationDefinition');
    if (operation && operation.operation !== 'subscription') found.set(operation.name.value, { text, kind: operation.operation, root: operation.selectionSet.selections[0].name.value });
  }
  return found;
}

for (const { name, version } of versions) {
  test(`every document of ${version} on what is served passes validation`, async () => {
    let checked = 0; const refused = [];
    for (const [operation, { text, kind, root }] of await documents(name)) {
      if (!schema[kind].has(root) || areas.test(root) && kind === 'query' || gone[version]?.includes(operation)) continue;
      checked += 1;
      // Variables are left out: what needs one is refused for that, after validation.
      const { errors = [] } = await send({ query: text });
      const bad = errors.find((e) => ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'INTERNAL_SERVER_ERROR'].includes(e.extensions.code));
      if (bad) refused.push(`${operation}: ${bad.message}`);
    }
    assert.deepEqual(refused, []);
    assert.ok(checked >= core[version], `${checked} documents, ${core[version]} expected`);
  });
}

// What the documents ask for by id, and words for the other arguments that they need.
const world = {};
const fill = async () => {
  const make = async (query, variables) => {
    const { data, errors } = await send({ query, variables });
    assert.deepEqual(errors, undefined);
    return Object.values(data)[0];
  };
  const { team } = await make('mutation { teamCreate(input: {name: "Documents", key: "DOC", cyclesEnabled: true}) { team { id states { nodes { id } } cycles { nodes { id } } } } }');
  const { project } = await make('mutation($t: [String!]!) { projectCreate(input: {name: "P", teamIds: $t}) { project { id status { id } } } }', { t: [team.id] });
  const { issueLabel } = await make('mutation { issueLabelCreate(input: {name: "Documented"}) { issueLabel { id } } }');
  const { issue } = await make('mutation($i: IssueCreateInput!) { issueCreate(input: $i) { issue { id creator { id } } } }', {
    i: { teamId: team.id, title: 'A page', description: 'Text', projectId: project.id, cycleId: team.cycles.nodes[0].id, labelIds: [issueLabel.id] },
  });
  const { comment } = await make('mutation($i: String!) { commentCreate(input: {issueId: $i, body: "A remark"}) { comment { id } } }', { i: issue.id });
  const { webhook } = await make('mutation($t: String!) { webhookCreate(input: {url: "http://127.0.0.1:9/", teamId: $t, resourceTypes: ["Issue"], enabled: false}) { webhook { id } } }', { t: team.id });
  Object.assign(world, {
    team: team.id, project: project.id, projectStatus: project.status.id, issueLabel: issueLabel.id, issue: issue.id, comment: comment.id, webhook: webhook.id,
    user: issue.creator.id, cycle: team.cycles.nodes[0].id, workflowState: team.states.nodes[0].id,
  });
};

for (const { name, version } of versions) {
  test(`every query of ${version} on what is served answers without an error`, async () => {
    const words = { term: 'page', query: 'page', branchName: 'ann/doc-1-a-page' };
    let asked = 0; const failed = [];
    for (const [operation, { text, kind, root }] of await documents(name)) {
      if (kind !== 'query' || !schema.query.has(root) || areas.test(root) || gone[version]?.includes(operation)) continue;
      const variables = {};
      const needed = parse(text).definitions.find((d) => d.kind === 'OperationDefinition').variableDefinitions.filter((v) => v.type.kind === 'NonNullType');
      for (const { variable } of needed) variables[variable.name.value] = variable.name.value === 'id' ? world[root] : words[variable.name.value];
      if (needed.length === 0 && root === 'comment') variables.id = world.comment;
      if (root === 'agentSession') { // there are none: an id leads nowhere, and the document is answered with that
        const { errors: [missing] } = await send({ query: text, variables: { id: world.issue } });
        if (missing.extensions.type !== 'invalid input' || !missing.message.startsWith('Entity not found')) failed.push(`${operation}: ${missing.message}`);
        continue;
      }
      const { data, errors } = await send({ query: text, variables });
      asked += 1;
      if (errors || !data) failed.push(`${operation}(${JSON.stringify(variables)}): ${errors?.[0].message}`);
    }
    assert.deepEqual(failed, []);
    assert.ok(asked >= 40, `${asked} queries`);
  });
}

for (const { name, version } of versions) {
  test(`${version} reads and writes through its own methods`, () => witnessed(server, { service: 'tracker', kind: 'official', name: '@linear/sdk', version }, async (w) => {
    const { LinearClient } = await import(name);
    const client = new LinearClient({ apiUrl: `${w.base_url}/graphql`, apiKey: server.credentials.tracker.api_key });
    const call = (now, then) => (client[now] ?? client[then]).bind(client);
    const viewer = await client.viewer;
    assert.equal(viewer.email, server.credentials.tracker.user_email);
    assert.equal((await client.organization).id, server.credentials.tracker.organization_id);
    const key = `M${version.split('.')[0]}`;
    const team = await (await call('createTeam', 'teamCreate')({ key, name: `Major ${version}` })).team;
    const issue = await (await call('createIssue', 'issueCreate')({ teamId: team.id, title: 'An issue' })).issue;
    assert.equal(issue.identifier, `${key}-1`);
    const project = await (await call('createProject', 'projectCreate')({ name: 'A project', teamIds: [team.id] })).project;
    assert.equal(project.name, 'A project');
    await call('updateIssue', 'issueUpdate')(issue.id, { title: 'Renamed', projectId: project.id });
    const again = await client.issue(issue.id);
    assert.equal(again.title, 'Renamed');
    assert.equal((await again.team).key, key);
    assert.equal((await again.project).id, project.id);
    const found = await client.issues({ filter: { team: { key: { eq: key } } } });
    assert.deepEqual(found.nodes.map((i) => i.identifier), [`${key}-1`]);
    const updated = await call('updateUser', 'userUpdate')(viewer.id, { displayName: `ann${key.toLowerCase()}` });
    assert.ok(updated.success);
  }));
}
