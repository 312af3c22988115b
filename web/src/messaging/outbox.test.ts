import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable } from '../api/http';
import { receive } from './events';
import { initial, withBoot } from './state';
import { Store } from './store';
import type { Boot, Message } from './types';

type Post = { text: string; client_msg_id: string; reply_broadcast?: boolean };
const posts: Post[] = [];
let answer: (post: Post) => Promise<unknown>;
let page: Message[];

vi.mock('../app/identity', () => ({
  method: (_env: string, _name: string, args: Post) => {
    posts.push(args);
    return answer(args);
  },
  call: async () => ({ messages: page, has_older: false, has_newer: false }),
}));

const channel = { id: 'C1', name: 'general', kind: 'public', latest: '1772442000.000001', last_read: '' };
const at = (n: number): string => `1772442001.${String(n).padStart(6, '0')}`;
const sent = (post: Post, n: number): Message => ({
  type: 'message',
  ts: at(n),
  text: post.text,
  client_msg_id: post.client_msg_id,
});
const acknowledge = async (post: Post): Promise<unknown> => ({
  ts: at(posts.length),
  message: sent(post, posts.length),
});

/** Returns a store of an environment with a frozen clock, with an open conversation. */
async function open(): Promise<Store> {
  const store = new Store('default');
  const boot = {
    user: { id: 'U1', name: 'ann', profile: {} },
    clock: { now: '2026-03-02T09:00:00Z', frozen: true },
    channels: [channel],
    people: [],
    presence: {},
  } as unknown as Boot;
  store.set(withBoot(initial, boot, 0));
  await store.pages.open('C1');
  return store;
}
const shown = (store: Store): string[] =>
  (store.snapshot().windows.get('C1')?.messages ?? []).map((m) => `${m.text}${m.state ? ` ${m.state}` : ''}`);

beforeEach(() => {
  posts.length = 0;
  page = [];
  answer = acknowledge;
  sessionStorage.clear();
});

describe('what a person says', () => {
  it('is sent in the order in which it was said, and shown at once', async () => {
    const release: (() => void)[] = [];
    answer = (post) => new Promise((resolve) => release.push(() => resolve(acknowledge(post))));
    const store = await open();
    const all = ['one', 'two', 'three'].map((text) => store.outbox.send('C1', text));
    expect(shown(store)).toEqual(['one sending', 'two sending', 'three sending']);
    for (let i = 0; i < 3; i++) {
      await vi.waitFor(() => expect(release.length).toBe(i + 1));
      expect(posts.map((p) => p.text)).toEqual(['one', 'two', 'three'].slice(0, i + 1));
      release[i]?.();
    }
    await Promise.all(all);
    expect(shown(store)).toEqual(['one', 'two', 'three']);
  });

  it('is sent once and shown once when only the answer was lost', async () => {
    const store = await open();
    answer = async (post) => {
      const m = { ...sent(post, 1), channel: 'C1' };
      store.set(receive(store.snapshot(), { name: 'message', payload: m }, store.drafts.arrived).state);
      throw new Unreachable();
    };
    await store.outbox.send('C1', 'lost answer');
    expect(shown(store)).toEqual(['lost answer']);
    // The same if the live connection was broken too: the page that fills the gap contains the message.
    answer = async (post) => {
      page = [sent(post, 2)];
      throw new Unreachable();
    };
    await expect(store.outbox.send('C1', 'once')).rejects.toThrow();
    expect(shown(store)).toEqual(['lost answer', 'once failed']);
    store.pages.noteBreak();
    page = [sent(posts[0] as Post, 1), ...page];
    await store.pages.fillGap();
    expect(shown(store)).toEqual(['lost answer', 'once']);
    store.outbox.resend();
    expect(posts.length).toBe(2);
  });

  it('is sent again when the service is back, under the same id and as a broadcast', async () => {
    const store = await open();
    answer = async () => {
      throw new Unreachable();
    };
    const thread = { ts: '1772442000.000001', broadcast: true };
    await expect(store.outbox.send('C1', 'later', thread)).rejects.toThrow();
    await expect(store.outbox.send('C1', 'a & <b>')).rejects.toThrow();
    expect(shown(store)).toEqual(['a &amp; &lt;b&gt; failed']);
    answer = acknowledge;
    store.outbox.resend();
    await vi.waitFor(() => expect(posts.length).toBe(4));
    expect(posts[2]).toEqual(posts[0]);
    expect(posts[2]?.reply_broadcast).toBe(true);
    expect(posts[3]?.text).toBe('a & <b>');
  });

  it('stays when the page is read anew, and when it is left', async () => {
    const store = await open();
    answer = async () => {
      throw new Unreachable();
    };
    await expect(store.outbox.send('C1', 'kept')).rejects.toThrow();
    store.pages.noteBreak();
    await store.pages.fillGap();
    expect(shown(store)).toEqual(['kept failed']);
    const next = await open();
    next.drafts.restore();
    await next.pages.newest('C1');
    await next.pages.fillGap();
    expect(shown(next)).toEqual(['kept failed']);
    const [draft] = next.drafts.of('C1');
    next.outbox.discard('C1', draft as Message);
    expect(shown(next)).toEqual([]);
    const last = await open();
    last.drafts.restore();
    await last.pages.fillGap();
    expect(shown(last)).toEqual([]);
  });
});

describe('what is refused for a time', () => {
  const refused = (status: number, seconds: number) => new ApiError(status, 'ratelimited', 'Later.', '', seconds);

  it('keeps what was said after it waiting, and is sent again by itself, in order', async () => {
    vi.useFakeTimers();
    try {
      const store = await open();
      let refusals = 2;
      answer = async (post) => {
        if (refusals-- > 0) {
          throw refused(refusals === 1 ? 429 : 503, 2);
        }
        return acknowledge(post);
      };
      await expect(store.outbox.send('C1', 'one')).rejects.toThrow();
      await store.outbox.send('C1', 'two');
      await store.outbox.send('C1', 'three');
      expect(posts.map((p) => p.text)).toEqual(['one']);
      expect(shown(store)).toEqual(['one failed', 'two failed', 'three failed']);
      await vi.advanceTimersByTimeAsync(2000); // refused once more
      expect(posts.map((p) => p.text)).toEqual(['one', 'one']);
      await vi.advanceTimersByTimeAsync(2000);
      expect(posts.map((p) => p.text)).toEqual(['one', 'one', 'one', 'two', 'three']);
      expect(shown(store)).toEqual(['one', 'two', 'three']);
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not hold up what follows when it is refused for good', async () => {
    const store = await open();
    answer = async (post) => {
      if (post.text === 'too long') {
        throw new ApiError(200, 'msg_too_long', 'Too long.', '', 0);
      }
      return acknowledge(post);
    };
    await expect(store.outbox.send('C1', 'too long')).rejects.toThrow();
    await store.outbox.send('C1', 'short');
    expect([...shown(store)].sort()).toEqual(['short', 'too long failed']);
  });

  it('is sent at once, with what waits behind it, when somebody asks', async () => {
    const store = await open();
    answer = async () => {
      throw refused(429, 60);
    };
    await expect(store.outbox.send('C1', 'one')).rejects.toThrow();
    await store.outbox.send('C1', 'two');
    answer = acknowledge;
    await store.outbox.retry('C1', store.drafts.of('C1')[1] as Message);
    await vi.waitFor(() => expect(shown(store)).toEqual(['one', 'two']));
  });
});
