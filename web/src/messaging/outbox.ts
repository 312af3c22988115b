import { Unreachable } from '../api/http';
import { uuid } from '../api/uuid';
import { method } from '../app/identity';
import { waitOf } from '../ui/Countdown';
import type { Drafts, Unsent } from './drafts';
import { escapeText, unescapeText } from './escape';
import { receiveEphemeral } from './events';
import { react, replaceMessage, settleDraft, showDraft } from './held';
import type { Pages } from './pages';
import type { Holder } from './state';
import type { Message } from './types';

/** The timeout of a request, in milliseconds. */
const patience = 20_000;
/** The delay before a message is sent again after a timeout, in seconds. */
const pause = 5;

/** Sends, changes and deletes the person's messages. */
export class Outbox {
  private readonly sending = new Map<string, Promise<void>>(); // by conversation, so that messages are sent in order
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>(); // retries, by conversation

  constructor(
    private readonly store: Holder,
    private readonly drafts: Drafts,
    private readonly pages: Pages,
  ) {}

  /** Shows a message at once and sends it. */
  async send(channel: string, text: string, thread?: { ts: string; broadcast: boolean }): Promise<void> {
    const { store } = this;
    const id = uuid();
    const draft: Message = {
      type: 'message',
      ts: this.drafts.stamp(channel),
      text: escapeText(text).replace(/&lt;([@#][A-Z0-9]+)&gt;/g, '<$1>'),
      user: store.me,
      client_msg_id: id,
      state: 'sending',
      thread_ts: thread?.ts,
    };
    this.drafts.put(id, { channel, draft, broadcast: thread?.broadcast });
    if (!thread && store.snapshot().windows.get(channel)?.hasNewer) {
      // An older part is shown, but the draft belongs at the end of the conversation.
      await this.pages.newest(channel).catch(() => undefined);
    }
    store.set(showDraft(store.snapshot(), channel, draft));
    await this.deliver(id, channel);
  }

  /** Sends a message after the earlier ones of its conversation. */
  private deliver(id: string, channel: string): Promise<void> {
    const before = this.sending.get(channel) ?? Promise.resolve();
    const sent = before.then(() => this.post(id));
    this.sending.set(
      channel,
      sent.catch(() => undefined),
    );
    return sent;
  }

  private async post(id: string): Promise<void> {
    const { store } = this;
    const u = this.drafts.get(id);
    if (!u) {
      return; // it was deleted, or has arrived over the live connection
    }
    const { channel, draft, broadcast } = u;
    const first = this.drafts.of(channel, draft.thread_ts).find((d) => d === draft || d.wait);
    if (first?.wait) {
      this.fail(u, first.wait); // earlier messages of the conversation wait too
      return;
    }
    try {
      const args = {
        channel,
        text: unescapeText(draft.text),
        client_msg_id: id,
        thread_ts: draft.thread_ts,
        reply_broadcast: broadcast || undefined,
      };
      const reply = await method<{ ts: string; message: Message }>(store.env, 'chat.postMessage', args, { patience });
      this.drafts.drop(id);
      store.set(settleDraft(store.snapshot(), channel, draft, { ...reply.message, ts: reply.ts }));
    } catch (e) {
      if (!this.drafts.get(id)) {
        return; // only the reply was lost
      }
      this.fail(u, e instanceof Unreachable ? pause : waitOf(e));
      throw e;
    }
  }

  /** Marks a message as failed. With wait, the messages of its conversation are sent again after that many seconds. */
  private fail(u: Unsent, wait: number): void {
    this.show({ ...u, draft: { ...u.draft, state: 'failed', wait } });
    if (wait > 0 && !this.timers.has(u.channel)) {
      this.timers.set(
        u.channel,
        setTimeout(() => this.resend(u.channel), wait * 1000),
      );
    }
  }

  private show(u: Unsent): void {
    this.drafts.put(u.draft.client_msg_id ?? '', u);
    this.store.set(settleDraft(this.store.snapshot(), u.channel, u.draft, u.draft));
  }

  /** Sends a failed message again. */
  async retry(channel: string, m: Message): Promise<void> {
    const id = m.client_msg_id ?? '';
    const u = this.drafts.get(id);
    if (u?.draft.wait) {
      this.resend(channel);
    } else if (u?.draft.state === 'failed') {
      await this.again(u);
    }
  }

  private again(u: Unsent): Promise<void> {
    this.show({ ...u, draft: { ...u.draft, state: 'sending', wait: undefined } });
    return this.deliver(u.draft.client_msg_id ?? '', u.channel);
  }

  /** Sends the waiting messages of a conversation, or of all, again after the connection is re-established. */
  resend(channel?: string): void {
    for (const [waiting, timer] of this.timers) {
      if (channel === undefined || waiting === channel) {
        clearTimeout(timer);
        this.timers.delete(waiting);
      }
    }
    for (const u of this.drafts.all()) {
      if (u.draft.wait && (channel === undefined || u.channel === channel)) {
        this.again(u).catch(() => undefined); // the message shows it
      }
    }
  }

  /** Stops all automatic retries when the page is left. */
  stop(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
    this.timers.clear();
  }

  /** Removes a failed or an ephemeral message. */
  discard(channel: string, m: Message): void {
    const state = this.store.snapshot();
    this.drafts.drop(m.client_msg_id ?? '');
    this.store.set(
      m.is_ephemeral ? receiveEphemeral(state, { channel, deleted: m.ts }).state : settleDraft(state, channel, m),
    );
  }

  async edit(channel: string, ts: string, text: string): Promise<void> {
    const reply = await method<{ message: Message }>(this.store.env, 'chat.update', { channel, ts, text });
    this.store.set(replaceMessage(this.store.snapshot(), channel, { ...reply.message, ts }));
  }

  async delete(channel: string, m: Message): Promise<void> {
    await method(this.store.env, 'chat.delete', { channel, ts: m.ts });
  }

  async toggleReaction(channel: string, m: Message, name: string): Promise<void> {
    const { store } = this;
    const has = m.reactions?.some((r) => r.name === name && r.users.includes(store.me)) ?? false;
    store.set(react(store.snapshot(), channel, m.ts, name, store.me, !has));
    try {
      await method(store.env, has ? 'reactions.remove' : 'reactions.add', { channel, timestamp: m.ts, name });
    } catch (e) {
      store.set(react(store.snapshot(), channel, m.ts, name, store.me, has));
      throw e;
    }
  }
}
