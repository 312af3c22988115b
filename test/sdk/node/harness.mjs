// The official client against a running server, and what its tests share.
import assert from 'node:assert/strict';
import { LogLevel, WebClient } from '@slack/web-api';
import { serve } from '../process.mjs';

/** Starts a server on a fresh folder. Limits are off unless the flags say otherwise. */
export async function start(...flags) {
  const { url, dir, credentials, stop } = await serve(...flags);
  return new Server(url, dir, credentials, stop);
}

/** A running server and the ways of talking to its messaging service. */
export class Server {
  #made = 0;

  constructor(url, dir, credentials, stop) {
    this.url = url;
    this.dir = dir;
    this.credentials = credentials;
    this.messaging = credentials.messaging;
    this.base = credentials.messaging.base_url;
    this.stop = stop;
  }

  /** The official client. It does not retry, so that a wrong status fails a test at once. */
  client(token, options = {}) {
    return new WebClient(token, { slackApiUrl: `${this.base}/api/`, retryConfig: { retries: 0 }, logLevel: LogLevel.ERROR, ...options });
  }

  get bot() { return this.client(this.messaging.bot_token); }

  get admin() { return this.client(this.messaging.user_token); }

  /** A name nobody used yet. */
  name(prefix = 'c') { this.#made += 1; return `${prefix}-${this.#made}-${process.pid % 1000}`; }

  /** A channel made by client, with a name of its own. */
  async channel(client = this.admin, options = {}) {
    const { channel } = await client.conversations.create({ name: this.name(), ...options });
    return channel;
  }

  /** One request of the control plane: {status, body}. body is null when there is none. */
  async rest(method, path, { token, body, base = this.base } = {}) {
    const headers = {};
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const reply = await fetch(base + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), redirect: 'manual' });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** A person with an account, in the default workspace: {id, client, jwt, account, email, password}. */
  async person(name = this.name('person')) {
    const email = `${name}@example.com`;
    const password = 'correct horse';
    const up = await this.rest('POST', '/api/auth/signup', { body: { email, password, name } });
    assert.equal(up.status, 201, JSON.stringify(up.body));
    const joined = await this.rest('POST', `/api/workspaces/${this.messaging.workspace_id}/join`, { token: up.body.access_token });
    assert.equal(joined.status, 200, JSON.stringify(joined.body));
    return {
      id: joined.body.user.id, client: this.client(joined.body.access_token), jwt: joined.body.access_token,
      refresh: up.body.refresh_token, account: up.body.account, email, password,
    };
  }

  /** An app with exactly these scopes: {app, client}. */
  async app(scopes, name = this.name('app')) {
    const manifest = { display_information: { name }, features: { bot_user: { display_name: name } }, oauth_config: { scopes: { bot: scopes } } };
    const made = await this.rest('POST', '/api/apps', { token: this.messaging.user_token, body: { manifest } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return { app: made.body, client: this.client(made.body.bot_token) };
  }
}

/** The promise must be refused by the platform with this code; returns the reply. */
export async function refused(promise, code) {
  const began = Date.now();
  let failure;
  await promise.then((reply) => assert.fail(`wanted ${code}, got ${JSON.stringify(reply)}`), (err) => { failure = err; });
  if (failure instanceof assert.AssertionError) throw failure;
  assert.equal(failure.code, 'slack_webapi_platform_error', `${failure}`);
  assert.equal(failure.data.error, code);
  assert.ok(Date.now() - began < 5000, 'a refusal must not be retried');
  return failure.data;
}

/** Everything that pages of an iterator hold under key. */
export async function collect(pages, key) {
  const all = [];
  for await (const page of pages) all.push(...page[key]);
  return all;
}

export const TS = /^\d{10}\.\d{6}$/;
