import { ApiError } from '../api/http';
import { call, method, personOf } from '../app/identity';
import { prefs } from '../app/prefs';
import { escapeText, unescapeText } from './escape';
import {
  addMessage,
  addReply,
  dropMessage,
  type Held,
  react,
  replaceMessage,
  settleDraft,
  showDraft,
  threadKey,
} from './held';
import { type Connection, Live } from './live';
import type { Boot, Channel, Message, User } from './types';
import { nameOf } from './types';
import { addNewer, addOlder, compareTs, find, of, type Page, type Window } from './window';

/** The size of a page of messages. */
const pageSize = 200;

export interface State extends Held {
  boot?: Boot;
  bootedAt: number; // by the browser's clock, to know how far the world's has gone on
  failed?: Error;
  channels: ReadonlyMap<string, Channel>;
  people: ReadonlyMap<string, User>;
  presence: ReadonlyMap<string, string>;
  ephemeral: ReadonlyMap<string, Message[]>; // by conversation: what only this person sees, until the page is reloaded
  loading: ReadonlySet<string>;
  connection: Connection;
  announced: string;
  apps: number; // counts changes of apps
}

interface Raw {
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

/** Messaging as one person sees it in one environment: what was read, kept right by live events. */
export class Store {
  private state: State = {
    bootedAt: 0,
    channels: new Map(),
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
  private listeners = new Set<() => void>();
  private live?: Live;
  private stopped = false;
  private asked = new Set<string>();
  private pendingReads = new Map<string, ReturnType<typeof setTimeout>>();
  private news = { count: 0, channel: '', timer: undefined as ReturnType<typeof setTimeout> | undefined };
  private unsent = new Map<string, Message>(); // drafts by client_msg_id

  constructor(readonly env: string) {}

  subscribe = (f: () => void): (() => void) => {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  };
  snapshot = (): State => this.state;

  private set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    for (const f of this.listeners) {
      f();
    }
  }

  /** Reads what a client needs to start, then listens. */
  async start(): Promise<void> {
    this.stopped = false;
    try {
      await this.reload();
    } catch (e) {
      this.set({ failed: e as Error });
      return;
    }
    if (!this.stopped && !this.live) {
      this.live = new Live(this.env, {
        event: (name, payload) => this.receive(name, payload),
        connection: (connection) => this.set({ connection }),
        again: () => void this.fillGap(),
      });
    }
  }

  stop(): void {
    this.stopped = true;
    this.live?.stop();
    this.live = undefined;
  }

  /** Reads conversations, people and marks again, after an act that changed them. */
  async reload(): Promise<void> {
    const boot = await call<Boot>(this.env, '/api/client/boot');
    const people = new Map(this.state.people);
    for (const u of [...boot.people, boot.user]) {
      people.set(u.id, u);
    }
    this.set({
      boot,
      bootedAt: performance.now(),
      failed: undefined,
      people,
      channels: new Map(boot.channels.map((c) => [c.id, c])),
      presence: new Map([...this.state.presence, ...Object.entries(boot.presence)]),
    });
  }

  private reloadSoon = (): void => void this.reload().catch(() => undefined);

  get me(): string {
    return this.state.boot?.user.id ?? '';
  }

  /** Returns the world's time. */
  now(): Date {
    const { boot, bootedAt } = this.state;
    if (!boot) {
      return new Date();
    }
    const passed = boot.clock.frozen ? 0 : performance.now() - bootedAt;
    return new Date(new Date(boot.clock.now).getTime() + passed);
  }

  /** After a break: what changed meanwhile is read again, nothing is drawn anew. */
  private async fillGap(): Promise<void> {
    try {
      await this.reload();
      await Promise.all([
        ...[...this.state.windows.keys()].map((id) => this.readAgain(id)),
        ...[...this.state.threads.keys()].map((key) => this.openThread(...(key.split('/') as [string, string]), true)),
      ]);
    } catch {
      // The next reconnection tries again.
    }
  }

  /** Reads the newer end of a window again: edits and deletions of it count too. */
  private async readAgain(id: string): Promise<void> {
    const w = this.state.windows.get(id);
    if (!w || w.hasNewer) {
      return;
    }
    const page = await this.page(id, {});
    const oldest = page.messages[0]?.ts ?? '';
    const kept = w.messages.filter((m) => compareTs(m.ts, oldest) < 0 && !m.state);
    const overlaps = w.messages.some((m) => compareTs(m.ts, oldest) < 0) || !page.has_older;
    const next: Window = overlaps
      ? {
          messages: [...kept, ...page.messages],
          hasOlder: kept.length > 0 ? w.hasOlder : page.has_older,
          hasNewer: false,
        }
      : of(page);
    const unsent = w.messages.filter((m) => m.state);
    this.setWindow(id, { ...next, messages: [...next.messages, ...unsent].sort((a, b) => compareTs(a.ts, b.ts)) });
  }

