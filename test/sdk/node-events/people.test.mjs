// A Bolt app of a seed document, unmodified, and people of the world who use it:
// a command, buttons, a click, an edit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { freePort } from '../process.mjs';
import { admin } from './receiver.mjs';

let s, world, app, url;

before(async () => {
  s = await start();
  const port = await freePort();
  url = `http://127.0.0.1:${port}/slack/events`;
  world = (await admin(s, 'POST', '/environments', { fixture: 'demo', document: { messaging: { apps: { approvals: {
    interactivity: url, commands: [{ command: '/approve', url }], subscriptions: [{ url, event_types: ['message', 'app_mention'] }] } } } } })).body;
  const made = world.made.messaging.apps.approvals;
  const { default: { App, HTTPReceiver, LogLevel } } = await import('@slack/bolt');
  const receiver = new HTTPReceiver({ signingSecret: made.signing_secret, logLevel: LogLevel.ERROR });
  app = new App({ token: made.bot_token, receiver, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: `${world.messaging.base_url}/api/` } });
  app.command('/approve', async ({ command, ack, client }) => {
    await ack();
    await client.chat.postMessage({ channel: command.channel_id, text: `Approve ${command.text}?`, blocks: [{ type: 'actions', block_id: 'b', elements: [
      { type: 'button', action_id: 'approve', value: command.text, style: 'primary', text: { type: 'plain_text', text: 'Approve' } }] }] });
  });
  app.action('approve', async ({ ack, body, action, client }) => {
    await ack();
    await client.chat.update({ channel: body.channel.id, ts: body.message.ts, text: `${action.value} approved by <@${body.user.id}>`, blocks: [] });
  });
  await app.start({ port, host: '127.0.0.1' });
});

after(async () => {
  await app?.stop();
  await s?.stop();
});

const act = async (who, what, body) => {
  const r = await admin(s, 'POST', `/environments/${world.id}/people/messaging/${who}/${what}`, body);
  assert.equal(r.status, 200, JSON.stringify(r.body));
  return r.body;
};

test('a command, buttons, a wait, a click, an edit', async () => {
  await act('jon.abel', 'run', { command: '/approve 42', channel: '#general' });
  const { item } = await act('jon.abel', 'wait', { for: { channel: '#general', text: { contains: 'Approve 42?' } } });
  const clicked = await act('lena.park', 'click', { message: { channel: '#general', ts: item.ts }, action_id: 'approve' });
  assert.equal(clicked.action.value, '42');
  assert.equal(clicked.action.style, 'primary');
  const settled = await admin(s, 'POST', `/environments/${world.id}/settle`, {});
  assert.equal(settled.body.settled, true);
  const lena = (await admin(s, 'GET', `/environments/${world.id}/people?service=messaging&query=lena`)).body.people[0];
  const { items } = (await admin(s, 'GET', `/environments/${world.id}/people/messaging/jon.abel/inbox`)).body;
  assert.equal(items[0].text, `42 approved by <@${lena.id}>`);
  assert.ok(lena.acts.includes('click'));
});
