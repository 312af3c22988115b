import { call, personOf } from '../app/identity';
import { prefs } from '../app/prefs';
import { type Holder, patchChannel } from './state';
import type { Channel } from './types';
import { compareTs } from './window';

/** How long a message must be visible to count as read, in milliseconds. */
const readAfter = 1000;

interface Pending {
  ts: string;
  timer: ReturnType<typeof setTimeout>;
}

/** The read marks and stars of a person. */
export class Marks {
  private readonly pending = new Map<string, Pending>();
  /** Conversations that were marked as unread: visible messages do not count as read until the conversation is opened again. */
  private readonly kept = new Set<string>();
  /** The last request of each conversation. The next one waits for it, so that the server receives marks in order. */
  private readonly sent = new Map<string, Promise<void>>();

  constructor(private readonly store: Holder) {}

  /** Starts to count visible messages of a conversation as read. */
  opened(channel: string): void {
    this.kept.delete(channel);
  }

  /** Moves the mark after a second. A tab that acts as a person by the admin key does not move it, unless the setting allows it. */
  read(channel: string, ts: string): void {
    const c = this.store.snapshot().channels.get(channel);
    const marks = personOf(this.store.env)?.kind === 'person' || prefs().readWhileActing;
    if (!c || !marks || this.kept.has(channel) || compareTs(c.last_read, ts) >= 0) {
      return;
    }
    const waits = this.pending.get(channel);
    if (waits) {
      waits.ts = ts; // the end stays visible while messages arrive
      return;
    }
    const pending: Pending = {
      ts,
      timer: setTimeout(() => {
        this.pending.delete(channel);
        this.send(channel, pending.ts).catch(() => undefined);
      }, readAfter),
    };
    this.pending.set(channel, pending);
  }

  /** Cancels a mark that waits for its second. */
  cancel(channel: string): void {
    clearTimeout(this.pending.get(channel)?.timer);
    this.pending.delete(channel);
  }

  /** Moves the mark immediately, on request of the person. */
  set(channel: string, ts: string): Promise<void> {
    this.kept.delete(channel);
    this.cancel(channel);
    return this.send(channel, ts);
  }

  /** Moves the mark back, and keeps it there although the messages are visible. */
  keepUnread(channel: string, ts: string): Promise<void> {
    const sending = this.set(channel, ts);
    this.kept.add(channel);
    return sending;
  }

  private send(channel: string, ts: string): Promise<void> {
    const before = this.sent.get(channel) ?? Promise.resolve();
    const sending = before.catch(() => undefined).then(() => this.put(channel, ts));
    this.sent.set(channel, sending);
    return sending;
  }

  private async put(channel: string, ts: string): Promise<void> {
    const { store } = this;
    const mark = await call<Partial<Channel>>(store.env, '/api/client/read', { method: 'PUT', body: { channel, ts } });
    const { last_read, unread_count, mention_count } = mark;
    store.set(patchChannel(store.snapshot(), channel, { last_read, unread_count, mention_count }));
  }

  async star(channel: string, starred: boolean): Promise<void> {
    const { store } = this;
    const set = (on: boolean): void => store.set(patchChannel(store.snapshot(), channel, { starred: on }));
    set(starred);
    try {
      await call(store.env, '/api/client/stars', { method: 'PUT', body: { channel, starred } });
    } catch (e) {
      set(!starred);
      throw e;
    }
  }
}
