// A scripted support agent: it works in all four services as a real one would, and reports what it does.
//
//   node docs/demo/agent.mjs understudy-data/credentials.json [number of sessions, 10]
//
// Every call of a tool is a span: its requests carry `traceparent`, and the event that is sent to ingestion names the
// same span. So a world knows which requests, changes and deliveries each event led to.
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const [file = 'understudy-data/credentials.json', count = '10'] = process.argv.slice(2);
const { messaging, crm, tracker, ingest } = JSON.parse(readFileSync(file, 'utf8'));
const hex = (bytes) => randomBytes(bytes).toString('hex');

/** Sends JSON to a service. It throws what the service says. */
async function call(url, token, body, { method = body ? 'POST' : 'GET', span } = {}) {
  const reply = await fetch(url, {
    method,
    headers: {
      Authorization: token,
      'Content-Type': 'application/json; charset=utf-8',
      ...(span ? { traceparent: span.traceparent } : {}),
    },
    body: body && JSON.stringify(body),
  });
  span?.mark('answered');
  const text = await reply.text();
  const value = text ? JSON.parse(text) : {};
  if (!reply.ok || value.ok === false || value.errors) {
    throw new Error(value.message ?? value.errors?.[0]?.message ?? value.error ?? text);
  }
  return value;
}

const api = {
  slack: (method, body, span) => call(`${messaging.base_url}/api/${method}`, `Bearer ${messaging.bot_token}`, body, { span, method: 'POST' }),
  crm: (path, body, span, method) => call(`${crm.base_url}/api${path}`, `Bearer ${crm.fixture_token ?? crm.access_token}`, body, { span, method }),
  tracker: async (query, variables, span) =>
    (await call(`${tracker.base_url}/graphql`, tracker.api_key, { query, variables }, { span })).data,
  ingest: (path, body) => call(`${ingest.base_url}/api/v1/${path}`, `Bearer ${ingest.api_key}`, body),
};

/** One conversation with a customer, as ingestion stores it. */
class Session {
  id = randomUUID();
  trace = hex(16);

  async begin(user, traits) {
    this.user = user;
    await api.ingest('capture-session', {
      session_id: this.id,
      user_data: { user_id: user, ...traits },
      client_config: 'support-demo',
      timestamp: Date.now(),
    });
  }

  /** Does something and reports it, also when it fails. Below a turn, calls of tools have it as their parent. */
  async step(name, { type, parent, args, model }, work) {
    const id = randomUUID();
    const span = hex(8);
    const began = performance.now();
    const timestamp = Date.now();
    const marks = {};
    const at = {
      id,
      traceparent: `00-${this.trace}-${span}-01`,
      mark: (checkpoint) => {
        marks[`checkpoint.${checkpoint}`] = Math.round(performance.now() - began);
      },
    };
    let result;
    let failure;
    try {
      result = await work(at);
    } catch (e) {
      failure = e;
    }
    await api.ingest('capture-event', {
      event_id: id,
      session_id: this.id,
      parent_id: parent,
      primitive_name: name,
      primitive_type: type,
      args: JSON.stringify(args),
      result: failure ? JSON.stringify({ error: failure.message }) : typeof result === 'string' ? result : JSON.stringify(result),
      success: !failure,
      latency: Math.round(performance.now() - began),
      timestamp,
      metadata: { traceparent: at.traceparent, ...marks },
      customer_id: this.customer,
      ...(model ? { model, input_tokens: 600 + Math.floor(Math.random() * 900), output_tokens: 40 + Math.floor(Math.random() * 160) } : {}),
    });
    if (failure) {
      throw failure;
    }
    return result;
  }
}

/** What the world has that the agent needs to know. */
async function lookAround() {
  const { channels } = await api.slack('conversations.list?limit=200');
  const channel = (channels.find((c) => c.name === 'support') ?? channels[0]).id;
  await api.slack('conversations.join', { channel });
  const { teams } = await api.tracker('query { teams { nodes { id key name } } }');
  const { results } = await api.crm('/crm/v3/objects/contacts?limit=50&properties=email,firstname,lastname,city');
  return { channel, team: teams.nodes[0], contacts: results.filter((c) => c.properties.email) };
}

