import type { Connection } from '../api/live';
import type { Held } from './held';
import { type Boot, type Channel, type Message, nameOf, type User } from './types';
import { compareTs } from './window';

/** The state of messaging in a client. It is immutable. */
export interface State extends Held {
  boot?: Boot;
  bootedAt: number; // by the browser's clock, to compute the current time of the environment
  failed?: Error;
  channels: ReadonlyMap<string, Channel>;
  unjoined: ReadonlyMap<string, string>; // names of other channels, which messages name by id
  people: ReadonlyMap<string, User>;
  presence: ReadonlyMap<string, string>;
  ephemeral: ReadonlyMap<string, Message[]>; // ephemeral messages by conversation, until the page is reloaded
  loading: ReadonlySet<string>;
  connection: Connection;
  announced: string;
  apps: number; // counts changes of apps
}

/** The part of the store that pages, marks and the outbox use to read and replace the state. */
export interface Holder {
  readonly env: string;
  readonly me: string;
  snapshot(): State;
  set(change: Partial<State>): void;
  now(): Date;
}

export const initial: State = {
  bootedAt: 0,
  channels: new Map(),
  unjoined: new Map(),
  people: new Map(),
  presence: new Map(),
  windows: new Map(),
  threads: new Map(),
  ephemeral: new Map(),
  loading: new Set(),
  connection: 'connecting',
  announced: '',
  apps: 0,
};

/** Returns a copy of a map with one entry set. */
export function withEntry<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return new Map(map).set(key, value);
}

/**
 * Applies a boot reply. Conversations that changed during the request keep their state, because the reply may be older.
 * Of the newest message the newer version is kept: only the read mark may have changed.
 */
export function withBoot(state: State, boot: Boot, at: number, changed: ReadonlySet<string> = new Set()): State {
  const latest = (c: Channel): Channel => {
    const known = changed.has(c.id) ? state.channels.get(c.id) : undefined;
    return known ? { ...c, ...countsOf(known), latest: newer(known.latest, c.latest) } : c;
  };
  return {
    ...state,
    boot,
    bootedAt: at,
    failed: undefined,
    people: new Map([...state.people, ...[...boot.people, boot.user].map((u) => [u.id, u] as const)]),
    channels: new Map(boot.channels.map((c) => [c.id, latest(c)])),
    presence: new Map([...state.presence, ...Object.entries(boot.presence)]),
  };
}

const newer = (a = '', b = ''): string => (compareTs(a, b) < 0 ? b : a);

const countsOf = ({ last_read, latest, unread_count, mention_count }: Channel): Partial<Channel> => ({
  last_read,
  latest,
  unread_count,
  mention_count,
});

/** Changes members of a conversation. Undefined ones stay unchanged. */
export function patchChannel(state: State, id: string, change: Partial<Channel>): State {
  const c = state.channels.get(id);
  if (!c) {
    return state;
  }
  const defined = Object.fromEntries(Object.entries(change).filter(([, v]) => v !== undefined));
  return { ...state, channels: withEntry(state.channels, id, { ...c, ...defined }) };
}

export const isDirect = (c: Channel): boolean => c.kind === 'im' || c.kind === 'mpim';

/** Returns the name of a channel, undefined while it is not known. */
export const channelName = (state: State, id: string): string | undefined =>
  state.channels.get(id)?.name ?? state.unjoined.get(id);

/** Returns the plain name of a conversation. */
export function titleOf(state: State, c: Channel): string {
  const name = (id: string): string => nameOf(state.people.get(id)) || id;
  switch (c.kind) {
    case 'im':
      return name(c.user ?? '');
    case 'mpim':
      return (c.members ?? [])
        .filter((id) => id !== state.boot?.user.id)
        .map(name)
        .sort()
        .join(', ');
    default:
      return c.name;
  }
}

/** Returns the name of a conversation as headings and sentences show it. */
export const headingOf = (state: State, c: Channel): string =>
  isDirect(c) ? titleOf(state, c) : `#${titleOf(state, c)}`;
