/** A webhook, a subscription or a command, as its list shows it. */
export interface Item {
  id: string;
  ref?: string;
  url?: string;
  channel?: string;
  name?: string;
  command?: string;
  description?: string;
  usage_hint?: string;
  event_types?: string[];
  trigger_words?: string[];
  status?: string;
  app_id?: string;
  token?: string;
  signing_secret?: string;
}

export interface Field {
  name: string;
  label: string;
  required?: boolean;
  list?: boolean; // words separated by blanks or commas
  hint?: string;
}

type Column = [title: string, of: (x: Item, channel: (id: string) => string) => string | undefined];

/** A kind of integration: its routes and the columns of its table. */
export interface Kind {
  path: string;
  list: string; // the route of the list; an item is deleted below it
  create: string;
  plural: string; // the member of the reply with the list
  add: string;
  empty: string;
  consequence: string;
  delivers: boolean;
  fields: Field[];
  columns: Column[];
  nameOf: (x: Item) => string;
  secrets: (x: Item) => [string, string | undefined][];
}

const url: Field = {
  name: 'url',
  label: 'URL',
  required: true,
  hint: 'The address of a running program: http:// or https://.',
};
const appId: Field = { name: 'app_id', label: 'App id (optional)', hint: 'It stands in the list of apps.' };
const status: Column = ['Status', (x) => x.status];

export const kinds = {
  incoming: {
    path: 'incoming',
    list: '/api/webhooks/incoming',
    create: '/api/webhooks/incoming',
    plural: 'webhooks',
    add: 'Add incoming webhook',
    empty: 'No incoming webhook. With one, a program posts to a channel by an address alone.',
    consequence: 'Programs that post to its address are refused from now on.',
    delivers: false,
    fields: [
      { name: 'channel', label: 'Channel', required: true, hint: 'Its name, such as general.' },
      { name: 'name', label: 'Name (optional)' },
    ],
    columns: [
      ['Name', (x) => x.name],
      ['Channel', (x, channel) => channel(x.channel ?? '')],
      ['App', (x) => x.app_id],
    ],
    nameOf: (x) => x.name || x.ref || x.id,
    secrets: (x) => [['Webhook URL', x.url]],
  },
  outgoing: {
    path: 'outgoing',
    list: '/api/webhooks/outgoing',
    create: '/api/webhooks/outgoing',
    plural: 'webhooks',
    add: 'Add outgoing webhook',
    empty: 'No outgoing webhook. One is sent what is said in public channels.',
    consequence: 'Nothing more is sent to it.',
    delivers: true,
    fields: [
      url,
      { name: 'channel', label: 'Channel (optional)', hint: 'Its name; all public ones when left out.' },
      {
        name: 'trigger_words',
        label: 'Trigger words (optional)',
        list: true,
        hint: 'Separated by blanks; every message when left out.',
      },
      { name: 'name', label: 'Name (optional)' },
    ],
    columns: [
      ['Name', (x) => x.name],
      ['URL', (x) => x.url],
      ['Channel', (x, channel) => (x.channel ? channel(x.channel) : 'all public ones')],
      ['Trigger words', (x) => x.trigger_words?.join(', ')],
      status,
    ],
    nameOf: (x) => x.name || x.url || x.id,
    secrets: (x) => [
      ['Token', x.token],
      ['Signing secret', x.signing_secret],
    ],
  },
  subscriptions: {
    path: 'subscriptions',
    list: '/api/events/subscriptions',
    create: '/api/events/subscribe',
    plural: 'subscriptions',
    add: 'Add event subscription',
    empty: 'No event subscription. One is sent events, after its URL has answered a challenge.',
    consequence: 'Nothing more is sent to it; what was still to be delivered is not.',
    delivers: true,
    fields: [
      url,
      {
        name: 'event_types',
        label: 'Event types',
        required: true,
        list: true,
        hint: 'Separated by blanks, such as message app_mention.',
      },
      appId,
    ],
    columns: [
      ['URL', (x) => x.url],
      ['Event types', (x) => x.event_types?.join(', ')],
      ['App', (x) => x.app_id],
      status,
    ],
    nameOf: (x) => x.url || x.id,
    secrets: () => [],
  },
  commands: {
    path: 'commands',
    list: '/api/commands',
    create: '/api/commands',
    plural: 'commands',
    add: 'Add slash command',
    empty: 'No slash command. One is sent what people type behind it.',
    consequence: 'Nobody can run it any more.',
    delivers: false,
    fields: [
      { name: 'command', label: 'Command', required: true, hint: 'Such as /deploy.' },
      url,
      { name: 'description', label: 'Description (optional)' },
      { name: 'usage_hint', label: 'Usage hint (optional)' },
      appId,
    ],
    columns: [
      ['Command', (x) => x.command],
      ['Description', (x) => x.description],
      ['URL', (x) => x.url],
      ['App', (x) => x.app_id],
    ],
    nameOf: (x) => x.command || x.id,
    secrets: (x) => [
      ['Token', x.token],
      ['Signing secret', x.signing_secret],
    ],
  },
} satisfies Record<string, Kind>;
