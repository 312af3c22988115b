// The table that all helpers run.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fork, UnderstudyError } from '../../../clients/node/index.js';
import { binary } from '../process.mjs';

process.env.UNDERSTUDY_BIN = binary();
const { cases } = JSON.parse(readFileSync(new URL('../../../clients/cases.json', import.meta.url), 'utf8'));
const TOKEN = { messaging: 'bot_token', crm: 'access_token', tracker: 'api_key', ingest: 'api_key' };

const dig = (value, path) => (path === '' ? value : path.split('.').reduce((at, name) => at?.[name], value));

function fill(value, kept) {
  if (typeof value === 'string') return value.replace(/\{(\w+)\.([\w.]+)\}/g, (all, name, path) => (name in kept ? dig(kept[name], path) : all));
  if (Array.isArray(value)) return value.map((one) => fill(one, kept));
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fill(one, kept)]));
  return value;
}

/** Each act by its own method. */
function act(person, name, { channel, text, message, emoji, action_id, values, callback_id, command, ...more }, options) {
  switch (name) {
    case 'say': return person.say(channel, text, more);
    case 'edit': return person.edit(message, text, more);
    case 'delete': return person.delete(message);
    case 'react': return person.react(message, emoji, more);
    case 'click': return person.click(message, action_id, more);
    case 'choose': return person.choose(message, action_id, values, more);
    case 'shortcut': return person.shortcut(callback_id, more);
    case 'run': return person.run(command, { channel });
    case 'join': return person.join(channel);
    case 'leave': return person.leave(channel);
    case 'read': return person.read(channel, more);
    case 'inbox': return person.inbox(more);
    case 'session': return person.session(more);
    case 'wait': return person.wait({ ...(channel && { channel }), ...(text && { text }), ...more }, options);
    default: throw new Error(`the table has an unknown act ${name}`);
  }
}

function run(w, step) {
  if (step.person) return act(w.person(step.person), step.act, step.body, step.options);
  if (step.call) {
    const c = w.credentials[step.call];
    return fetch(c.api_url + step.path, { method: 'POST', headers: { Authorization: `Bearer ${c[TOKEN[step.call]]}`, 'Content-Type': 'application/json' }, body: JSON.stringify(step.body) })
      .then((r) => r.json());
  }
  if (step.expect) return w.expect(step.expect, step.more);
  if (step.nothing_else) return w.nothingElse(step.nothing_else);
  if (step.credentials) return w.credentials;
  if (step.env) return w.env();
  if (step.faults) return w.faults();
  const verb = ['settle', 'fault', 'advance', 'verdict', 'trace'].find((name) => name in step);
  assert.ok(verb, `the table has an unknown step ${JSON.stringify(step)}`);
  return w[verb](step[verb]);
}

async function check(promised, step, kept) {
  let error;
  const reply = await Promise.resolve(promised).catch((e) => { error = e; });
  if (step.refused) {
    assert.ok(error instanceof UnderstudyError, `${error ?? JSON.stringify(reply)}, wanted ${step.refused}`);
    assert.equal(error.code, step.refused);
    return undefined;
  }
  if (step.fails) {
    assert.equal(error?.name, 'AssertionError', `${error ?? 'it passed'}`);
    for (const text of step.fails) assert.ok(error.message.includes(fill(text, kept)), `${error.message}\nlacks ${fill(text, kept)}`);
    return undefined;
  }
  if (error) throw error;
  if (step.as) kept[step.as] = reply;
  for (const [path, want] of Object.entries(fill(step.gives ?? {}, kept))) {
    const got = dig(reply, path) ?? null;
    const means = (member) => want !== null && typeof want === 'object' && member in want;
    if (means('contains')) assert.ok(`${got}`.includes(want.contains), `${path} is ${got}`);
    else if (means('length')) assert.equal(got.length, want.length, path);
    else assert.deepEqual(got, want, `${path} of ${JSON.stringify(reply)}`);
  }
  return reply;
}

for (const { name, fork: options, steps, refused } of cases) {
  test(name, async () => {
    const w = await check(fork(options), { refused }, {});
    const kept = {};
    for (const step of steps) {
      const made = () => run(w, fill(step, kept));
      await check((async () => made())(), step, kept);
    }
    await w?.delete();
  });
}