  private setWindow(id: string, w: Window): void {
    this.set({ windows: new Map(this.state.windows).set(id, w) });
  }

  private page(channel: string, where: Record<string, string>): Promise<Page> {
    const q = new URLSearchParams({ channel, limit: String(pageSize), ...where });
    return call<Page>(this.env, `/api/client/messages?${q}`);
  }

  private async once(key: string, f: () => Promise<void>): Promise<void> {
    if (this.state.loading.has(key)) {
      return;
    }
    this.set({ loading: new Set(this.state.loading).add(key) });
    try {
      await f();
    } finally {
      const loading = new Set(this.state.loading);
      loading.delete(key);
      this.set({ loading });
    }
  }

  /** Reads the newest messages of a conversation, or those around a ts. */
  async open(channel: string, around?: string): Promise<void> {
    const held = this.state.windows.get(channel);
    if (held && (around ? find(held, around) : !held.hasNewer)) {
      return;
    }
    await this.once(channel, async () =>
      this.setWindow(channel, of(await this.page(channel, around ? { around } : {}))),
    );
  }

  async newest(channel: string): Promise<void> {
    if (this.state.windows.get(channel)?.hasNewer !== false) {
      this.setWindow(channel, of(await this.page(channel, {})));
    }
  }

  async first(channel: string): Promise<void> {
    if (this.state.windows.get(channel)?.hasOlder !== false) {
      this.setWindow(channel, { ...of(await this.page(channel, { after: '0.000001' })), hasOlder: false });
    }
  }

  /** Returns the ts of the first message from a time on, undefined when there is none. */
  async firstFrom(channel: string, at: Date): Promise<string | undefined> {
    const page = await this.page(channel, { after: `${Math.floor(at.getTime() / 1000) - 1}.999999`, limit: '1' });
    return page.messages[0]?.ts;
  }

  async older(channel: string): Promise<void> {
    const w = this.state.windows.get(channel);
    const ts = w?.messages.find((m) => !m.state)?.ts;
    if (!w?.hasOlder || !ts) {
      return;
    }
    await this.once(`${channel} older`, async () => {
      const page = await this.page(channel, { before: ts });
      this.setWindow(channel, addOlder(this.state.windows.get(channel) ?? w, page));
    });
  }

  async newer(channel: string): Promise<void> {
    const w = this.state.windows.get(channel);
    const ts = w?.messages.findLast((m) => !m.state)?.ts;
    if (!w?.hasNewer || !ts) {
      return;
    }
    await this.once(`${channel} newer`, async () => {
      const page = await this.page(channel, { after: ts });
      this.setWindow(channel, addNewer(this.state.windows.get(channel) ?? w, page));
    });
  }

  async openThread(channel: string, ts: string, again = false): Promise<void> {
    const key = threadKey(channel, ts);
    if (this.state.threads.has(key) && !again) {
      return;
    }
    const [parent, replies] = await Promise.all([
      this.page(channel, { around: ts, limit: '1' }),
      this.page(channel, { thread_ts: ts, limit: '500' }),
    ]);
    const first = parent.messages.find((m) => m.ts === ts);
    const messages = first ? [first, ...replies.messages] : replies.messages;
    const w: Window = { messages, hasOlder: replies.has_older, hasNewer: false };
    this.set({ threads: new Map(this.state.threads).set(key, w) });
  }

  private receive(name: string, e: unknown): void {
    switch (name) {
      case 'message':
        this.receiveMessage(e as Raw);
        return;
      case 'reaction_added':
      case 'reaction_removed': {
        const r = e as { user: string; reaction: string; item: { channel: string; ts: string } };
        this.set(react(this.state, r.item.channel, r.item.ts, r.reaction, r.user, name === 'reaction_added'));
        return;
      }
      case 'channel_marked': {
        const mark = e as Partial<Channel> & { channel: string };
        this.patchMark(mark.channel, { ...mark, starred: mark.starred });
        return;
      }
      case 'channel_rename':
      case 'group_rename': {
        const { channel } = e as { channel: { id: string; name: string } };
        this.patchChannel(channel.id, { name: channel.name });
        return;
      }
      case 'channel_joined':
      case 'channel_left':
      case 'channel_archive':
      case 'channel_unarchive':
      case 'group_archive':
      case 'group_unarchive':
        this.reloadSoon();
        return;
      case 'app_changed':
        this.set({ apps: this.state.apps + 1 });
        this.reloadSoon();
        return;
      case 'user_change': {
        const { user } = e as { user: User };
        this.set({ people: new Map(this.state.people).set(user.id, user) });
        return;
      }
      case 'presence_change': {
        const p = e as { user: string; presence: string };
        this.set({ presence: new Map(this.state.presence).set(p.user, p.presence) });
        return;
      }
      case 'ephemeral_message':
        this.receiveEphemeral(e as Ephemeral);
        return;
    }
  }

