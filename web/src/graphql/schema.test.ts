import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { entriesOf, findEntries, readSchema, rootsOf, templateOf } from './schema';

const schema = readSchema(readFileSync(join(process.cwd(), '../internal/tracker/graph/schema.graphql'), 'utf8'));

it('makes a valid operation of each root field', () => {
  const wrong: string[] = [];
  for (const [root, type] of [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
  ] as const) {
    for (const name of Object.keys(type?.getFields() ?? {})) {
      const t = templateOf(schema, root, name);
      wrong.push(...validate(schema, parse(t?.query ?? '')).map((e) => `${name}: ${e.message}`));
      JSON.parse(t?.variables || '{}');
    }
  }
  expect(wrong).toEqual([]);
  expect(templateOf(schema, 'query', 'issues')?.query).toContain('identifier');
  expect(JSON.parse(templateOf(schema, 'mutation', 'issueCreate')?.variables ?? '')).toEqual({ input: { teamId: '' } });
  expect(templateOf(schema, 'query', 'nothing')).toBeUndefined();
});

it('shows types, their fields and what is found', () => {
  expect(
    rootsOf(schema)
      .slice(0, 2)
      .map((e) => e.name),
  ).toEqual(['Query', 'Mutation']);
  const issue = entriesOf(schema, 'Issue', 'Issue').find((e) => e.name === 'assignee');
  expect(issue).toMatchObject({ detail: ': User', type: 'User', root: undefined });
  expect(entriesOf(schema, 'Query', 'Query').find((e) => e.name === 'issue')).toMatchObject({
    root: 'query',
    detail: '(id: String!): Issue!',
  });
  expect(findEntries(schema, 'issueCreate', 3)[0]?.name).toBe('Mutation.issueCreate');
  expect(findEntries(schema, 'nothing of this name', 3)).toEqual([]);
});
