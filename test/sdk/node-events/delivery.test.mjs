// How events are delivered: signatures, retries, headers, order, the admin plane's view.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { admin, receiver, subscribe, until } from './receiver.mjs';

let s, general;
before(async () => {
  s = await start();
  const { channels } = await s.admin.conversations.list({ types: 'public_channel' });
  general = channels.find((c) => c.name === 'general').id;
});
after(async () => { await s?.stop(); });

const say = (text, channel = general) => s.admin.chat.postMessage({ channel, text });

test('a retry is the same event, signed anew, with its number and reason', async () => {
  const r = await receiver((q, got) => ({ status: got.length === 1 ? 500 : 200 }));
  const sub = await subscribe(s, r.url, ['message']);
  try {
    await say('once more');
    await until(() => r.got.length === 2, 'the first retry', 5000);
    const [first, second] = r.got;
    assert.equal(first.headers['x-slack-retry-num'], undefined);
    assert.equal(second.headers['x-slack-retry-num'], '1');
    assert.equal(second.headers['x-slack-retry-reason'], 'http_error');
    assert.equal(first.raw, second.raw);
    for (const q of r.got) {
      assert.equal(q.headers['content-type'], 'application/json');
      const want = createHmac('sha256', s.messaging.signing_secret).update(`v0:${q.headers['x-slack-request-timestamp']}:${q.raw}`).digest('hex');
      assert.equal(q.headers['x-slack-signature'], `v0=${want}`);
    }
    const seen = await until(async () => {
      const { body } = await admin(s, 'GET', `/environments/default/deliveries?service=messaging&destination=${sub.id}`);
      return body.deliveries[0]?.status === 'delivered' && body.deliveries[0];
    }, 'the delivery in the admin plane');
    assert.deepEqual(seen.attempts.map((a) => [a.number, a.status, a.outcome]), [[1, 500, 'answered'], [2, 200, 'answered']]);
    assert.equal(seen.event, 'message');
    assert.equal(seen.url, r.url);

    const one = await admin(s, 'GET', `/environments/default/deliveries/${seen.id}`);
    assert.equal(one.body.body.event.text, 'once more');
    assert.deepEqual(one.body.delivery.attempts, one.body.attempts);
    const again = await admin(s, 'POST', `/environments/default/deliveries/${seen.id}/replay`);
    assert.equal(again.status, 202, JSON.stringify(again.body));
    await until(() => r.got.length === 3, 'the replay');
    assert.equal(r.got[2].raw, first.raw);
    assert.equal((await admin(s, 'GET', '/environments/default/deliveries/dlv_zz')).status, 404);
    assert.equal((await admin(s, 'GET', '/environments/default/deliveries?status=odd')).status, 400);
  } finally {
    await s.rest('DELETE', `/api/events/subscriptions/${sub.id}`, { token: s.messaging.user_token });
    r.stop();
  }
});

test('X-Slack-No-Retry is honoured', async () => {
  const r = await receiver(() => ({ status: 500, headers: { 'X-Slack-No-Retry': '1' } }));
  const sub = await subscribe(s, r.url, ['message']);
  try {
    await say('never again');
    await until(() => r.got.length === 1, 'the attempt');
    await new Promise((resolve) => setTimeout(resolve, 1800));
    assert.equal(r.got.length, 1);
    const { body } = await admin(s, 'GET', `/environments/default/deliveries?destination=${sub.id}`);
    assert.equal(body.deliveries[0].status, 'failed');
  } finally {
    await s.rest('DELETE', `/api/events/subscriptions/${sub.id}`, { token: s.messaging.user_token });
    r.stop();
  }
});

test('no answer within three seconds is a failure, a redirect is not followed', async () => {
  const r = await receiver((q) => (q.body.event.text === 'slow' ? { delay: 3600 } : { status: 302, headers: { location: '/elsewhere' } }));
  const sub = await subscribe(s, r.url, ['message']);
  try {
    await say('slow');
    await say('moved', (await s.admin.conversations.create({ name: s.name() })).channel.id).catch(() => {});
    await until(() => r.got.some((q) => q.headers['x-slack-retry-num'] === '1'), 'the retry of the slow one');
    const retry = r.got.find((q) => q.headers['x-slack-retry-num'] === '1');
    assert.equal(retry.headers['x-slack-retry-reason'], 'http_timeout');
    const took = retry.at - r.got.find((q) => q.body.event_id === retry.body.event_id).at;
    assert.ok(took > 2900 && took < 5500, `${took} ms`);
    assert.ok(r.got.every((q) => q.path === '/hook'));
  } finally {
    await s.rest('DELETE', `/api/events/subscriptions/${sub.id}`, { token: s.messaging.user_token });
    r.stop();
  }
});

