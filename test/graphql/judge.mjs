// Answers the conformance cases with graphql-js, over the same schema and data
// that the Go tests bind: node judge.mjs DIRECTORY < cases.json > replies.json.
// A case is {query, variables?, operationName?}; replies come in the same order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, GraphQLError, graphqlSync, Kind } from 'graphql';

const dir = process.argv[2];
const schema = buildSchema(readFileSync(join(dir, 'schema.graphql'), 'utf8'));
const data = JSON.parse(readFileSync(join(dir, 'data.json'), 'utf8'));

const byId = new Map();
for (const [kind, rows] of Object.entries(data)) {
  const type = { authors: 'Author', books: 'Book', magazines: 'Magazine', reviews: 'Review' }[kind];
  for (const row of rows) byId.set(row.id, { ...row, __typename: type });
}
const get = (id) => (id == null ? null : byId.get(id) ?? null);
const getOf = (type, id) => (byId.get(id)?.__typename === type ? byId.get(id) : null);
const all = (kind) => data[kind].map((row) => get(row.id));

const resolve = (type, fields) => {
  for (const [name, fn] of Object.entries(fields)) schema.getType(type).getFields()[name].resolve = fn;
};

const instant = schema.getType('Instant');
instant.parseValue = (v) => {
  if (typeof v !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(v)) throw new TypeError('not an instant');
  return new Date(v);
};
instant.parseLiteral = (node) => {
  if (node.kind !== Kind.STRING) throw new GraphQLError('not an instant');
  return instant.parseValue(node.value);
};

const boom = (where) => () => { throw new Error(`boom in ${where}`); };

resolve('Author', {
  books: (a, { genre, first }) => all('books').filter((b) => b.author === a.id && (genre == null || b.genre === genre)).slice(0, first ?? undefined),
  pen: () => 'goose',
  rival: (a) => get(a.rival),
  mentor: (a) => get(a.mentor),
});

resolve('Book', {
  author: (b) => get(b.author),
  sequel: (b) => get(b.sequel),
  reviews: (b, { first, after }) => {
    const nodes = b.reviews.map(get);
    const start = after == null ? 0 : nodes.findIndex((r) => r.id === after) + 1;
    const end = first == null ? nodes.length : Math.min(nodes.length, start + first);
    const page = nodes.slice(start, end);
    return {
      nodes: page,
      edges: page.map((node) => ({ node, cursor: node.id })),
      total: nodes.length,
      pageInfo: {
        hasNextPage: end < nodes.length,
        hasPreviousPage: start > 0,
        startCursor: page[0]?.id ?? null,
        endCursor: page[page.length - 1]?.id ?? null,
      },
    };
  },
  broken: boom('broken'),
  brokenHard: boom('brokenHard'),
  nothing: () => null,
  hollow: () => null,
  wrongGenre: () => 'COOKERY',
  hugeInt: () => 3000000000,
  related: (b) => b.related && b.related.map(get),
  gaps: (b) => b.gaps && b.gaps.map(get),
  strict: (b) => b.strict && b.strict.map(get),
  failing: boom('failing'),
});

resolve('Review', { book: (r) => get(r.book) });

// Sorted keys, so that both sides print the same text.
const canonical = (v) => {
  if (v instanceof Date) return v.toISOString();
  if (Array.isArray(v)) return v.map(canonical);
  if (v && typeof v === 'object') return Object.fromEntries(Object.keys(v).sort().map((k) => [k, canonical(v[k])]));
  return v;
};
const echo = (_, args) => JSON.stringify(canonical(args));

let counter = 0;
const add = (_, { n }) => (counter += n);
const addOrFail = (_, { n }) => {
  counter += n;
  if (n < 0) throw new Error('boom in addOrFail');
  return counter;
};

resolve('Query', {
  author: (_, { id }) => getOf('Author', id),
  authors: () => all('authors'),
  book: (_, { id }) => getOf('Book', id),
  needBook: (_, { id }) => {
    const found = getOf('Book', id);
    if (!found) throw new GraphQLError('no such book', { extensions: { code: 'MISSING', id } });
    return found;
  },
  books: (_, { order }) => (order === 'DESC' ? all('books').reverse() : all('books')),
  node: (_, { id }) => get(id),
  nodes: (_, { ids }) => ids.map(get),
  named: () => [...all('authors'), ...all('magazines')],
  items: () => [...all('books'), ...all('magazines')],
  oddItem: () => ({ __typename: 'Review', id: 'r1' }),
  nobody: () => null,
  noList: () => null,
  counter: () => counter,
  fail: boom('fail'),
  failHard: boom('failHard'),
});
for (const name of Object.keys(schema.getType('Query').getFields())) if (name.startsWith('echo')) resolve('Query', { [name]: echo });
resolve('Mutation', { add, addOrFail, addOrFailHard: addOrFail, state: (_, { n }) => ((counter += n), {}) });
resolve('State', { counter: () => counter, self: () => ({}) });

const cases = JSON.parse(readFileSync(0, 'utf8'));
const replies = cases.map(({ query, variables, operationName }) => {
  counter = 0;
  return graphqlSync({ schema, source: query, variableValues: variables, operationName });
});
process.stdout.write(JSON.stringify(replies));
