// The introspection that code generators use, checked with graphql-js:
//   node introspect.mjs query                      prints the query
//   node introspect.mjs check SDL < reply.json     prints "same", or both schemas
import { readFileSync } from 'node:fs';
import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';

const [mode, sdl] = process.argv.slice(2);
if (mode === 'query') {
  process.stdout.write(getIntrospectionQuery({
    descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true,
    schemaDescription: true, inputValueDeprecation: true, oneOf: true,
  }));
} else {
  const text = (schema) => printSchema(lexicographicSortSchema(schema));
  const want = text(buildSchema(readFileSync(sdl, 'utf8')));
  const have = text(buildClientSchema(JSON.parse(readFileSync(0, 'utf8')).data));
  process.stdout.write(have === want ? 'same' : `have\n${have}\nwant\n${want}`);
}
