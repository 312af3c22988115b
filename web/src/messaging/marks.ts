import { ApiError } from '../api/http';
import { call, personOf } from '../app/identity';
import { prefs } from '../app/prefs';
import { patchChannel } from './state';
import type { Store } from './store';
import type { Channel } from './types';
import { compareTs } from './window';

/** How long a message has to be in view before it counts as read, in milliseconds. */
const readAfter = 1000;

/** Up to where a person has read, and what they starred. */
export class Marks {
  private readonly pending = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly store: Store) {}

  /** Moves the mark after a second in view; who only acts as someone reads without a trace, unless asked. */
  read(channel: string, ts: string): void {
    const c = this.store.snapshot().channels.get(channel);
    const marks = personOf(this.store.env)?.kind === 'person' || prefs().readWhileActing;
    if (!c || !marks || compareTs(c.last_read, ts) >= 0) {
      return;
    }
    this.cancel(channel);
    this.pending.set(
      channel,
      setTimeout(() => void this.set(channel, ts).catch(() => undefined), readAfter),
    );
  }

  cancel(channel: string): void {
    clearTimeout(this.pending.get(channel));
  }

  async set(channel: string, ts: string): Promise<void> {
    const { store } = this;
    try {
      const mark = await call<Partial<Channel>>(store.env, '/api/client/read', {
        method: 'PUT',
        body: { channel, ts },
      });
      const { last_read, unread_count, mention_count } = mark;
      store.set(patchChannel(store.snapshot(), channel, { last_read, unread_count, mention_count }));
    } catch (e) {
      if (!(e instanceof ApiError)) {
        throw e;
      }
    }
  }

  async star(channel: string, starred: boolean): Promise<void> {
    const { store } = this;
    store.set(patchChannel(store.snapshot(), channel, { starred }));
    await call(store.env, '/api/client/stars', { method: 'PUT', body: { channel, starred } });
  }
}