test('retry times follow the clock of the environment', async () => {
  const at = '2026-05-01T10:00:00Z';
  const made = await admin(s, 'POST', '/environments', { clock: at, rate_limits: 'off' });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const env = made.body.messaging;
  const r = await receiver(() => ({ status: 503 }));
  try {
    const rest = (method, path, body) => s.rest(method, path, { token: env.user_token, body, base: env.base_url });
    assert.equal((await rest('POST', '/api/events/subscribe', { url: r.url, event_types: ['message'] })).status, 201);
    await rest('POST', '/api/chat.postMessage', { channel: 'general', text: 'tick' });
    await until(() => r.got.length === 1, 'the attempt');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal(r.got.length, 1, 'a frozen clock has no retries');
    const advance = (d) => admin(s, 'POST', `/environments/${made.body.id}/clock`, { advance: d });
    assert.equal((await advance('5s')).status, 200);
    await until(() => r.got.length === 2, 'the first retry');
    await advance('61s');
    await until(() => r.got.length === 3, 'the second retry');
    await advance('301s');
    await until(() => r.got.length === 4, 'the third retry');
    assert.deepEqual(r.got.map((q) => q.headers['x-slack-retry-num']), [undefined, '1', '2', '3']);
    assert.equal(r.got[3].body.event_time, Date.parse(at) / 1000);
  } finally {
    r.stop();
    await admin(s, 'DELETE', `/environments/${made.body.id}`);
  }
});

test('subscriptions: handshake, unknown types, other apps', async () => {
  const token = s.messaging.user_token;
  const r = await receiver();
  const make = (body) => s.rest('POST', '/api/events/subscribe', { token, body });
  try {
    assert.equal((await make({ url: r.url, event_types: ['nonsense'] })).status, 422);
    assert.equal((await make({ url: r.url, event_types: [] })).status, 422);
    assert.equal((await make({ url: 'ftp://x', event_types: ['message'] })).status, 400);
    assert.equal((await make({ event_types: ['message'] })).status, 400);
    assert.equal((await make({ url: r.url, event_types: ['message'], app_id: 'A0NOSUCHAPP' })).status, 404);
    const wrong = await make({ url: 'http://127.0.0.1:9/', event_types: ['message'] });
    assert.equal(wrong.status, 422);
    assert.equal(wrong.body.error, 'url_verification_failed');
    assert.equal((await s.rest('POST', '/api/events/subscribe', { token: s.messaging.bot_token, body: {} })).status, 403);
    const made = await make({ url: r.url, event_types: ['message.channels', 'reaction_added'] });
    assert.equal(made.status, 201);
    const list = await s.rest('GET', '/api/events/subscriptions', { token });
    assert.deepEqual(list.body.subscriptions, [made.body]);
    assert.equal((await s.rest('DELETE', `/api/events/subscriptions/${made.body.id}`, { token })).status, 204);
    assert.equal((await s.rest('DELETE', `/api/events/subscriptions/${made.body.id}`, { token })).status, 404);
  } finally { r.stop(); }
});

test('an app without users:read.email is told no addresses, without a history scope no messages', async () => {
  const r = await receiver();
  const { app } = await s.app(['users:read', 'channels:read', 'channels:join']);
  const sub = await subscribe(s, r.url, ['message', 'user_change'], { app_id: app.app_id });
  try {
    await s.client(app.bot_token).conversations.join({ channel: general });
    await say('unheard');
    const person = await s.person();
    await person.client.users.profile.set({ profile: { status_text: 'x' } });
    await until(() => r.got.length > 0, 'user_change');
    assert.deepEqual(r.got.map((q) => q.body.event.type), ['user_change']);
    assert.equal(r.got[0].body.event.user.profile.status_text, 'x');
    assert.ok(!r.got[0].raw.includes(person.email));
  } finally {
    await s.rest('DELETE', `/api/events/subscriptions/${sub.id}`, { token: s.messaging.user_token });
    r.stop();
  }
});
