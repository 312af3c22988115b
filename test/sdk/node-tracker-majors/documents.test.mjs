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
