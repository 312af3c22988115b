// The official client against a running server, and what its tests share.
import assert from 'node:assert/strict';
import { LinearClient } from '@linear/sdk';
import { serve } from '../process.mjs';

/** Starts a server on a fresh folder. Limits are off unless the flags say otherwise. */
export async function start(...flags) {
  const { credentials, stop } = await serve(...flags);
  return new Server(credentials.tracker, stop);
}

/** A running server and the ways of talking to its tracker. */
export class Server {
  #made = 0;

  constructor(credentials, stop) {
    this.credentials = credentials;
    this.base = credentials.base_url;
    this.graphql = `${this.base}/graphql`;
    this.stop = stop;
  }

  /** The official client with the default key, or with other credentials. */
  client(options = { apiKey: this.credentials.api_key }) {
    return new LinearClient({ apiUrl: this.graphql, ...options });
  }

  /** A key for a team that nobody used yet. */
  key() { this.#made += 1; return `K${this.#made}`; }

  /** A fresh team, as the client returns it. */
  async team(client = this.client()) {
    const key = this.key();
    return (await client.createTeam({ key, name: `Team ${key}` })).team;
  }

  /** One request of the control plane: {status, body}. */
  async rest(method, path, { token, body } = {}) {
    const headers = { 'content-type': 'application/json' };
    if (token) headers.authorization = `Bearer ${token}`;
    const reply = await fetch(this.base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** Someone with an organization of their own: {client, session, organization}. */
  async stranger(name) {
    const up = await this.rest('POST', '/api/auth/signup', { body: { email: `${name}@example.com`, password: 'correct horse', name } });
    assert.equal(up.status, 201, JSON.stringify(up.body));
    const made = await this.rest('POST', '/api/organization', { token: up.body.accessToken, body: { name, urlKey: name } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { client: this.client({ accessToken: made.body.accessToken }), session: made.body, email: `${name}@example.com` };
  }
}

/** The promise must fail with that class of the client's; returns the error. */
export async function refused(promise, kind, text) {
  let failure;
  await promise.then((reply) => assert.fail(`wanted ${kind}, got ${JSON.stringify(reply)}`), (err) => { failure = err; });
  if (failure instanceof assert.AssertionError) throw failure;
  assert.equal(failure.constructor.name, kind, `${failure.message}\n${failure.stack}`);
  if (text) assert.match(failure.message, text);
  return failure;
}
