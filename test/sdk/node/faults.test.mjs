// What the official client does when answers are lost on purpose.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { start } from './harness.mjs';

describe('faults', () => {
  let s;
  const admin = async (method, path, body) => {
    const r = await s.rest(method, path, { token: s.credentials.admin.key, base: s.credentials.admin.base_url, body });
    assert.ok(r.status < 300, JSON.stringify(r.body));
    return r.body;
  };

  before(async () => { s = await start(); });
  after(() => s.stop());

  /** Posts through a client that retries, with a rule for its first try: {texts of the channel, recorded requests}. */
  async function post(text, rule) {
    const channel = await s.channel(s.bot);
    await admin('DELETE', '/environments/default/faults');
    await admin('POST', '/environments/default/faults', { id: 'it', on: 'request', match: { operation: 'messaging.chat.postMessage' }, when: { nth: [1] }, do: rule });
    const client = s.client(s.messaging.bot_token, { retryConfig: { retries: 2, minTimeout: 10, maxTimeout: 20 } });
    assert.equal((await client.chat.postMessage({ channel: channel.id, text })).ok, true, 'a later try has an answer');
    const { messages } = await s.bot.conversations.history({ channel: channel.id });
    const { requests } = await admin('GET', '/environments/default/requests?operation=messaging.chat.postMessage&limit=2');
    return { texts: messages.filter((m) => m.text === text).map((m) => m.text), faults: requests.map((r) => r.fault?.do ?? null) };
  }

  it('posts twice when the answer is lost after the work is done', async () => {
    const { texts, faults } = await post('lost', { drop: 'after' });
    assert.deepEqual(texts, ['lost', 'lost']);
    assert.deepEqual(faults, [null, 'drop after'], 'the newest first');
  });

  it('posts once when the connection is closed before anything ran', async () => {
    const { texts, faults } = await post('early', { drop: 'before' });
    assert.deepEqual(texts, ['early']);
    assert.deepEqual(faults, [null, 'drop before']);
  });

  it('waits as long as it is told, and posts once', async () => {
    const began = Date.now();
    const { texts } = await post('patient', { error: { status: 429, retry_after: 1 } });
    assert.deepEqual(texts, ['patient']);
    assert.ok(Date.now() - began >= 1000);
  });
});
