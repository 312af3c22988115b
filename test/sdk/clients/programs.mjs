// Starts programs of the suite as they are published.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { versionOf } from '../witness.mjs';

export const require = createRequire(import.meta.url);
const HOOK = fileURLToPath(new URL('redirect.cjs', import.meta.url));

/** The file of a program in node_modules. */
export const file = (path) => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));

/** What the witness writes of a program of this suite. */
export const third = (service, name, extra = {}) => ({ service, kind: 'third party', name, version: require(`./package.json`).devDependencies[name] ?? versionOf(require, name), ...extra });

/** The variables that send a program's requests for a host to another address. */
export const redirected = (hosts) => ({ NODE_OPTIONS: `--require=${HOOK}`, REDIRECT: JSON.stringify(hosts) });

/** Starts a tool server on stdio and returns a function that calls its tools, with close. */
export async function tools(path, env) {
  const client = new Client({ name: 'understudy-test', version: '1.0.0' });
  const pipe = new StdioClientTransport({ command: process.execPath, args: [file(path)], stderr: 'pipe', env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env } });
  let errors = '';
  pipe.stderr.on('data', (b) => { errors += b; });
  await client.connect(pipe);
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const text = content.map((c) => c.text).join('\n');
    if (isError) throw new Error(`${name}: ${text}\n${errors}`);
    return text;
  };
  return Object.assign(call, { close: () => client.close(), list: async () => (await client.listTools()).tools.map((t) => t.name) });
}
