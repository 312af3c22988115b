import { call } from '../app/identity';
import type { Drafts } from './drafts';
import { threadKey } from './held';
import { type Holder, withEntry } from './state';
import { addNewer, addOlder, compareTs, find, merge, of, type Page, type Window, withDrafts } from './window';

/** The size of a page of messages. */
const pageSize = 200;

/** Reads pages of conversations and threads into the store. */
export class Pages {
  private readonly scrolledUp = new Set<string>();
  private readonly broken = new Map<string, string>(); // by conversation: the newest ts before a break

  constructor(
    private readonly store: Holder,
    private readonly drafts: Drafts,
  ) {}

  private window(channel: string): Window | undefined {
    return this.store.snapshot().windows.get(channel);
  }

  private setWindow(channel: string, w: Window): void {
    const drafts = w.hasNewer ? [] : this.drafts.missing(w.messages, channel);
    this.store.set({ windows: withEntry(this.store.snapshot().windows, channel, withDrafts(w, drafts)) });
  }

  private page(channel: string, where: Record<string, string> = {}): Promise<Page> {
    const q = new URLSearchParams({ channel, limit: String(pageSize), ...where });
    return call<Page>(this.store.env, `/api/client/messages?${q}`);
  }

  /** Runs f unless a call with the same key is in progress. */
  private async once(key: string, f: () => Promise<void>): Promise<void> {
    const { loading } = this.store.snapshot();
    if (loading.has(key)) {
      return;
    }
    this.store.set({ loading: new Set(loading).add(key) });
    try {
      await f();
    } finally {
      const left = new Set(this.store.snapshot().loading);
      left.delete(key);
      this.store.set({ loading: left });
    }
  }

  /** Reads the newest messages of a conversation, or those around a ts. */
  async open(channel: string, around?: string): Promise<void> {
    const held = this.window(channel);
    if (held && (around ? find(held, around) : !held.hasNewer)) {
      return;
    }
    await this.once(channel, async () => {
      this.setWindow(channel, of(await this.page(channel, around ? { around } : {})));
      if (this.isBehind(channel)) {
        await this.fill(channel); // a message was posted during the request
      }
    });
  }

  /** Loads the newest messages unless they are in memory. */
  async newest(channel: string): Promise<void> {
    if (this.window(channel)?.hasNewer !== false) {
      this.setWindow(channel, of(await this.page(channel)));
    }
  }

  /** Loads the first messages of a conversation unless they are in memory. */
  async first(channel: string): Promise<void> {
    if (this.window(channel)?.hasOlder !== false) {
      this.setWindow(channel, { ...of(await this.page(channel, { after: '0.000001' })), hasOlder: false });
    }
  }

  /** Returns the ts of the first message at or after a time, undefined if there is none. */
  async firstFrom(channel: string, at: Date): Promise<string | undefined> {
    const page = await this.page(channel, { after: `${Math.floor(at.getTime() / 1000) - 1}.999999`, limit: '1' });
    return page.messages[0]?.ts;
  }

  /** Loads the page before the messages in memory. */
  async older(channel: string): Promise<void> {
    const w = this.window(channel);
    const ts = w?.messages.find((m) => !m.state)?.ts;
    if (!w?.hasOlder || !ts) {
      return;
    }
    await this.once(`${channel} older`, async () => {
      const page = await this.page(channel, { before: ts });
      this.setWindow(channel, addOlder(this.window(channel) ?? w, page));
    });
  }

  /** Loads the page after the messages in memory. */
  async newer(channel: string): Promise<void> {
    const w = this.window(channel);
    const ts = w?.messages.findLast((m) => !m.state)?.ts;
    if (!w?.hasNewer || !ts) {
      return;
    }
    await this.once(`${channel} newer`, async () => {
      const page = await this.page(channel, { after: ts });
      this.setWindow(channel, addNewer(this.window(channel) ?? w, page));
    });
  }

  /** Loads a thread with its parent. With again, it loads a thread that is already in memory. */
  async openThread(channel: string, ts: string, again = false): Promise<void> {
    const key = threadKey(channel, ts);
    if (this.store.snapshot().threads.has(key) && !again) {
      return;
    }
    const [parent, replies] = await Promise.all([
      this.page(channel, { around: ts, limit: '1' }),
      this.page(channel, { thread_ts: ts, limit: '500' }),
    ]);
    const first = parent.messages.find((m) => m.ts === ts);
    const messages = first ? [first, ...replies.messages] : replies.messages;
    const w: Window = { messages, hasOlder: replies.has_older, hasNewer: false };
    const drafts = this.drafts.missing(w.messages, channel, ts);
    this.store.set({ threads: withEntry(this.store.snapshot().threads, key, withDrafts(w, drafts)) });
  }

  /** Records the newest messages at the time a connection broke, because live messages that arrive while the gap is filled do not close it. */
  noteBreak(): void {
    for (const [channel, w] of this.store.snapshot().windows) {
      const last = w.messages.findLast((m) => !m.state)?.ts;
      if (last && !this.broken.has(channel)) {
        this.broken.set(channel, last);
      }
    }
  }

  /** Reloads the conversations that have newer messages than the loaded ones. */
  async fillBehind(): Promise<void> {
    const behind = [...this.store.snapshot().windows.keys()].filter((channel) => this.isBehind(channel));
    await Promise.all(behind.map((channel) => this.fill(channel)));
  }

  /** Reports whether the end of a conversation is loaded, and newer messages exist. */
  private isBehind(channel: string): boolean {
    const w = this.window(channel);
    const last = w?.messages.findLast((m) => !m.state)?.ts ?? '';
    const latest = this.store.snapshot().channels.get(channel)?.latest ?? '';
    return w !== undefined && !w.hasNewer && compareTs(latest, last) > 0;
  }

  /** Reloads the messages in memory, to include edits and deletions during a break. */
  async fillGap(): Promise<void> {
    const { windows, threads } = this.store.snapshot();
    await Promise.all([
      ...[...windows.keys()].map((channel) => this.fill(channel)),
      ...[...threads.keys()].map((key) => this.openThread(...(key.split('/') as [string, string]), true)),
    ]);
  }

  /** Loads the newest page of a conversation whose end is loaded. */
  private async fill(channel: string): Promise<void> {
    if (this.window(channel)?.hasNewer) {
      return;
    }
    const page = await this.page(channel);
    const w = this.window(channel);
    if (w) {
      this.setWindow(channel, merge(w, page, !this.scrolledUp.has(channel), this.broken.get(channel)));
      this.broken.delete(channel);
    }
  }

  /** Records whether the person has scrolled up in a conversation. Live messages then must not push the visible ones out of memory. */
  setScrolledUp(channel: string, up: boolean): void {
    if (up) {
      this.scrolledUp.add(channel);
    } else {
      this.scrolledUp.delete(channel);
    }
  }

  isScrolledUp(channel: string): boolean {
    return this.scrolledUp.has(channel);
  }
}
