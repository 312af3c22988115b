// What `make demo` sets up in the world around the scripted agent, so that every screen of the web UI has something to
// show: a receiver of webhooks, a snapshot, a fault rule, and a verdict on what the agent did.
import { createServer } from 'node:http';

/** Returns functions that call the admin plane and messaging. */
function callers({ admin, messaging }) {
  const send = async (url, token, body) => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!reply.ok) {
      throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
    }
    return reply.json();
  };
  return {
    world: (path, body) => send(`${admin.base_url}/environments/default${path}`, admin.key, body),
    hook: (url) => send(`${messaging.base_url}/api/webhooks/outgoing`, messaging.user_token, { url }),
  };
}

/** Prepares the world: a receiver that never takes its third message, a snapshot of the time before, and a rule that makes one issue slow. */
export async function prepare(credentials) {
  const { world, hook } = callers(credentials);
  let received = 0;
  let refused;
  const receiver = createServer(async (request, reply) => {
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    const body = Buffer.concat(chunks).toString();
    received++;
    if (received === 3) {
      refused = body;
    }
    const busy = body === refused;
    reply.writeHead(busy ? 503 : 200).end(busy ? 'The receiver is busy.' : 'ok');
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  await hook(`http://127.0.0.1:${receiver.address().port}/messages`);
  await world('/snapshots', { name: 'before the agent' });
  await world('/faults', {
    id: 'third-issue-is-slow',
    on: 'request',
    match: { operation: 'tracker.issueCreate' },
    when: { nth: [3] },
    do: { delay: { ms: 250 } },
  });
}

/** Asks what came of the agent's sessions, and reports it as the verdict of a run. */
export async function judge(credentials, sessions, seconds) {
  const { world } = callers(credentials);
  const verdict = await world('/verdict', {
    expect: [
      { name: 'an issue for each customer', inserted: 'tracker.issue', count: sessions },
      { name: 'a message for each customer', inserted: 'messaging.message', count: sessions },
      { name: 'no contact is lost', deleted: 'crm.contact', count: 0 },
    ],
  });
  await world('/verdicts', {
    task: 'answer ten customers',
    run: 1,
    series: 'demo',
    state: verdict.passed ? 'passed' : 'failed',
    score: verdict.score,
    seconds,
    exit: 0,
    kept: true,
    verdict,
  });
}
