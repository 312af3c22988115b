// The client's own documents, as its bundle holds them, against the endpoint.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { start } from './harness.mjs';

const bundle = readFileSync(new URL('node_modules/@linear/sdk/dist/index.mjs', import.meta.url), 'utf8');
const { operations } = JSON.parse(readFileSync(new URL('../../../internal/tracker/graph/testdata/sdk_required.json', import.meta.url), 'utf8'));

let server;
before(async () => { server = await start(); });
after(() => server.stop());

test('every document of the kept tiers passes validation', async () => {
  const documents = new Map();
  for (const [, text] of bundle.matchAll(/new TypedDocumentString\(`\s*((?:query|mutation)[^`]*)`/g)) documents.set(/(?:query|mutation) (\w+)/.exec(text)[1], text);
  let sent = 0;
  for (const name of Object.keys(operations)) {
    const query = documents.get(name);
    assert.ok(query, `the client has no document ${name}`);
    // Variables are left out: what needs one is refused for that, after validation.
    const reply = await fetch(server.graphql, {
      method: 'POST', headers: { 'content-type': 'application/json', authorization: server.credentials.api_key }, body: JSON.stringify({ query }),
    });
    const { errors = [] } = await reply.json();
    for (const { message, extensions } of errors) {
      assert.ok(!['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'INTERNAL_SERVER_ERROR'].includes(extensions.code), `${name}: ${message}`);
    }
    sent += 1;
  }
  assert.equal(sent, 100);
});
