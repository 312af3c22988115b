// Rate limits as they are by default.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { start } from './harness.mjs';

describe('rate limits', () => {
  let s;
  before(async () => { s = await start('--rate-limits', 'real'); });
  after(() => s.stop());

  /** Calls until a refusal; returns how often it worked and the refusal. */
  async function exhaust(call, most) {
    for (let n = 0; n < most; n += 1) {
      try {
        await call();
      } catch (err) {
        return { n, err };
      }
    }
    return { n: most };
  }

  it('a Tier 2 method allows twenty in a minute, to each token', async () => {
    const strict = s.client(s.messaging.user_token, { rejectRateLimitedCalls: true });
    const { n, err } = await exhaust(() => strict.users.setPresence({ presence: 'auto' }), 40);
    assert.ok(n >= 20 && n <= 22, `${n} calls went through`);
    assert.equal(err.code, 'slack_webapi_rate_limited_error');
    assert.ok(Number.isInteger(err.retryAfter) && err.retryAfter >= 1 && err.retryAfter <= 60, `${err.retryAfter}`);
    assert.equal((await s.bot.users.setPresence({ presence: 'auto' })).ok, true, 'another token has its own allowance');
    assert.equal((await strict.users.profile.get({})).ok, true, 'another method has its own allowance');
  });

  it('answers 429 with whole seconds and the code', async () => {
    const call = () => fetch(`${s.base}/api/reactions.remove`, { method: 'POST', headers: { authorization: `Bearer ${s.messaging.bot_token}` } });
    let r;
    for (let i = 0; i < 40; i += 1) {
      r = await call();
      if (r.status === 429) break;
      assert.equal((await r.json()).ok, false, 'refused calls count as well');
    }
    assert.equal(r.status, 429);
    assert.match(r.headers.get('retry-after'), /^[1-9]\d*$/);
    assert.equal(r.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await r.json(), { ok: false, error: 'ratelimited' });
  });

  it('posts one a second in each channel, with a burst of twenty', async () => {
    const a = await s.channel(s.admin);
    const b = await s.channel(s.admin);
    const strict = s.client(s.messaging.user_token, { rejectRateLimitedCalls: true });
    const { n, err } = await exhaust(() => strict.chat.postMessage({ channel: a.id, text: 'x' }), 60);
    assert.ok(n >= 20 && n <= 25, `${n} posts went through`);
    assert.equal(err.code, 'slack_webapi_rate_limited_error');
    assert.equal((await strict.chat.postMessage({ channel: b.id, text: 'x' })).ok, true, 'another channel has its own allowance');
  });

  it('an unmodified client waits and goes on', async () => {
    const c = await s.channel(s.bot);
    const patient = s.client(s.messaging.bot_token, { retryConfig: { retries: 3, minTimeout: 10 } });
    let waits = 0;
    patient.on('rate_limited', (seconds) => { waits += 1; assert.ok(Number.isInteger(seconds) && seconds >= 1); });
    const all = await Promise.all(Array.from({ length: 22 }, (_, i) => patient.chat.postMessage({ channel: c.id, text: `n${i}` })));
    assert.ok(all.every((r) => r.ok));
    assert.ok(waits >= 1);
    const { messages } = await s.bot.conversations.history({ channel: c.id });
    assert.equal(messages.filter((m) => !m.subtype).length, 22, 'nothing was posted twice');
  });
});

describe('scaled limits', () => {
  it('x10 allows ten times as much', async () => {
    const s = await start('--rate-limits', 'x10');
    try {
      const strict = s.client(s.messaging.user_token, { rejectRateLimitedCalls: true });
      for (let i = 0; i < 200; i += 1) await strict.users.setPresence({ presence: 'auto' });
      await assert.rejects(async () => { for (let i = 0; i < 60; i += 1) await strict.users.setPresence({ presence: 'auto' }); }, { code: 'slack_webapi_rate_limited_error' });
    } finally {
      await s.stop();
    }
  });
});