  private receiveEphemeral(e: Ephemeral): void {
    const gone = e.replaces ?? e.deleted;
    const list = (this.state.ephemeral.get(e.channel) ?? []).filter((m) => m.ts !== gone);
    if (e.message) {
      list.push({ ...e.message, is_ephemeral: true });
    }
    this.set({ ephemeral: new Map(this.state.ephemeral).set(e.channel, list) });
    const c = this.state.channels.get(e.channel);
    if (c && e.message) {
      this.announce(c);
    }
  }

  private receiveMessage(e: Raw): void {
    if (e.subtype === 'message_changed' && e.message) {
      this.set(replaceMessage(this.state, e.channel, e.message));
      return;
    }
    if (e.subtype === 'message_deleted' && e.deleted_ts) {
      this.set(dropMessage(this.state, e.channel, e.deleted_ts, e.previous_message));
      return;
    }
    const m = e as unknown as Message & { channel: string };
    const draft = m.client_msg_id ? this.unsent.get(m.client_msg_id)?.ts : undefined;
    const reply = m.thread_ts !== undefined && m.thread_ts !== m.ts;
    let held: Held = this.state;
    if (reply) {
      held = addReply(held, e.channel, m, draft);
    }
    if (!reply || m.subtype === 'thread_broadcast') {
      held = addMessage(held, e.channel, m, reply ? undefined : draft);
    }
    this.set({ windows: held.windows, threads: held.threads });
    if (reply && m.subtype !== 'thread_broadcast') {
      return;
    }
    if (m.user !== this.me && m.subtype !== 'channel_join' && m.subtype !== 'channel_leave') {
      this.countUnread(e.channel, m);
    }
    this.patchChannel(e.channel, {
      latest: m.ts,
      ...(m.subtype === 'channel_topic' ? { topic: String((m as { topic?: string }).topic ?? '') } : {}),
    });
  }

  private countUnread(channel: string, m: Message): void {
    const c = this.state.channels.get(channel);
    if (!c) {
      this.reloadSoon(); // the first message of a new direct conversation
      return;
    }
    const mentions = m.text.includes(`<@${this.me}`) || /<!(here|channel|everyone)/.test(m.text);
    this.patchChannel(channel, {
      unread_count: c.unread_count + 1,
      mention_count: c.mention_count + (mentions ? 1 : 0),
    });
    this.announce(c);
  }

  /** Says in a live region what came, at most every two seconds. */
  private announce(c: Channel): void {
    this.news.count++;
    const title = this.titleOf(c);
    this.news.channel = c.kind === 'im' || c.kind === 'mpim' ? title : `#${title}`;
    this.news.timer ??= setTimeout(() => {
      const n = this.news.count;
      this.set({ announced: `${n} new ${n === 1 ? 'message' : 'messages'} in ${this.news.channel}` });
      this.news = { count: 0, channel: '', timer: undefined };
    }, 2000);
  }

  private patchChannel(id: string, change: Partial<Channel>): void {
    const c = this.state.channels.get(id);
    if (!c) {
      return;
    }
    const defined = Object.fromEntries(Object.entries(change).filter(([, v]) => v !== undefined));
    this.set({ channels: new Map(this.state.channels).set(id, { ...c, ...defined }) });
  }

  private patchMark(id: string, mark: Partial<Channel>): void {
    const { last_read, unread_count, mention_count, starred } = mark;
    this.patchChannel(id, { last_read, unread_count, mention_count, starred });
  }

  // People that messages name and the boot did not hold are read once each.
  want(user: string): void {
    if (user === '' || this.state.people.has(user) || this.asked.has(user)) {
      return;
    }
    this.asked.add(user);
    void method<{ user: User }>(this.env, 'users.info', { user }).then(
      (r) => this.set({ people: new Map(this.state.people).set(user, r.user) }),
      () => undefined,
    );
  }

  /** Notes what was read of people elsewhere. */
  learn(people: (User & { presence?: string })[]): void {
    const known = new Map(this.state.people);
    const presence = new Map(this.state.presence);
    for (const u of people) {
      known.set(u.id, u);
      if (u.presence) {
        presence.set(u.id, u.presence);
      }
    }
    this.set({ people: known, presence });
  }

  /** Returns the plain name of a conversation. */
  titleOf(c: Channel): string {
    const name = (id: string): string => nameOf(this.state.people.get(id)) || id;
    switch (c.kind) {
      case 'im':
        return name(c.user ?? '');
      case 'mpim':
        return (c.members ?? [])
          .filter((id) => id !== this.me)
          .map(name)
          .sort()
          .join(', ');
      default:
        return c.name;
    }
  }

