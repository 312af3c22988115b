// What the suites of official clients share to break requests on purpose.
import assert from 'node:assert/strict';

/**
 * Rules of the default environment: broken(rule, call) runs call while a rule is
 * in force, by default for the first request of an operation, and returns
 * {value, error, faults, ms}: what the call returned or threw, what was done to
 * each request of the operation (null for nothing), oldest first, and how long it took.
 */
export function faultsOf(credentials) {
  const { base_url: base, key } = credentials.admin;
  const admin = async (method, path, body) => {
    const reply = await fetch(base + path, { method, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
    const text = await reply.text();
    assert.ok(reply.status < 300, text);
    return text === '' ? null : JSON.parse(text);
  };
  const requests = async (operation) => (await admin('GET', `/environments/default/requests?operation=${encodeURIComponent(operation)}&limit=100`)).requests;
  return {
    async broken({ operation, when = { nth: [1] }, ...rule }, call) {
      await admin('DELETE', '/environments/default/faults');
      const [newest] = await requests(operation);
      await admin('POST', '/environments/default/faults', { id: 'it', on: 'request', match: { operation }, when, do: rule.do });
      const began = Date.now();
      const [value, error] = await call().then((v) => [v, null], (e) => [null, e]);
      const ms = Date.now() - began;
      await admin('DELETE', '/environments/default/faults');
      const made = (await requests(operation)).filter((r) => !newest || r.seq > newest.seq);
      return { value, error, ms, faults: made.reverse().map((r) => r.fault?.do ?? null) };
    },
  };
}
