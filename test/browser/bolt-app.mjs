// A bolt app in a process of its own, as people write one: a message with a
// button and a select, a slash command that answers in the channel or to one person.
import bolt from '@slack/bolt';

const { App, LogLevel } = bolt;
const app = new App({
  token: process.env.BOT_TOKEN,
  signingSecret: process.env.SIGNING_SECRET,
  clientOptions: { slackApiUrl: process.env.API_URL },
  logLevel: LogLevel.ERROR,
});

const decided = (text) => [{ type: 'section', text: { type: 'mrkdwn', text } }];

app.command('/approve', async ({ command, ack, respond, client }) => {
  if (command.text === 'without an answer') {
    console.log('held');
    return; // nothing is acknowledged: who asked waits until the app is killed
  }
  await ack();
  if (command.text === '') {
    await respond({ text: 'Say what to approve.', response_type: 'ephemeral' });
    return;
  }
  await client.chat.postMessage({
    channel: command.channel_id,
    text: `Approve ${command.text}?`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `Approve *${command.text}*?` } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'approve', style: 'primary', value: command.text, text: { type: 'plain_text', text: 'Approve' } },
          {
            type: 'static_select',
            action_id: 'urgency',
            placeholder: { type: 'plain_text', text: 'Urgency' },
            options: ['Low', 'High'].map((t) => ({ value: t.toLowerCase(), text: { type: 'plain_text', text: t } })),
          },
          {
            type: 'button',
            action_id: 'refuse',
            style: 'danger',
            text: { type: 'plain_text', text: 'Refuse' },
            confirm: {
              title: { type: 'plain_text', text: 'Refuse it?' },
              text: { type: 'plain_text', text: 'Nobody can undo this.' },
              confirm: { type: 'plain_text', text: 'Refuse it' },
              deny: { type: 'plain_text', text: 'Keep it' },
            },
          },
        ],
      },
    ],
  });
});

app.action('approve', async ({ ack, body, action, respond }) => {
  await ack();
  await respond({ replace_original: true, text: `${action.value} approved`, blocks: decided(`${action.value} approved by <@${body.user.id}>`) });
});

app.action('urgency', async ({ ack, action, respond }) => {
  await ack();
  await respond({ response_type: 'ephemeral', replace_original: false, text: `Noted: ${action.selected_option.text.text}` });
});

app.action('refuse', async ({ ack, respond }) => {
  await ack();
  await respond({ replace_original: true, text: 'refused', blocks: decided('Refused for good') });
});

await app.start({ port: Number(process.env.PORT), host: '127.0.0.1' });
console.log('ready');
