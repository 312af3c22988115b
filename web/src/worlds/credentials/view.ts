export type Credentials = Record<string, unknown>;

/** The order of services in credentials. */
const order = ['messaging', 'crm', 'tracker', 'ingest', 'admin'];

/** Returns the parts of credentials that are objects: services first, the admin plane last. */
export function partsOf(all: Credentials): [name: string, values: [string, unknown][]][] {
  return order.flatMap((name): [string, [string, unknown][]][] => {
    const part = all[name];
    return part && typeof part === 'object' ? [[name, Object.entries(part)]] : [];
  });
}

/** Reports whether a field of credentials is masked. */
export const isSecret = (field: string): boolean =>
  /token|secret|password|key$|^key/.test(field) && field !== 'url_key';

const text = (part: unknown, field: string): string =>
  String((part as Record<string, unknown> | undefined)?.[field] ?? '');

/** Returns example calls by language. Secrets are replaced by variables. */
export function snippetsOf(all: Credentials): [language: string, code: string][] {
  const base = text(all.messaging, 'base_url');
  return [
    [
      'curl',
      `curl "${base}/api/chat.postMessage" \\\n  -H "Authorization: Bearer $SLACK_BOT_TOKEN" \\\n  -d channel=general -d text=hello`,
    ],
    [
      'Node',
      `import { WebClient } from '@slack/web-api';\n\nconst client = new WebClient(process.env.SLACK_BOT_TOKEN, { slackApiUrl: '${base}/api/' });\nawait client.chat.postMessage({ channel: 'general', text: 'hello' });`,
    ],
    [
      'Go',
      `api := slack.New(os.Getenv("SLACK_BOT_TOKEN"), slack.OptionAPIURL("${base}/api/"))\n_, _, err := api.PostMessage("general", slack.MsgOptionText("hello", false))`,
    ],
  ];
}
