// The bot under test: /approve asks, a click decides, a question in a channel is answered once.
import bolt from '@slack/bolt';

const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  signingSecret: process.env.SLACK_SIGNING_SECRET,
  endpoints: ['/events', '/commands', '/interactions'],
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL },
  logLevel: bolt.LogLevel.ERROR,
  processBeforeResponse: true, // who calls gets the answer after the work: a test then knows that it is done
});

app.command('/approve', async ({ command, ack, client }) => {
  await ack();
  const text = `Approve ${command.text}?`;
  await client.chat.postMessage({
    channel: command.channel_id,
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text } },
      { type: 'actions', elements: [{ type: 'button', action_id: 'approve', value: command.text, style: 'primary', text: { type: 'plain_text', text: 'Approve' } }] },
    ],
  });
});

app.action('approve', async ({ action, body, ack, client }) => {
  await ack();
  const text = `${action.value} was approved by <@${body.user.id}>`;
  await client.chat.update({ channel: body.channel.id, ts: body.message.ts, text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] });
});

// Deliveries may come twice; their event id says so.
const answered = new Set();
app.message('status', async ({ body, message, say }) => {
  if (answered.has(body.event_id)) return;
  answered.add(body.event_id);
  await say({ text: 'nothing is waiting', thread_ts: message.ts });
});

await app.start(Number(process.env.PORT));
