import { io, type Socket } from 'socket.io-client';
import { basePath } from '../api/base';
import { ApiError } from '../api/http';
import { accessToken, call, method, personOf } from '../app/identity';
import type { Boot, Channel, Message, User } from './types';
import { addNewer, addOlder, compareTs, empty, find, of, type Page, put, remove, type Window } from './window';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';

/** The size of a page of messages. */
const pageSize = 200;

export interface State {
  boot?: Boot;
  failed?: Error;
  channels: ReadonlyMap<string, Channel>;
  people: ReadonlyMap<string, User>;
  presence: ReadonlyMap<string, string>;
  windows: ReadonlyMap<string, Window>;
  threads: ReadonlyMap<string, Window>;
  loading: ReadonlySet<string>;
  connection: Connection;
  announced: string;
}

interface Raw {
  type: string;
  subtype?: string;
  channel: string;
  ts: string;
  deleted_ts?: string;
  message?: Message;
  previous_message?: Message;
  hidden?: boolean;
}

/** Messaging as one person sees it in one environment: what was read, kept right by live events. */
export class Store {
  private state: State = {
    channels: new Map(),
    people: new Map(),
    presence: new Map(),
    windows: new Map(),
    threads: new Map(),
    loading: new Set(),
    connection: 'connecting',
    announced: '',
  };
  private listeners = new Set<() => void>();
  private socket?: Socket;
  private asked = new Set<string>();
  private pendingReads = new Map<string, ReturnType<typeof setTimeout>>();
  private news = { count: 0, channel: '', timer: undefined as ReturnType<typeof setTimeout> | undefined };

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
    try {
      await this.reboot();
      this.listen();
    } catch (e) {
      this.set({ failed: e as Error });
    }
  }

  stop(): void {
    this.socket?.disconnect();
    this.socket = undefined;
  }

  private async reboot(): Promise<void> {
    const boot = await call<Boot>(this.env, '/api/client/boot');
    const people = new Map(this.state.people);
    for (const u of [...boot.people, boot.user]) {
      people.set(u.id, u);
    }
    this.set({
      boot,
      failed: undefined,
      people,
      channels: new Map(boot.channels.map((c) => [c.id, c])),
      presence: new Map(Object.entries(boot.presence)),
    });
  }

  get me(): string {
    return this.state.boot?.user.id ?? '';
  }

  private listen(): void {
    const socket = io({
      path: `${basePath(this.env, 'messaging')}/socket.io/`,
      transports: ['websocket', 'polling'],
      auth: (give) => give({ token: accessToken(this.env) }),
      reconnectionDelay: 300,
      reconnectionDelayMax: 5000,
    });
    this.socket = socket;
    let before = false;
    socket.on('connect', () => {
      const gap = before;
      before = true;
      this.set({ connection: 'connected' });
      if (gap) {
        void this.fillGap();
      }
    });
    socket.on('disconnect', (reason) => {
      this.set({ connection: navigator.onLine ? 'reconnecting' : 'offline' });
      if (reason === 'io server disconnect') {
        setTimeout(() => socket.connect(), 500);
      }
    });
    socket.on('connect_error', (e) => {
      this.set({ connection: navigator.onLine ? 'reconnecting' : 'offline' });
      if (e.message.includes('auth') || e.message.includes('token') || e.message.includes('inactive')) {
        // The access token has ended: any call renews it, then the next try succeeds.
        setTimeout(
          () =>
            void call(this.env, '/api/auth/me').then(
              () => socket.connect(),
              () => undefined,
            ),
          500,
        );
      }
    });
    socket.onAny((name: string, payload: Raw) => this.receive(name, payload));
  }

  /** After a break: what changed meanwhile is read again, nothing is drawn anew. */
  private async fillGap(): Promise<void> {
    try {
      await this.reboot();
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
    const pages = await this.page(id, {});
    const oldest = pages.messages[0]?.ts ?? '';
    const overlaps = w.messages.some((m) => compareTs(m.ts, oldest) < 0) || !pages.has_older;
    const kept = w.messages.filter((m) => compareTs(m.ts, oldest) < 0 && !m.state);
    const unsent = w.messages.filter((m) => m.state);
    const next: Window = overlaps
      ? {
          messages: [...kept, ...pages.messages],
          hasOlder: kept.length > 0 ? w.hasOlder : pages.has_older,
          hasNewer: false,
        }
      : of(pages);
    this.setWindow(id, { ...next, messages: [...next.messages, ...unsent].sort((a, b) => compareTs(a.ts, b.ts)) });
  }

  private setWindow(id: string, w: Window): void {
    this.set({ windows: new Map(this.state.windows).set(id, w) });
  }

  private setThread(key: string, w: Window): void {
    this.set({ threads: new Map(this.state.threads).set(key, w) });
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
    const key = `${channel}/${ts}`;
    if (this.state.threads.has(key) && !again) {
      return;
    }
    const [parent, replies] = await Promise.all([
      this.page(channel, { around: ts, limit: '1' }),
      this.page(channel, { thread_ts: ts, limit: '500' }),
    ]);
    const first = parent.messages.find((m) => m.ts === ts);
    this.setThread(key, {
      messages: first ? [first, ...replies.messages] : replies.messages,
      hasOlder: replies.has_older,
      hasNewer: false,
    });
  }

  // What live events change.
  private receive(name: string, e: Raw): void {
    switch (name) {
      case 'message':
        this.receiveMessage(e);
        return;
      case 'reaction_added':
      case 'reaction_removed': {
        const r = e as unknown as { user: string; reaction: string; item: { channel: string; ts: string } };
        this.react(r.item.channel, r.item.ts, r.reaction, r.user, name === 'reaction_added');
        return;
      }
      case 'channel_marked': {
        const mark = e as unknown as Partial<Channel> & { channel: string };
        this.patchChannel(mark.channel, {
          last_read: mark.last_read,
          unread_count: mark.unread_count,
          mention_count: mark.mention_count,
          starred: mark.starred,
        });
        return;
      }
      case 'channel_joined':
      case 'channel_left':
      case 'channel_archive':
        void this.reboot().catch(() => undefined);
        return;
      case 'user_change': {
        const u = (e as unknown as { user: User }).user;
        this.set({ people: new Map(this.state.people).set(u.id, u) });
        return;
      }
      case 'presence_change': {
        const p = e as unknown as { user: string; presence: string };
        this.set({ presence: new Map(this.state.presence).set(p.user, p.presence) });
        return;
      }
      case 'ephemeral_message': {
        const m = (e as unknown as { message: Message }).message;
        const w = this.state.windows.get(e.channel);
        if (w) {
          this.setWindow(e.channel, put(w, { ...m, is_ephemeral: true }));
        }
        return;
      }
    }
  }

  private receiveMessage(e: Raw): void {
    const w = this.state.windows.get(e.channel);
    switch (e.subtype) {
      case 'message_changed':
        if (e.message) {
          this.replace(e.channel, e.message);
        }
        return;
      case 'message_deleted':
        if (e.deleted_ts) {
          this.drop(e.channel, e.deleted_ts, e.previous_message);
        }
        return;
    }
    const m = e as unknown as Message & { channel: string };
    const mine = m.client_msg_id ? this.unsent.get(m.client_msg_id) : undefined;
    if (m.thread_ts && m.thread_ts !== m.ts) {
      this.addReply(e.channel, m, mine);
    }
    if (!m.thread_ts || m.thread_ts === m.ts || m.subtype === 'thread_broadcast') {
      if (w) {
        this.setWindow(e.channel, put(mine ? remove(w, mine) : w, m));
      }
      if (m.user !== this.me && m.subtype !== 'channel_join' && m.subtype !== 'channel_leave') {
        this.countUnread(e.channel, m);
      }
      this.patchChannel(e.channel, { latest: m.ts });
    }
  }

  private countUnread(channel: string, m: Message): void {
    const c = this.state.channels.get(channel);
    if (!c) {
      void this.reboot().catch(() => undefined); // the first message of a new direct conversation
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
    this.news.channel = this.titleOf(c);
    this.news.timer ??= setTimeout(() => {
      const n = this.news.count;
      this.set({ announced: `${n} new ${n === 1 ? 'message' : 'messages'} in ${this.news.channel}` });
      this.news = { count: 0, channel: '', timer: undefined };
    }, 2000);
  }

  private addReply(channel: string, m: Message, mine?: string): void {
    const key = `${channel}/${m.thread_ts}`;
    const thread = this.state.threads.get(key);
    const known = thread && find(thread, m.ts);
    if (thread) {
      this.setThread(key, put({ ...(mine ? remove(thread, mine) : thread), hasNewer: false, hasOlder: false }, m));
    }
    const w = this.state.windows.get(channel);
    const parent = w && m.thread_ts ? find(w, m.thread_ts) : undefined;
    if (w && parent && !known && compareTs(parent.latest_reply ?? '', m.ts) < 0) {
      const users = parent.reply_users ?? [];
      this.setWindow(
        channel,
        put(w, {
          ...parent,
          thread_ts: parent.ts,
          reply_count: (parent.reply_count ?? 0) + 1,
          latest_reply: m.ts,
          reply_users: m.user && !users.includes(m.user) ? [...users, m.user] : users,
        }),
      );
    }
  }

  /** Takes over a changed message wherever it is held; what the event leaves out stays. */
  private replace(channel: string, m: Message): void {
    const keep = (old: Message): Message => ({
      ...m,
      reactions: m.reactions ?? old.reactions,
      reply_count: m.reply_count ?? old.reply_count,
      reply_users: m.reply_users ?? old.reply_users,
      latest_reply: m.latest_reply ?? old.latest_reply,
    });
    const w = this.state.windows.get(channel);
    const old = w && find(w, m.ts);
    if (w && old) {
      this.setWindow(channel, put(w, keep(old)));
    }
    for (const [key, thread] of this.state.threads) {
      const known = key.startsWith(`${channel}/`) && find(thread, m.ts);
      if (known) {
        this.setThread(key, put(thread, keep(known)));
      }
    }
  }

  private drop(channel: string, ts: string, previous?: Message): void {
    const w = this.state.windows.get(channel);
    if (w) {
      let next = remove(w, ts);
      const parent = previous?.thread_ts && previous.thread_ts !== ts ? find(next, previous.thread_ts) : undefined;
      if (parent?.reply_count) {
        next = put(next, { ...parent, reply_count: parent.reply_count - 1 });
      }
      this.setWindow(channel, next);
    }
    for (const [key, thread] of this.state.threads) {
      if (key.startsWith(`${channel}/`)) {
        this.setThread(key, remove(thread, ts));
      }
    }
  }

  private react(channel: string, ts: string, name: string, user: string, added: boolean): void {
    const change = (m: Message): Message => {
      const reactions = (m.reactions ?? []).map((r) => ({
        ...r,
        users: r.users.filter((u) => u !== user || r.name !== name),
      }));
      const known = reactions.find((r) => r.name === name);
      if (added) {
        if (known) {
          known.users = [...known.users, user];
        } else {
          reactions.push({ name, users: [user], count: 1 });
        }
      }
      return {
        ...m,
        reactions: reactions.filter((r) => r.users.length > 0).map((r) => ({ ...r, count: r.users.length })),
      };
    };
    const w = this.state.windows.get(channel);
    const m = w && find(w, ts);
    if (w && m) {
      this.setWindow(channel, put(w, change(m)));
    }
    for (const [key, thread] of this.state.threads) {
      const known = key.startsWith(`${channel}/`) && find(thread, ts);
      if (known) {
        this.setThread(key, put(thread, change(known)));
      }
    }
  }

  private patchChannel(id: string, change: Partial<Channel>): void {
    const c = this.state.channels.get(id);
    if (!c) {
      return;
    }
    const defined = Object.fromEntries(Object.entries(change).filter(([, v]) => v !== undefined));
    this.set({ channels: new Map(this.state.channels).set(id, { ...c, ...defined }) });
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

  /** Returns the plain name of a conversation. */
  titleOf(c: Channel): string {
    if (c.kind === 'im') {
      const u = this.state.people.get(c.user ?? '');
      return u ? u.profile.display_name || u.profile.real_name || u.name : (c.user ?? '');
    }
    if (c.kind === 'mpim') {
      const others = (c.members ?? []).filter((id) => id !== this.me);
      return others
        .map((id) => {
          const u = this.state.people.get(id);
          return u ? u.profile.display_name || u.profile.real_name || u.name : id;
        })
        .sort()
        .join(', ');
    }
    return c.name;
  }

  private unsent = new Map<string, string>(); // client_msg_id → ts of the draft

  /** Shows a message at once and sends it. */
  async send(channel: string, text: string, thread?: { ts: string; broadcast: boolean }): Promise<void> {
    const id = crypto.randomUUID();
    const now = Math.max(Date.now() * 1000, Number(this.state.channels.get(channel)?.latest ?? 0) * 1e6 + 1);
    const ts = `${Math.floor(now / 1e6)}.${String(Math.floor(now % 1e6)).padStart(6, '0')}`;
    const draft: Message = {
      type: 'message',
      ts,
      text: escapeText(text),
      user: this.me,
      client_msg_id: id,
      state: 'sending',
      thread_ts: thread?.ts,
    };
    this.unsent.set(id, ts);
    this.show(channel, draft, thread?.ts);
    await this.deliver(channel, draft, text, thread);
  }

  private show(channel: string, m: Message, thread?: string): void {
    if (thread) {
      const key = `${channel}/${thread}`;
      const w = this.state.threads.get(key) ?? empty;
      this.setThread(key, put({ ...w, hasNewer: false, hasOlder: false }, m));
      return;
    }
    const w = this.state.windows.get(channel) ?? empty;
    this.setWindow(channel, put({ ...w, hasNewer: false }, m));
  }

  private async deliver(
    channel: string,
    draft: Message,
    text: string,
    thread?: { ts: string; broadcast: boolean },
  ): Promise<void> {
    const id = draft.client_msg_id ?? '';
    try {
      const reply = await method<{ ts: string; message: Message }>(this.env, 'chat.postMessage', {
        channel,
        text,
        client_msg_id: id,
        thread_ts: thread?.ts,
        reply_broadcast: thread?.broadcast || undefined,
      });
      this.settle(channel, draft, thread?.ts, { ...reply.message, ts: reply.ts });
      this.unsent.delete(id);
    } catch (e) {
      this.settle(channel, draft, thread?.ts, { ...draft, state: 'failed' });
      throw e;
    }
  }

  private settle(channel: string, draft: Message, thread: string | undefined, m: Message): void {
    if (thread) {
      const key = `${channel}/${thread}`;
      const w = this.state.threads.get(key);
      if (w) {
        this.setThread(key, put({ ...remove(w, draft.ts), hasNewer: false, hasOlder: false }, m));
      }
      return;
    }
    const w = this.state.windows.get(channel);
    if (w) {
      const known = find(w, m.ts);
      this.setWindow(channel, put(remove(w, draft.ts), known && known.ts !== draft.ts ? known : m));
    }
  }

  async retry(channel: string, m: Message): Promise<void> {
    const thread = m.thread_ts ? { ts: m.thread_ts, broadcast: false } : undefined;
    this.settle(channel, m, thread?.ts, { ...m, state: 'sending' });
    await this.deliver(channel, m, unescapeText(m.text), thread);
  }

  discard(channel: string, m: Message): void {
    if (m.thread_ts) {
      const key = `${channel}/${m.thread_ts}`;
      const w = this.state.threads.get(key);
      if (w) {
        this.setThread(key, remove(w, m.ts));
      }
      return;
    }
    const w = this.state.windows.get(channel);
    if (w) {
      this.setWindow(channel, remove(w, m.ts));
    }
  }

  /** Moves the mark of who is signed in by password; who only acts as someone reads without a trace. */
  markRead(channel: string, ts: string): void {
    const c = this.state.channels.get(channel);
    if (!c || personOf(this.env)?.kind !== 'person' || compareTs(c.last_read, ts) >= 0) {
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
      this.patchChannel(channel, {
        last_read: mark.last_read,
        unread_count: mark.unread_count,
        mention_count: mark.mention_count,
      });
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
    this.react(channel, m.ts, name, this.me, !has);
    try {
      await method(this.env, has ? 'reactions.remove' : 'reactions.add', { channel, timestamp: m.ts, name });
    } catch (e) {
      this.react(channel, m.ts, name, this.me, has);
      throw e;
    }
  }

  async edit(channel: string, ts: string, text: string): Promise<void> {
    const reply = await method<{ message: Message }>(this.env, 'chat.update', { channel, ts, text });
    this.replace(channel, { ...reply.message, ts });
  }

  async delete(channel: string, m: Message): Promise<void> {
    await method(this.env, 'chat.delete', { channel, ts: m.ts });
  }

  /** Reads conversations, people and marks again, after an act that changed them. */
  reload(): Promise<void> {
    return this.reboot();
  }
}

/** Returns typed text as a draft shows it; the server sends back the real form. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
