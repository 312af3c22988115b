// api_url of each service is what its official client is given.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from '@hubspot/api-client';
import { LinearClient } from '@linear/sdk';
import bolt from '@slack/bolt';
import { fork } from '../../../clients/node/index.js';
import { binary } from '../process.mjs';

process.env.UNDERSTUDY_BIN = binary();
let w, slack, hubspot, linear;

before(async () => {
  w = await fork({ fixture: 'demo', seed: 7 });
  const { messaging, crm, tracker } = w.credentials;
  slack = new bolt.App({ token: messaging.bot_token, signingSecret: messaging.signing_secret, clientOptions: { slackApiUrl: messaging.api_url } }).client;
  hubspot = new Client({ accessToken: crm.access_token, basePath: crm.api_url });
  linear = new LinearClient({ apiKey: tracker.api_key, apiUrl: tracker.api_url });
});

after(() => w.delete());

test('one request in three services, and nothing else', async () => {
  const question = await w.person('messaging/jon.abel').say('#support', 'Pinewood Logistics cannot sign in since this morning.');
  const { nodes: [team] } = await linear.teams({ filter: { key: { eq: 'SUP' } } });
  const { issue: made } = await linear.createIssue({ teamId: team.id, title: 'Pinewood cannot sign in', priority: 1 });
  const issue = await made;
  await hubspot.crm.tickets.basicApi.create({ properties: { subject: `${issue.identifier}: sign in`, hs_pipeline: '0', hs_pipeline_stage: '1' }, associations: [] });
  await slack.conversations.join({ channel: question.channel });
  await slack.chat.postMessage({ channel: question.channel, thread_ts: question.ts, text: `We look into it: ${issue.identifier}` });
  const { score } = await w.expect([
    { inserted: 'tracker.issue', where: { teamId: 'SUP', plain: { contains: 'sign in', ignoring: ['case'] }, priority: { any_of: [1, 2] } }, as: 'issue' },
    { inserted: 'crm.ticket', where: { 'properties.subject': { contains: '$issue.identifier' } } },
    { inserted: 'messaging.message', where: { channel: '#support', thread_ts: question.ts, plain: { contains: '$issue.identifier' } }, weight: 2 },
  ], { nothing_else: true, trajectory: [{ before: [{ operation: 'tracker.issueCreate' }, { operation: 'messaging.chat.postMessage' }] }] });
  assert.equal(score, 1);
  await w.nothingElse();
});
