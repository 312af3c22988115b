import type { Message } from './types';
import { compareTs, find, put, remove, type Window } from './window';

/** The messages in memory: a window for each conversation, and threads by `channel/ts`. */
export interface Held {
  windows: ReadonlyMap<string, Window>;
  threads: ReadonlyMap<string, Window>;
}

export const threadKey = (channel: string, ts: string): string => `${channel}/${ts}`;

function withWindow(h: Held, channel: string, w: Window): Held {
  return { ...h, windows: new Map(h.windows).set(channel, w) };
}

function withThread(h: Held, key: string, w: Window): Held {
  return { ...h, threads: new Map(h.threads).set(key, w) };
}

/** Changes a message in all windows that contain it. */
function changeEverywhere(h: Held, channel: string, ts: string, change: (m: Message) => Message): Held {
  let out = h;
  const w = h.windows.get(channel);
  const m = w && find(w, ts);
  if (w && m) {
    out = withWindow(out, channel, put(w, change(m)));
  }
  for (const [key, thread] of h.threads) {
    const known = key.startsWith(`${channel}/`) && find(thread, ts);
    if (known) {
      out = withThread(out, key, put(thread, change(known)));
    }
  }
  return out;
}

/** Adds a message to a conversation. draft is its temporary ts. */
export function addMessage(h: Held, channel: string, m: Message, draft?: string): Held {
  const w = h.windows.get(channel);
  return w ? withWindow(h, channel, put(draft ? remove(w, draft) : w, m)) : h;
}

/** Adds a reply to its thread, and counts it at the parent. */
export function addReply(h: Held, channel: string, m: Message, draft?: string): Held {
  const parentTs = m.thread_ts ?? '';
  const key = threadKey(channel, parentTs);
  const thread = h.threads.get(key);
  const known = thread && find(thread, m.ts);
  let out = h;
  if (thread) {
    const without = draft ? remove(thread, draft) : thread;
    out = withThread(out, key, put({ ...without, hasNewer: false, hasOlder: false }, m));
  }
  const w = out.windows.get(channel);
  const parent = w && find(w, parentTs);
  if (!w || !parent || known || compareTs(parent.latest_reply ?? '', m.ts) >= 0) {
    return out;
  }
  const users = parent.reply_users ?? [];
  return withWindow(
    out,
    channel,
    put(w, {
      ...parent,
      thread_ts: parent.ts,
      reply_count: (parent.reply_count ?? 0) + 1,
      latest_reply: m.ts,
      reply_users: m.user && !users.includes(m.user) ? [...users, m.user] : users,
    }),
  );
}

/** Applies a change of a message. Members that the event omits are kept. */
export function replaceMessage(h: Held, channel: string, m: Message): Held {
  return changeEverywhere(h, channel, m.ts, (old) => ({
    ...m,
    reactions: m.reactions ?? old.reactions,
    reply_count: m.reply_count ?? old.reply_count,
    reply_users: m.reply_users ?? old.reply_users,
    latest_reply: m.latest_reply ?? old.latest_reply,
  }));
}

/** Removes a message. previous is its last content, to update the reply count of its parent. */
export function dropMessage(h: Held, channel: string, ts: string, previous?: Message): Held {
  let out = h;
  const w = h.windows.get(channel);
  if (w) {
    let next = remove(w, ts);
    const parent = previous?.thread_ts && previous.thread_ts !== ts ? find(next, previous.thread_ts) : undefined;
    if (parent?.reply_count) {
      next = put(next, { ...parent, reply_count: parent.reply_count - 1 });
    }
    out = withWindow(out, channel, next);
  }
  for (const [key, thread] of h.threads) {
    if (key.startsWith(`${channel}/`)) {
      out = withThread(out, key, remove(thread, ts));
    }
  }
  return out;
}

/** Adds or removes a person's reaction. */
export function react(h: Held, channel: string, ts: string, name: string, user: string, added: boolean): Held {
  return changeEverywhere(h, channel, ts, (m) => {
    const reactions = (m.reactions ?? []).map((r) => ({
      ...r,
      users: r.users.filter((u) => u !== user || r.name !== name),
    }));
    const known = reactions.find((r) => r.name === name);
    if (added && known) {
      known.users = [...known.users, user];
    } else if (added) {
      reactions.push({ name, users: [user], count: 1 });
    }
    return {
      ...m,
      reactions: reactions.filter((r) => r.users.length > 0).map((r) => ({ ...r, count: r.users.length })),
    };
  });
}

/** Adds a draft at the position it will have. */
export function showDraft(h: Held, channel: string, draft: Message): Held {
  const empty: Window = { messages: [], hasOlder: true, hasNewer: false }; // also if the end could not be loaded
  if (draft.thread_ts) {
    const key = threadKey(channel, draft.thread_ts);
    return withThread(h, key, put({ ...(h.threads.get(key) ?? empty), hasNewer: false, hasOlder: false }, draft));
  }
  const w = h.windows.get(channel);
  return withWindow(h, channel, put(w && !w.hasNewer ? w : empty, draft));
}

/** Replaces a draft with the stored message, or removes it if there is none. */
export function settleDraft(h: Held, channel: string, draft: Message, m?: Message): Held {
  const change = (w: Window): Window => {
    const without = remove(w, draft.ts);
    if (!m) {
      return without;
    }
    const known = m.ts === draft.ts ? undefined : find(without, m.ts);
    return put(without, known ?? m);
  };
  if (draft.thread_ts) {
    const key = threadKey(channel, draft.thread_ts);
    const w = h.threads.get(key);
    return w ? withThread(h, key, change({ ...w, hasNewer: false, hasOlder: false })) : h;
  }
  const w = h.windows.get(channel);
  return w ? withWindow(h, channel, change(w)) : h;
}
