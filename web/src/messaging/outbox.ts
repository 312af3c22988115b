import { uuid } from '../api/uuid';
import { method } from '../app/identity';
import { waitOf } from '../ui/Countdown';
import { escapeText, unescapeText } from './escape';
import { receiveEphemeral } from './events';
import { react, replaceMessage, settleDraft, showDraft } from './held';
import type { Pages } from './pages';
import type { Holder } from './state';
import type { Message } from './types';

/** What a person says, changes and takes back. */
export class Outbox {
  private readonly unsent = new Map<string, Message>(); // drafts by client_msg_id

  constructor(
    private readonly store: Holder,
    private readonly pages: Pages,
  ) {}

  /** Returns the ts under which a message is shown until the service has named its own. */
  draftOf = (id: string): string | undefined => this.unsent.get(id)?.ts;

  /** Shows a message at once and sends it. */
  async send(channel: string, text: string, thread?: { ts: string; broadcast: boolean }): Promise<void> {
    const { store } = this;
    const id = uuid();
    const latest = Number(store.snapshot().channels.get(channel)?.latest || 0);
    const now = Math.max(store.now().getTime() * 1000, Math.round(latest * 1e6) + 1);
    const draft: Message = {
      type: 'message',
      ts: `${Math.floor(now / 1e6)}.${String(Math.floor(now % 1e6)).padStart(6, '0')}`,
      text: escapeText(text).replace(/&lt;([@#][A-Z0-9]+)&gt;/g, '<$1>'),
      user: store.me,
      client_msg_id: id,
      state: 'sending',
      thread_ts: thread?.ts,
    };
    this.unsent.set(id, draft);
    if (!thread && store.snapshot().windows.get(channel)?.hasNewer) {
      // What is shown lies further back: the draft belongs to the end of the conversation.
      await this.pages.newest(channel).catch(() => undefined);
    }
    store.set(showDraft(store.snapshot(), channel, draft));
    await this.deliver(channel, draft, text, thread?.broadcast);
  }

  private async deliver(channel: string, draft: Message, text: string, broadcast?: boolean): Promise<void> {
    const { store } = this;
    const id = draft.client_msg_id ?? '';
    try {
      const reply = await method<{ ts: string; message: Message }>(store.env, 'chat.postMessage', {
        channel,
        text,
        client_msg_id: id,
        thread_ts: draft.thread_ts,
        reply_broadcast: broadcast || undefined,
      });
      store.set(settleDraft(store.snapshot(), channel, draft, { ...reply.message, ts: reply.ts }));
      this.unsent.delete(id);
    } catch (e) {
      store.set(settleDraft(store.snapshot(), channel, draft, { ...draft, state: 'failed', wait: waitOf(e) }));
      throw e;
    }
  }

  async retry(channel: string, m: Message): Promise<void> {
    this.store.set(settleDraft(this.store.snapshot(), channel, m, { ...m, state: 'sending', wait: undefined }));
    await this.deliver(channel, m, unescapeText(m.text));
  }

  /** Removes a message that was not sent, or one that only this person sees. */
  discard(channel: string, m: Message): void {
    const state = this.store.snapshot();
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
