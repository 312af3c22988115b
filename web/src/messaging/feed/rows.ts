import { dateOf, type Message } from '../types';
import { compareTs } from '../window';

export type Row =
  | { kind: 'day'; key: string; at: Date }
  | { kind: 'new'; key: string }
  | { kind: 'message'; key: string; message: Message; follows: boolean };

/** Consecutive messages of a person within this number of seconds are grouped. */
const together = 300;

/** Returns the rows of a feed: messages, a divider for each day, and a mark before the first unread message. */
export function rowsOf(messages: Message[], lastRead: string | undefined, me: string): Row[] {
  const rows: Row[] = [];
  let day = '';
  let marked = lastRead === undefined || lastRead === '0.000000';
  let before: Message | undefined;
  for (const m of messages) {
    const at = dateOf(m.ts);
    const of = at.toDateString();
    if (of !== day) {
      rows.push({ kind: 'day', key: `day ${of}`, at });
      day = of;
      before = undefined;
    }
    if (!marked && lastRead && compareTs(m.ts, lastRead) > 0 && m.user !== me) {
      rows.push({ kind: 'new', key: 'new' });
      marked = true;
      before = undefined;
    }
    const follows =
      before !== undefined &&
      before.user === m.user &&
      before.bot_id === m.bot_id &&
      before.username === m.username &&
      !m.subtype &&
      !before.subtype &&
      Number(m.ts) - Number(before.ts) < together;
    rows.push({ kind: 'message', key: m.client_msg_id || m.ts, message: m, follows });
    before = m;
  }
  return rows;
}

/** Returns the index of a message in rows, or -1. */
export const rowOf = (rows: Row[], ts: string): number =>
  rows.findIndex((r) => r.kind === 'message' && r.message.ts === ts);

/** Estimates the height of a row from the length of its text, in pixels. */
export function estimate(row: Row | undefined): number {
  if (row?.kind !== 'message') {
    return 32;
  }
  const m = row.message;
  const lines = Math.max(1, Math.ceil(m.text.length / 90), m.text.split('\n').length);
  return (
    (row.follows ? 8 : 28) +
    lines * 20 +
    (m.blocks?.length ?? 0) * 24 +
    (m.reactions?.length ? 32 : 0) +
    (m.reply_count ? 28 : 0)
  );
}

/** Returns the number of other people's messages after a ts. */
export function countAfter(messages: Message[], ts: string, me: string): number {
  let n = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    const m = messages[i];
    if (!m || compareTs(m.ts, ts) <= 0) {
      break;
    }
    n += m.user === me ? 0 : 1;
  }
  return n;
}
