import { call, personOf } from '../app/identity';
import { prefs } from '../app/prefs';
import { type Holder, patchChannel } from './state';
import type { Channel } from './types';
import { compareTs } from './window';

/** How long a message has to be in view before it counts as read, in milliseconds. */
const readAfter = 1000;

interface Pending {
  ts: string;
  timer: ReturnType<typeof setTimeout>;
}

/** Up to where a person has read, and what they starred. */
export class Marks {
  private readonly pending = new Map<string, Pending>();
  /** Conversations that somebody marked as unread: nothing is read there by being in view until they are opened again. */
  private readonly kept = new Set<string>();
  /** The last mark that was sent of each conversation: the next waits for it, so that the server hears them in order. */
  private readonly sent = new Map<string, Promise<void>>();

  constructor(private readonly store: Holder) {}

  /** Begins to read a conversation by what is in view. */
  opened(channel: string): void {
    this.kept.delete(channel);
  }

  /** Moves the mark after a second in view; who only acts as someone reads without a trace, unless asked. */
  read(channel: string, ts: string): void {
    const c = this.store.snapshot().channels.get(channel);
    const marks = personOf(this.store.env)?.kind === 'person' || prefs().readWhileActing;
    if (!c || !marks || this.kept.has(channel) || compareTs(c.last_read, ts) >= 0) {
      return;
    }
    const waits = this.pending.get(channel);
    if (waits) {
      waits.ts = ts; // the end stays in view while more is said
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

  /** Gives up a mark that waits for its second in view. */
  cancel(channel: string): void {
    clearTimeout(this.pending.get(channel)?.timer);
    this.pending.delete(channel);
  }

  /** Moves the mark at once, as somebody asked. */
  set(channel: string, ts: string): Promise<void> {
    this.kept.delete(channel);
    this.cancel(channel);
    return this.send(channel, ts);
  }

  /** Moves the mark back, and leaves it there although the messages are in view. */
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
