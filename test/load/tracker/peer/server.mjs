// The yardstick: graphql-js over node:http, one process, everything in memory:
//   node server.mjs SCHEMA DATA      prints the port
// It gets what a careful author would give it: documents are parsed and
// validated once each, rows are found by id in maps, resolvers are plain
// functions, and no promise is made on the way.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buildSchema, execute, getNamedType, isObjectType, isListType, isNonNullType, parse, validate } from 'graphql';

const [schemaFile, dataFile] = process.argv.slice(2);
const schema = buildSchema(readFileSync(schemaFile, 'utf8'));
const data = JSON.parse(readFileSync(dataFile, 'utf8'));
const kinds = { Issue: 'issues', Team: 'teams', User: 'users', WorkflowState: 'workflowStates', Project: 'projects', Cycle: 'cycles' };
const maps = Object.fromEntries(Object.entries(kinds).map(([type, list]) => [type, new Map(data[list].map((row) => [row.id, row]))]));

// A link holds the id of another row.
for (const type of Object.keys(kinds)) {
  for (const field of Object.values(schema.getType(type).getFields())) {
    const inner = isNonNullType(field.type) ? field.type.ofType : field.type;
    const map = maps[getNamedType(inner).name];
    if (isListType(inner) || !isObjectType(inner) || !map) continue;
    const { name } = field;
    field.resolve = (row) => (row[name] ? map.get(row[name].id) ?? null : null);
  }
}

const places = new Map(data.issues.map((row, i) => [row.id, i]));
schema.getQueryType().getFields().issues.resolve = (_, { first = 50, after }) => {
  const start = after == null ? 0 : places.get(after) + 1;
  const nodes = data.issues.slice(start, start + first);
  return {
    nodes,
    pageInfo: {
      hasNextPage: start + first < data.issues.length, hasPreviousPage: start > 0,
      startCursor: nodes[0]?.id ?? null, endCursor: nodes.at(-1)?.id ?? null,
    },
  };
};

const documents = new Map();
function documentOf(query) {
  let known = documents.get(query);
  if (!known) {
    const document = parse(query);
    known = { document, errors: validate(schema, document) };
    documents.set(query, known);
  }
  return known;
}

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const { query, variables } = JSON.parse(Buffer.concat(parts).toString());
    const { document, errors } = documentOf(query);
    const reply = errors.length > 0 ? { errors } : execute({ schema, document, variableValues: variables });
    const text = Buffer.from(JSON.stringify(reply));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': text.length });
    response.end(text);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
