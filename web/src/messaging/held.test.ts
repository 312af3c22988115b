import { describe, expect, it } from 'vitest';
import { addMessage, addReply, dropMessage, type Held, react, replaceMessage, settleDraft, showDraft } from './held';
import type { Message } from './types';

const message = (ts: string, more: Partial<Message> = {}): Message => ({
  type: 'message',
  ts,
  text: ts,
  user: 'U1',
  ...more,
});
const held = (messages: Message[], thread: Message[] = []): Held => ({
  windows: new Map([['C1', { messages, hasOlder: false, hasNewer: false }]]),
  threads: new Map(thread[0] ? [[`C1/${thread[0].ts}`, { messages: thread, hasOlder: false, hasNewer: false }]] : []),
});
const texts = (h: Held): string[] => h.windows.get('C1')?.messages.map((m) => m.ts) ?? [];

describe('what is held', () => {
  it('takes a message in the place of its draft, once', () => {
    const draft = message('5.000000', { client_msg_id: 'x', state: 'sending' });
    const shown = showDraft(held([message('1.000000')]), 'C1', draft);
    const live = addMessage(shown, 'C1', message('2.000000', { client_msg_id: 'x' }), draft.ts);
    const settled = settleDraft(live, 'C1', draft, message('2.000000', { client_msg_id: 'x' }));
    expect(texts(settled)).toEqual(['1.000000', '2.000000']);
  });

  it('counts a reply once at its parent, and takes it back', () => {
    const parent = message('1.000000');
    const reply = message('2.000000', { thread_ts: parent.ts, user: 'U2' });
    let h = addReply(held([parent], [parent]), 'C1', reply);
    h = addReply(h, 'C1', reply);
    expect(h.windows.get('C1')?.messages[0]).toMatchObject({
      reply_count: 1,
      latest_reply: reply.ts,
      reply_users: ['U2'],
    });
    expect(h.threads.get('C1/1.000000')?.messages).toHaveLength(2);
    h = dropMessage(h, 'C1', reply.ts, reply);
    expect(h.windows.get('C1')?.messages[0]?.reply_count).toBe(0);
    expect(h.threads.get('C1/1.000000')?.messages).toHaveLength(1);
  });

  it('keeps reactions through an edit, in the conversation and in the thread', () => {
    const parent = message('1.000000');
    let h = react(held([parent], [parent]), 'C1', parent.ts, 'tada', 'U2', true);
    h = replaceMessage(h, 'C1', message('1.000000', { text: 'edited' }));
    for (const w of [h.windows.get('C1'), h.threads.get('C1/1.000000')]) {
      expect(w?.messages[0]).toMatchObject({ text: 'edited', reactions: [{ name: 'tada', users: ['U2'], count: 1 }] });
    }
    h = react(h, 'C1', parent.ts, 'tada', 'U2', false);
    expect(h.windows.get('C1')?.messages[0]?.reactions).toEqual([]);
  });
});
