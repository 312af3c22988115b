import type { Holder } from './state';
import type { Message } from './types';

/** A message that the service has not acknowledged. */
export interface Unsent {
  channel: string;
  draft: Message;
  broadcast?: boolean;
}

/** The messages of a person that the service has not acknowledged; a reload of the page does not lose them. */
export class Drafts {
  private readonly unsent = new Map<string, Unsent>(); // by client_msg_id, in the order they were said
  private last = 0; // the ts of the newest one, in microseconds

  constructor(private readonly store: Holder) {}

  get(id: string): Unsent | undefined {
    return this.unsent.get(id);
  }

  all(): Unsent[] {
    return [...this.unsent.values()];
  }

  /** Returns what was said in a conversation, or in one of its threads. */
  of(channel: string, thread?: string): Message[] {
    return this.all()
      .filter((u) => u.channel === channel && u.draft.thread_ts === thread)
      .map((u) => u.draft);
  }

  /** Returns what of it is not in a page that was read. What is has arrived: only the answer to it was lost. */
  missing(page: Message[], channel: string, thread?: string): Message[] {
    const came = new Set(page.filter((m) => !m.state).map((m) => m.client_msg_id));
    return this.of(channel, thread).filter((d) => !came.has(d.client_msg_id) || !this.arrived(d.client_msg_id ?? ''));
  }

  /** Returns the ts under which a message is shown until the service has named its own, and takes it as sent. */
  arrived = (id: string): string | undefined => {
    const ts = this.unsent.get(id)?.draft.ts;
    this.drop(id);
    return ts;
  };

  put(id: string, u: Unsent): void {
    this.unsent.set(id, u);
    this.save();
  }

  drop(id: string): void {
    if (this.unsent.delete(id)) {
      this.save();
    }
  }

  /** Returns a ts at the end of a conversation. Two never are the same, also where the world's clock stands still. */
  stamp(channel: string): string {
    const { store } = this;
    const latest = Number(store.snapshot().channels.get(channel)?.latest || 0);
    this.last = Math.max(Math.floor(store.now().getTime() * 1000), Math.round(latest * 1e6) + 1, this.last + 1);
    return `${Math.floor(this.last / 1e6)}.${String(this.last % 1e6).padStart(6, '0')}`;
  }

  private get place(): string {
    return `us.unsent.${this.store.env}.${this.store.me}`;
  }

  /** Takes over what this tab had not sent when its page was left. */
  restore(): void {
    for (const u of JSON.parse(sessionStorage.getItem(this.place) ?? '[]') as Unsent[]) {
      const id = u.draft.client_msg_id ?? '';
      if (!this.unsent.has(id)) {
        const draft: Message = { ...u.draft, ts: this.stamp(u.channel), state: 'failed', wait: undefined };
        this.unsent.set(id, { ...u, draft });
      }
    }
  }

  private save(): void {
    if (this.unsent.size === 0) {
      sessionStorage.removeItem(this.place);
      return;
    }
    try {
      sessionStorage.setItem(this.place, JSON.stringify(this.all()));
    } catch {
      // The browser's store is full: the messages stay on this page.
    }
  }
}
