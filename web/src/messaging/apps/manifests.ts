import type { Fault } from '../../ui/Editor';

/** Templates for new manifests. */
export const templates: Record<string, string> = {
  Bot: `display_information:
  name: My bot
features:
  bot_user:
    display_name: mybot
oauth_config:
  scopes:
    bot: [chat:write, channels:history, channels:read, app_mentions:read]
settings:
  event_subscriptions:
    request_url: http://127.0.0.1:3000/slack/events
    bot_events: [app_mention, message.channels]
`,
  'Slash command': `display_information:
  name: My command
features:
  bot_user:
    display_name: mycommand
  slash_commands:
    - command: /hello
      url: http://127.0.0.1:3000/slack/events
      description: Say hello
      usage_hint: "[name]"
oauth_config:
  scopes:
    bot: [chat:write, commands]
`,
  Interactive: `display_information:
  name: My buttons
features:
  bot_user:
    display_name: mybuttons
oauth_config:
  scopes:
    bot: [chat:write, channels:read]
settings:
  interactivity:
    is_enabled: true
    request_url: http://127.0.0.1:3000/slack/events
`,
};

/** Parses a manifest in JSON or YAML. It throws an Error that names the line of a mistake. */
export async function readManifest(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  const value: unknown = parse(text); // JSON is YAML
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('A manifest is an object with display_information.');
  }
  return value;
}

/** Returns the syntax errors of a YAML text. */
export async function faultsOf(text: string): Promise<Fault[]> {
  const { parseDocument } = await import('yaml');
  return parseDocument(text, { prettyErrors: false }).errors.map((e) => ({
    from: e.pos[0],
    to: e.pos[1],
    message: e.message,
  }));
}
