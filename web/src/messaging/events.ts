import { addMessage, addReply, dropMessage, type Held, react, replaceMessage } from './held';
import { patchChannel, type State, withEntry } from './state';
import type { Channel, Message, User } from './types';

/** A live event as the connection delivers it. */
export interface LiveEvent {
  name: string;
  payload: unknown;
}

/** The state after an event, and the necessary follow-ups. */
export interface Received {
  state: State;
  /** Conversations and read marks must be loaded again. */
  reload?: boolean;
  /** The conversation that has a new message. */
  news?: Channel;
}

interface RawMessage {
  subtype?: string;
  channel: string;
  deleted_ts?: string;
  message?: Message;
  previous_message?: Message;
}

interface Ephemeral {
  channel: string;
  message?: Message;
  replaces?: string;
  deleted?: string;
}

interface Reacted {
  user: string;
  reaction: string;
  item: { channel: string; ts: string };
}

/** Applies a live event. draftOf returns the temporary ts of a message of this client. */
export function receive(state: State, e: LiveEvent, draftOf: (id: string) => string | undefined): Received {
  switch (e.name) {
    case 'message':
      return receiveMessage(state, e.payload as RawMessage, draftOf);
    case 'reaction_added':
    case 'reaction_removed': {
      const { item, reaction, user } = e.payload as Reacted;
      const held = react(state, item.channel, item.ts, reaction, user, e.name === 'reaction_added');
      return { state: withHeld(state, held) };
    }
    case 'channel_marked': {
      const { channel, last_read, unread_count, mention_count, starred } = e.payload as Partial<Channel> & {
        channel: string;
      };
      return { state: patchChannel(state, channel, { last_read, unread_count, mention_count, starred }) };
    }
    case 'channel_rename':
    case 'group_rename': {
      const { channel } = e.payload as { channel: { id: string; name: string } };
      return { state: patchChannel(state, channel.id, { name: channel.name }) };
    }
    case 'channel_joined':
    case 'channel_left':
    case 'channel_archive':
    case 'channel_unarchive':
    case 'group_archive':
    case 'group_unarchive':
      return { state, reload: true };
    case 'app_changed':
      return { state: { ...state, apps: state.apps + 1 }, reload: true };
    case 'user_change': {
      const { user } = e.payload as { user: User };
      return { state: { ...state, people: withEntry(state.people, user.id, user) } };
    }
    case 'presence_change': {
      const p = e.payload as { user: string; presence: string };
      return { state: { ...state, presence: withEntry(state.presence, p.user, p.presence) } };
    }
    case 'ephemeral_message':
      return receiveEphemeral(state, e.payload as Ephemeral);
  }
  return { state };
}

const withHeld = (state: State, h: Held): State => ({ ...state, windows: h.windows, threads: h.threads });

/** Adds, replaces or removes an ephemeral message. */
export function receiveEphemeral(state: State, e: Ephemeral): Received {
  const gone = e.replaces ?? e.deleted;
  const list = (state.ephemeral.get(e.channel) ?? []).filter((m) => m.ts !== gone);
  if (e.message) {
    list.push({ ...e.message, is_ephemeral: true });
  }
  return {
    state: { ...state, ephemeral: withEntry(state.ephemeral, e.channel, list) },
    news: e.message && state.channels.get(e.channel),
  };
}

const quiet = new Set(['channel_join', 'channel_leave']);

function receiveMessage(state: State, e: RawMessage, draftOf: (id: string) => string | undefined): Received {
  if (e.subtype === 'message_changed' && e.message) {
    return { state: withHeld(state, replaceMessage(state, e.channel, e.message)) };
  }
  if (e.subtype === 'message_deleted' && e.deleted_ts) {
    return { state: withHeld(state, dropMessage(state, e.channel, e.deleted_ts, e.previous_message)) };
  }
  const m = e as unknown as Message & { channel: string; topic?: string };
  const draft = m.client_msg_id ? draftOf(m.client_msg_id) : undefined;
  const reply = m.thread_ts !== undefined && m.thread_ts !== m.ts;
  let held: Held = state;
  if (reply) {
    held = addReply(held, e.channel, m, draft);
  }
  if (!reply || m.subtype === 'thread_broadcast') {
    held = addMessage(held, e.channel, m, reply ? undefined : draft);
  }
  const next = withHeld(state, held);
  if (reply && m.subtype !== 'thread_broadcast') {
    return { state: next };
  }
  const c = next.channels.get(e.channel);
  const news = m.user !== next.boot?.user.id && !quiet.has(m.subtype ?? '');
  if (!c) {
    return { state: next, reload: news }; // the first message of a new direct conversation
  }
  const change: Partial<Channel> = { latest: m.ts, topic: m.subtype === 'channel_topic' ? (m.topic ?? '') : undefined };
  if (news) {
    const mentioned = m.text.includes(`<@${next.boot?.user.id}`) || /<!(here|channel|everyone)/.test(m.text);
    change.unread_count = c.unread_count + 1;
    change.mention_count = c.mention_count + (mentioned ? 1 : 0);
  }
  return { state: patchChannel(next, e.channel, change), news: news ? c : undefined };
}
