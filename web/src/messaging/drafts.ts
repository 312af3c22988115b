import type { Holder } from './state';
import type { Message } from './types';

/** A message that the service has not acknowledged. */
export interface Unsent {
  channel: string;
  draft: Message;
  broadcast?: boolean;
}

/** The messages of a person that the service has not acknowledged. They survive a reload of the page. */
export class Drafts {
  private readonly unsent = new Map<string, Unsent>(); // by client_msg_id, in the order of sending
  private last = 0; // the ts of the newest one, in microseconds

  constructor(private readonly store: Holder) {}

  get(id: string): Unsent | undefined {
    return this.unsent.get(id);
  }

  all(): Unsent[] {
    return [...this.unsent.values()];
  }

  /** Returns the unsent messages of a conversation, or of one of its threads. */
  of(channel: string, thread?: string): Message[] {
    return this.all()
      .filter((u) => u.channel === channel && u.draft.thread_ts === thread)
      .map((u) => u.draft);
  }

  /** Returns the unsent messages that are not in a page of messages. Those in the page were stored, and only the reply was lost. */
  missing(page: Message[], channel: string, thread?: string): Message[] {
    const came = new Set(page.filter((m) => !m.state).map((m) => m.client_msg_id));
    return this.of(channel, thread).filter((d) => !came.has(d.client_msg_id) || !this.arrived(d.client_msg_id ?? ''));
  }

  /** Returns the temporary ts of a message, and marks the message as sent. */
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

  /** Returns a unique ts at the end of a conversation, also while the environment's clock is frozen. */
  stamp(channel: string): string {
    const { store } = this;
    const latest = Number(store.snapshot().channels.get(channel)?.latest || 0);
    this.last = Math.max(Math.floor(store.now().getTime() * 1000), Math.round(latest * 1e6) + 1, this.last + 1);
    return `${Math.floor(this.last / 1e6)}.${String(this.last % 1e6).padStart(6, '0')}`;
  }

  private get place(): string {
    return `us.unsent.${this.store.env}.${this.store.me}`;
  }

  /** Restores the messages that this tab had not sent when its page was closed. */
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
      // The browser's storage is full: the messages exist only on this page.
    }
  }
}