const requests = [
  'The export of our report stops at 80 %.',
  'Two of us cannot sign in since this morning.',
  'Please send the invoice of last month again.',
  'The totals of the dashboard differ from the file.',
  'Can you raise the limit of our plan?',
];

/** Answers one customer: finds them, looks for a known issue, files one, notes it, informs the team. */
async function answer(world, number) {
  const session = new Session();
  const contact = world.contacts[number % world.contacts.length];
  const { email, firstname = '', lastname = '' } = contact.properties;
  const request = requests[number % requests.length];
  session.customer = email.split('@')[1];
  await session.begin(email, { name: `${firstname} ${lastname}`.trim(), plan: number % 3 === 0 ? 'enterprise' : 'team' });
  // Some runs go wrong, each for a reason that its trace shows.
  const wrongChannel = number % 10 === 3;
  const wrongProperty = number % 10 === 6;
  const work = async (turn) => {
    const tool = (name, args, f) => session.step(name, { type: 'tool', parent: turn.id, args }, f);
    await session.step('plan', { type: 'model', parent: turn.id, args: { request }, model: 'large-2' }, async (at) => {
      await pause(20 + Math.random() * 60);
      at.mark('first_token');
      await pause(10 + Math.random() * 40);
      return 'Find the customer, look for a known issue, file one, note it, tell the team.';
    });
    const found = await tool('find_contact', { email }, async (at) => {
      at.mark('sent');
      const reply = await api.crm(
        '/crm/v3/objects/contacts/search',
        { filterGroups: [{ filters: [{ propertyName: 'email', operator: 'EQ', value: email }] }], properties: ['email', 'firstname'] },
        at,
      );
      at.mark('read');
      return reply.results[0];
    });
    await tool('search_issues', { term: request.split(' ')[2] }, async (at) => {
      at.mark('sent');
      const { searchIssues } = await api.tracker(
        'query Search($term: String!) { searchIssues(term: $term, first: 5) { nodes { identifier title } } }',
        { term: request.split(' ')[2] },
        at,
      );
      at.mark('read');
      return searchIssues.nodes;
    });
    const issue = await tool('create_issue', { team: world.team.key, title: request }, async (at) => {
      at.mark('sent');
      const { issueCreate } = await api.tracker(
        'mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id identifier title } } }',
        { input: { teamId: world.team.id, title: request, description: `Reported by ${email}.` } },
        at,
      );
      at.mark('read');
      return issueCreate.issue;
    });
    // A change of the world's own words: the property is called lifecyclestage.
    const properties = wrongProperty ? { lifecycle_stage: 'customer' } : { jobtitle: `Waits for ${issue.identifier}` };
    await tool('update_contact', { id: found.id, properties }, async (at) => {
      at.mark('sent');
      const reply = await api.crm(`/crm/v3/objects/contacts/${found.id}`, { properties }, at, 'PATCH');
      at.mark('read');
      return { id: reply.id, updatedAt: reply.updatedAt };
    });
    // A name is no id: the service knows no such channel.
    const channel = wrongChannel ? 'support-escalations' : world.channel;
    await tool('post_update', { channel, issue: issue.identifier }, async (at) => {
      at.mark('sent');
      const reply = await api.slack('chat.postMessage', { channel, text: `${issue.identifier}: ${request} (${email})` }, at);
      at.mark('read');
      return { ts: reply.ts };
    });
    return `Filed ${issue.identifier} and told the team.`;
  };
  try {
    await session.step('support-agent', { args: { message: request }, model: 'large-2' }, work);
    return { session: session.id };
  } catch (e) {
    return { session: session.id, failed: e.message };
  }
}

const world = await lookAround();
for (let i = 0; i < Number(count); i++) {
  const { session, failed } = await answer(world, i);
  console.log(`session ${i + 1} of ${count}  ${session}  ${failed ? `failed: ${failed}` : 'done'}`);
}
