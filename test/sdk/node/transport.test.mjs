// How arguments travel, and what bad requests get. Raw requests, because the client sends only one form.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { start } from './harness.mjs';

describe('transport', () => {
  let s;
  let channel;
  const bearer = () => ({ authorization: `Bearer ${s.messaging.bot_token}` });
  const send = async (path, options = {}) => {
    const r = await fetch(`${s.base}/api/${path}`, { redirect: 'manual', ...options });
    const text = await r.text();
    return { status: r.status, headers: r.headers, body: JSON.parse(text) };
  };
  const post = (type, body, headers = {}) => send('conversations.info', { method: 'POST', headers: { ...bearer(), ...(type ? { 'content-type': type } : {}), ...headers }, body });
  const found = (r) => {
    assert.equal(r.status, 200);
    assert.equal(r.body.ok, true, JSON.stringify(r.body));
    assert.equal(r.body.channel.id, channel.id);
  };
  const error = (r, code) => {
    assert.equal(r.status, 200, 'every answer but 429 and 413 is 200');
    assert.equal(r.body.ok, false);
    assert.equal(r.body.error, code);
  };

  before(async () => { s = await start(); channel = await s.channel(s.bot); });
  after(() => s.stop());

  it('reads JSON, forms, multipart, text and the query string', async () => {
    found(await post('application/json', JSON.stringify({ channel: channel.id })));
    found(await post('application/json; charset=utf-8', JSON.stringify({ channel: channel.id })));
    found(await post('application/x-www-form-urlencoded', `channel=${channel.id}`));
    found(await post('text/plain', `channel=${channel.id}`));
    const form = new FormData();
    form.set('channel', channel.id);
    found(await post(undefined, form));
    found(await send(`conversations.info?channel=${channel.id}`, { headers: bearer() }));
    found(await send(`conversations.info?channel=${channel.id}`, { method: 'POST', headers: bearer() }));
    found(await send(`conversations.info?channel=${channel.id}`, { headers: { ...bearer(), 'content-type': 'application/json' } }));
  });

  it('prefers the body over the query string', async () => {
    found(await send('conversations.info?channel=C0NOTHING00', { method: 'POST', headers: { ...bearer(), 'content-type': 'application/json' }, body: JSON.stringify({ channel: channel.id }) }));
  });

  it('finds the token in the header of any case, in the body and in the query', async () => {
    const token = s.messaging.bot_token;
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const r of [
      await send('auth.test', { method: 'POST', headers: { authorization: `bearer ${token}` } }),
      await send('auth.test', { method: 'POST', headers: form, body: `token=${token}` }),
      await send('auth.test', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }),
      await send(`auth.test?token=${token}`),
    ]) assert.equal(r.body.user_id, s.messaging.bot_user_id, JSON.stringify(r.body));
  });

  it('takes an empty body of every type as no arguments', async () => {
    for (const type of ['application/json', 'application/json;charset=utf-8', 'application/x-www-form-urlencoded', undefined]) {
      const r = await send('auth.test', { method: 'POST', headers: { ...bearer(), ...(type ? { 'content-type': type } : {}) }, body: '' });
      assert.equal(r.body.ok, true, `${type}: ${JSON.stringify(r.body)}`);
    }
  });

  it('ignores unknown arguments and empty ones', async () => {
    const r = await send('users.list', { method: 'POST', headers: { ...bearer(), 'content-type': 'application/x-www-form-urlencoded' }, body: 'cursor=&team_id=&limit=&presence=false&anything=1' });
    assert.equal(r.body.ok, true, JSON.stringify(r.body));
  });

  it('warns of a JSON body without a charset, and only then', async () => {
    const without = await post('application/json', JSON.stringify({ channel: channel.id }));
    assert.equal(without.body.warning, 'missing_charset');
    assert.deepEqual(without.body.response_metadata.warnings, ['missing_charset']);
    const given = await post('application/json; charset=utf-8', JSON.stringify({ channel: channel.id }));
    assert.equal(given.body.warning, undefined);
  });

  it('refuses bodies that cannot be read', async () => {
    error(await post('application/json; charset=utf-8', '{"channel":'), 'invalid_json');
    error(await post('application/json; charset=utf-8', '["a"]'), 'json_not_object');
    error(await post('application/json; charset=utf-8', '"a"'), 'json_not_object');
    error(await post('application/xml', '<a/>'), 'invalid_post_type');
    error(await post('application/x-www-form-urlencoded; charset=utf-16', `channel=${channel.id}`), 'invalid_charset');
    error(await post('multipart/form-data; boundary=x', 'no such boundary'), 'invalid_form_data');
    error(await post('application/x-www-form-urlencoded', 'channel=%zz'), 'invalid_form_data');
    error(await post('application/x-www-form-urlencoded', 'users[]=U1'), 'invalid_array_arg');
  });

  it('says 413 in its own dialect to a body over 1 MiB', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/x-www-form-urlencoded']) {
      const r = await send('chat.postMessage', { method: 'POST', headers: { ...bearer(), 'content-type': type }, body: 'a='.padEnd((1 << 20) + 1, 'x') });
      assert.equal(r.status, 413);
      assert.equal(r.body.ok, false);
      assert.ok(r.body.error);
    }
  });

  it('answers nonsense without a server fault', async () => {
    const deep = '{"channel":'.padEnd(11 + 200_000, '[');
    const bodies = [
      ['application/json; charset=utf-8', deep],
      ['application/json; charset=utf-8', '{"channel":{"a":1}}'],
      ['application/json; charset=utf-8', '{"channel":12345678901234567890}'],
      ['application/json; charset=utf-8', '{"channel":null}'],
      ['application/json; charset=utf-8', '{"channel":true}'],
      ['application/json; charset=utf-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
      ['application/x-www-form-urlencoded', 'channel=%00%ff%fe'],
      ['application/x-www-form-urlencoded', '&&&==&channel'],
    ];
    for (const [type, body] of bodies) {
      for (const method of ['conversations.info', 'chat.postMessage', 'search.messages', 'conversations.history']) {
        const r = await send(method, { method: 'POST', headers: { ...bearer(), 'content-type': type }, body });
        assert.equal(r.status, 200);
        assert.equal(r.body.ok, false, `${method} ${String(body).slice(0, 40)}: ${JSON.stringify(r.body).slice(0, 200)}`);
        assert.ok(!['fatal_error', 'internal_error'].includes(r.body.error), `${method} ${String(body).slice(0, 40)}: ${r.body.error}`);
      }
    }
  });

  it('never redirects', async () => {
    for (const path of ['/auth.test', 'auth.test/', './auth.test', 'x/../auth.test']) {
      const r = await fetch(`${s.base}/api/${path}`, { method: 'POST', headers: bearer(), redirect: 'manual' });
      assert.ok(r.status < 300 || r.status >= 400, `${path}: ${r.status}`);
      await r.text();
    }
  });

  it('keeps control plane and data plane apart', async () => {
    assert.equal((await send('auth.test', { method: 'POST', headers: bearer() })).body.ok, true);
    assert.equal((await s.rest('GET', '/api/auth/me', { token: s.messaging.user_token })).status, 200);
    assert.equal((await send('apps.connections.open', { method: 'POST', headers: bearer() })).body.ok, false);
    assert.equal((await s.rest('GET', '/api/apps', { token: s.messaging.user_token })).status, 200);
  });
});
