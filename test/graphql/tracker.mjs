// Answers queries on the tracker's schema with graphql-js:
//   node tracker.mjs SCHEMA DATA < cases.json > replies.json
// DATA holds the rows of each list as the tracker shows them, newest first, a
// link as {id}. A case is {query, variables?, operationName?}.
import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, GraphQLError, graphqlSync, isListType, isNonNullType, isObjectType, lexicographicSortSchema } from 'graphql';

const [schemaFile, dataFile] = process.argv.slice(2);
const schema = lexicographicSortSchema(buildSchema(readFileSync(schemaFile, 'utf8')));
const data = JSON.parse(readFileSync(dataFile, 'utf8'));
const lists = { issues: 'Issue', teams: 'Team', users: 'User', workflowStates: 'WorkflowState', projects: 'Project', cycles: 'Cycle', issueLabels: 'IssueLabel', comments: 'Comment' };
const maps = Object.fromEntries(Object.entries(lists).map(([list, type]) => [type, new Map(data[list].map((row) => [row.id, row]))]));

const resolve = (type, name, fn) => { schema.getType(type).getFields()[name].resolve = fn; };
const page = (rows, { first = 50 }) => {
  const nodes = rows.slice(0, first);
  return {
    nodes, edges: nodes.map((node) => ({ node, cursor: node.id })),
    pageInfo: { hasNextPage: rows.length > first, hasPreviousPage: false, startCursor: nodes[0]?.id ?? null, endCursor: nodes.at(-1)?.id ?? null },
  };
};

for (const type of Object.values(lists)) {
  for (const field of Object.values(schema.getType(type).getFields())) {
    const inner = isNonNullType(field.type) ? field.type.ofType : field.type;
    const map = maps[getNamedType(inner).name];
    if (!isListType(inner) && isObjectType(inner) && map) field.resolve = (row) => (row[field.name] ? map.get(row[field.name].id) ?? null : null);
  }
}
for (const [list, type] of Object.entries(lists)) {
  resolve('Query', list, (_, args) => page(data[list], args));
  const one = type[0].toLowerCase() + type.slice(1);
  resolve('Query', one, (_, { id }) => {
    const found = maps[type].get(id) ?? data[list].find((row) => row.identifier === id);
    if (!found) throw new GraphQLError(`Entity not found: ${type}`);
    return found;
  });
}
resolve('Query', 'viewer', () => data.users[0]);
resolve('Query', 'issueVcsBranchSearch', (_, { branchName }) => data.issues.find((row) => row.branchName === branchName) ?? null);
resolve('Issue', 'labels', (row, args) => page(data.issueLabels.filter((l) => row.labelIds.includes(l.id)), args));
resolve('Issue', 'children', (row, args) => page(data.issues.filter((i) => i.parent?.id === row.id), args));
resolve('Issue', 'comments', (row, args) => page(data.comments.filter((c) => c.issue?.id === row.id), args));
resolve('Team', 'issues', (row, args) => page(data.issues.filter((i) => i.team.id === row.id), args));
resolve('Team', 'states', (row, args) => page(data.workflowStates.filter((s) => s.team.id === row.id), args));

const cases = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(cases.map(({ query, variables, operationName }) => graphqlSync({ schema, source: query, variableValues: variables, operationName }))));
