// The official CRM client, pointed at a server of the tests.
import assert from 'node:assert/strict';
import { Client } from '@hubspot/api-client';

export { start } from '../harness.mjs';

/** The unmodified client, with the default portal's token unless options say otherwise. */
export function client(server, options = {}) {
  const { base_url: base, access_token: accessToken } = server.credentials.crm;
  return new Client({ accessToken, basePath: `${base}/api`, ...options });
}

/** Waits for a refusal and looks at what every error body has. */
export async function rejected(promise, status, category) {
  const err = await promise.then(() => assert.fail('it was not refused'), (e) => e);
  assert.equal(err.code, status, err.message);
  assert.equal(err.body.status, 'error');
  assert.equal(err.body.category, category, err.body.message);
  assert.match(err.body.correlationId, /^[0-9a-f-]{36}$/);
  assert.ok(err.body.message);
  return err;
}
