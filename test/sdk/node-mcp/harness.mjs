// The official client of the Model Context Protocol against the tool servers of
// a running program: as a process on stdio, and over streamable HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { binary, serve } from '../process.mjs';

/** The variables that name token and base URL of each service's tool server. */
const VARIABLES = {
  messaging: ['CHAT_MCP_TOKEN', 'CHAT_MCP_BASE_URL'],
  tracker: ['TRACKER_MCP_API_KEY', 'TRACKER_MCP_BASE_URL'],
};

export const TRANSPORTS = ['stdio', 'http'];

/** Starts a server on a fresh folder. Limits are off unless the flags say otherwise. */
export async function start(...flags) {
  const { url, dir, credentials, stop } = await serve(...flags);
  return new Server(url, dir, credentials, stop);
}

class Server {
  #clients = [];

  constructor(url, dir, credentials, end) {
    this.url = url;
    this.dir = dir;
    this.credentials = credentials;
    this.end = end;
  }

  async stop() {
    await Promise.all(this.#clients.map((c) => c.close()));
    await this.end();
  }

  /** Opens the tools of a service with the official client. */
  async tools(transport, service, token, base = this.credentials[service].base_url) {
    const client = new Client({ name: 'understudy-test', version: '1.0.0' });
    let errors = '';
    if (transport === 'http') {
      await client.connect(new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    } else {
      const [tokenVariable, baseVariable] = VARIABLES[service];
      const pipe = new StdioClientTransport({ command: binary(), args: ['mcp', service], stderr: 'pipe', env: { [tokenVariable]: token, [baseVariable]: base } });
      pipe.stderr.on('data', (b) => { errors += b; });
      await client.connect(pipe);
    }
    client.onerror = (err) => { errors += `${err}\n`; };
    this.#clients.push(client);
    return new Tools(client, () => errors);
  }

  /** One request of a REST plane: {status, body}. */
  async rest(method, url, { token, body } = {}) {
    const headers = {};
    if (token) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    const reply = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await reply.text();
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** A method of messaging, called without tools. */
  async method(name, args = {}, token = this.credentials.messaging.bot_token) {
    const reply = await fetch(`${this.credentials.messaging.base_url}/api/${name}`,
      { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: new URLSearchParams(args) });
    return reply.json();
  }

  /** The bot token of a new app that holds exactly these scopes. */
  async botToken(scopes, owner = this.credentials.messaging.user_token) {
    const manifest = { display_information: { name: `app ${scopes.length} ${Date.now()}` }, features: { bot_user: { display_name: 'Tester' } }, oauth_config: { scopes: { bot: scopes } } };
    const made = await this.rest('POST', `${this.credentials.messaging.base_url}/api/apps`, { token: owner, body: { manifest } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body.bot_token;
  }
}

/** The tools of one server, called by the official client. */
class Tools {
  constructor(client, errors) {
    this.client = client;
    this.errors = errors;
  }

  async list() { return (await this.client.listTools()).tools; }

  /** The result of a tool that must not refuse. The client checks it against the output schema. */
  async call(name, args = {}) {
    const r = await this.client.callTool({ name, arguments: args });
    assert.ok(!r.isError, JSON.stringify(r.content));
    assert.deepEqual(JSON.parse(r.content[0].text), r.structuredContent, 'the text is the structured result');
    return r.structuredContent;
  }

  /** What a tool that must refuse says. */
  async refusal(name, args = {}) {
    const r = await this.client.callTool({ name, arguments: args });
    assert.equal(r.isError, true, JSON.stringify(r.content));
    const said = JSON.parse(r.content[0].text);
    assert.ok(said.hint?.length > 10, `it must say what to do next: ${r.content[0].text}`);
    return said;
  }
}

/** Runs a tool server that must end by itself: {status, output, errors}. */
export function run(service, env) {
  return new Promise((resolve) => {
    const child = spawn(binary(), ['mcp', service], { env: { PATH: process.env.PATH, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    child.stdout.on('data', (b) => { output += b; });
    child.stderr.on('data', (b) => { errors += b; });
    child.once('close', (status) => resolve({ status, output, errors }));
  });
}
