export interface Profile {
  real_name?: string;
  display_name?: string;
  title?: string;
  email?: string;
  status_text?: string;
  status_emoji?: string;
  status_expiration?: number;
  phone?: string;
}

export interface User {
  id: string;
  name: string;
  real_name?: string;
  deleted?: boolean;
  is_bot?: boolean;
  is_admin?: boolean;
  tz?: string;
  profile: Profile;
}

export type Kind = 'public' | 'private' | 'im' | 'mpim';

export interface Channel {
  id: string;
  name: string;
  kind: Kind;
  members?: string[];
  user?: string;
  topic: string;
  last_read: string;
  latest: string;
  unread_count: number;
  mention_count: number;
  starred: boolean;
  archived: boolean;
  is_general: boolean;
}

export interface Reaction {
  name: string;
  users: string[];
  count: number;
}

// biome-ignore lint/suspicious/noExplicitAny: blocks come from apps in any form; what draws them checks each member
export type Block = Record<string, any>;

export interface Message {
  type: 'message';
  ts: string;
  text: string;
  user?: string;
  subtype?: string;
  username?: string;
  bot_id?: string;
  app_id?: string;
  is_bot?: boolean;
  bot_profile?: { name: string };
  client_msg_id?: string;
  blocks?: Block[];
  attachments?: Block[];
  edited?: { user: string; ts: string };
  thread_ts?: string;
  parent_user_id?: string;
  root?: Message;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  reactions?: Reaction[];
  is_ephemeral?: boolean;
  /** Only in the page: the message is being sent, or sending it failed. */
  state?: 'sending' | 'failed';
  /** Only in the page: the seconds until a failed message is sent again automatically. */
  wait?: number;
}

export interface Workspace {
  id: string;
  name: string;
  domain: string;
  user_id?: string;
  is_admin?: boolean;
}

export interface Command {
  command: string;
  description: string;
  usage_hint: string;
}

export interface Shortcut {
  app_id: string;
  app_name: string;
  callback_id: string;
  name: string;
  type: 'message' | 'global';
}

export interface Boot {
  user: User;
  workspace: Workspace;
  workspaces: Workspace[];
  clock: { now: string; frozen: boolean };
  channels: Channel[];
  people: User[];
  presence: Record<string, 'active' | 'away'>;
  commands: Command[];
  shortcuts: Shortcut[];
}

/** Returns the name for display: the display name, otherwise the real name, otherwise the handle. */
export function nameOf(u: User | undefined): string {
  return u?.profile.display_name || u?.profile.real_name || u?.real_name || u?.name || '';
}

/** Returns a ts as a date. */
export const dateOf = (ts: string): Date => new Date(Number(ts) * 1000);

/** Returns a list in the order of names, as people read them: 2 before 10. */
export function byName<T>(list: readonly T[], name: (of: T) => string): T[] {
  return [...list].sort((a, b) => collator.compare(name(a), name(b)));
}

/** Compares names as people order them. */
export const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