  /** Shows a message at once and sends it. */
  async send(channel: string, text: string, thread?: { ts: string; broadcast: boolean }): Promise<void> {
    const id = crypto.randomUUID();
    const now = Math.max(
      this.now().getTime() * 1000,
      Math.round(Number(this.state.channels.get(channel)?.latest || 0) * 1e6) + 1,
    );
    const draft: Message = {
      type: 'message',
      ts: `${Math.floor(now / 1e6)}.${String(Math.floor(now % 1e6)).padStart(6, '0')}`,
      text: escapeText(text).replace(/&lt;([@#][A-Z0-9]+)&gt;/g, '<$1>'),
      user: this.me,
      client_msg_id: id,
      state: 'sending',
      thread_ts: thread?.ts,
    };
    this.unsent.set(id, draft);
    this.set(showDraft(this.state, channel, draft));
    await this.deliver(channel, draft, text, thread?.broadcast);
  }

  private async deliver(channel: string, draft: Message, text: string, broadcast?: boolean): Promise<void> {
    const id = draft.client_msg_id ?? '';
    try {
      const reply = await method<{ ts: string; message: Message }>(this.env, 'chat.postMessage', {
        channel,
        text,
        client_msg_id: id,
        thread_ts: draft.thread_ts,
        reply_broadcast: broadcast || undefined,
      });
      this.set(settleDraft(this.state, channel, draft, { ...reply.message, ts: reply.ts }));
      this.unsent.delete(id);
    } catch (e) {
      this.set(settleDraft(this.state, channel, draft, { ...draft, state: 'failed' }));
      throw e;
    }
  }

  async retry(channel: string, m: Message): Promise<void> {
    this.set(settleDraft(this.state, channel, m, { ...m, state: 'sending' }));
    await this.deliver(channel, m, unescapeText(m.text));
  }

  discard(channel: string, m: Message): void {
    if (m.is_ephemeral) {
      this.receiveEphemeral({ channel, deleted: m.ts });
    } else {
      this.set(settleDraft(this.state, channel, m));
    }
  }

  /** Moves the mark after a second in view; who only acts as someone reads without a trace, unless asked. */
  markRead(channel: string, ts: string): void {
    const c = this.state.channels.get(channel);
    const marks = personOf(this.env)?.kind === 'person' || prefs().readWhileActing;
    if (!c || !marks || compareTs(c.last_read, ts) >= 0) {
      return;
    }
    clearTimeout(this.pendingReads.get(channel));
    this.pendingReads.set(
      channel,
      setTimeout(() => void this.setMark(channel, ts), 1000),
    );
  }

  cancelRead(channel: string): void {
    clearTimeout(this.pendingReads.get(channel));
  }

  async setMark(channel: string, ts: string): Promise<void> {
    try {
      const mark = await call<Partial<Channel>>(this.env, '/api/client/read', { method: 'PUT', body: { channel, ts } });
      this.patchMark(channel, { ...mark, starred: undefined });
    } catch (e) {
      if (!(e instanceof ApiError)) {
        throw e;
      }
    }
  }

  async star(channel: string, starred: boolean): Promise<void> {
    this.patchChannel(channel, { starred });
    await call(this.env, '/api/client/stars', { method: 'PUT', body: { channel, starred } });
  }

  async toggleReaction(channel: string, m: Message, name: string): Promise<void> {
    const has = m.reactions?.some((r) => r.name === name && r.users.includes(this.me)) ?? false;
    this.set(react(this.state, channel, m.ts, name, this.me, !has));
    try {
      await method(this.env, has ? 'reactions.remove' : 'reactions.add', { channel, timestamp: m.ts, name });
    } catch (e) {
      this.set(react(this.state, channel, m.ts, name, this.me, has));
      throw e;
    }
  }

  async edit(channel: string, ts: string, text: string): Promise<void> {
    const reply = await method<{ message: Message }>(this.env, 'chat.update', { channel, ts, text });
    this.set(replaceMessage(this.state, channel, { ...reply.message, ts }));
  }

  async delete(channel: string, m: Message): Promise<void> {
    await method(this.env, 'chat.delete', { channel, ts: m.ts });
  }

  /** Changes the caller's own profile. */
  async setProfile(profile: Record<string, unknown>): Promise<void> {
    await method(this.env, 'users.profile.set', { profile });
    await this.reload();
  }

  async setPresence(presence: 'auto' | 'away'): Promise<void> {
    await method(this.env, 'users.setPresence', { presence });
    this.set({ presence: new Map(this.state.presence).set(this.me, presence === 'away' ? 'away' : 'active') });
  }
}
