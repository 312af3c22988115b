// Prints what the official client sends for its lists, byte for byte:
// {"issues": BODY, "teams": BODY, …}.
import { createServer } from 'node:http';
import { LinearClient } from '@linear/sdk';

let body;
const ear = createServer(async (request, response) => {
  body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  response.writeHead(500).end();
});
await new Promise((listening) => ear.listen(0, '127.0.0.1', listening));
const client = new LinearClient({ apiKey: 'none', apiUrl: `http://127.0.0.1:${ear.address().port}/graphql` });
const sent = {};
for (const [name, first] of Object.entries({ issues: 50, teams: 250, users: 250, workflowStates: 250, projects: 250, cycles: 250 })) {
  await client[name]({ first }).catch(() => {});
  sent[name] = body;
}
process.stdout.write(JSON.stringify(sent));
ear.close();
ear.closeAllConnections();
