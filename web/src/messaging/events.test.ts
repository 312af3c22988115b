import { describe, expect, it } from 'vitest';
import { receive } from './events';
import { initial, patchChannel, type State, withBoot } from './state';
import type { Boot, Channel } from './types';

const channel = (id: string): Channel => ({
  id,
  name: 'general',
  kind: 'public',
  topic: '',
  last_read: '1.000000',
  latest: '1.000000',
  unread_count: 0,
  mention_count: 0,
  starred: false,
  archived: false,
  is_general: true,
});
const state: State = {
  ...initial,
  boot: { user: { id: 'U1', name: 'me', profile: {} } } as Boot,
  channels: new Map([['C1', channel('C1')]]),
  windows: new Map([['C1', { messages: [], hasOlder: false, hasNewer: false }]]),
};
const none = (): undefined => undefined;
const said = (more: Record<string, unknown>) => ({
  name: 'message',
  payload: { type: 'message', channel: 'C1', ts: '2.000000', text: 'hello', user: 'U2', ...more },
});

describe('live events', () => {
  it('count what others say, and mentions', () => {
    let r = receive(state, said({}), none);
    expect(r.news?.id).toBe('C1');
    r = receive(r.state, said({ ts: '3.000000', text: 'see <@U1>' }), none);
    expect(r.state.channels.get('C1')).toMatchObject({ unread_count: 2, mention_count: 1, latest: '3.000000' });
    expect(r.state.windows.get('C1')?.messages).toHaveLength(2);
  });

  it('do not count what one says oneself, joins, and replies in threads', () => {
    for (const m of [{ user: 'U1' }, { subtype: 'channel_join' }, { thread_ts: '1.500000' }]) {
      const r = receive(state, said(m), none);
      expect(r.news).toBeUndefined();
      expect(r.state.channels.get('C1')?.unread_count).toBe(0);
    }
  });

  it('ask for conversations anew when something is said in an unknown one', () => {
    expect(receive(state, said({ channel: 'D9' }), none).reload).toBe(true);
  });

  it('move marks, and leave alone what they do not name', () => {
    const unread = patchChannel(state, 'C1', { unread_count: 4, starred: true });
    const e = {
      name: 'channel_marked',
      payload: { channel: 'C1', last_read: '9.000000', unread_count: 0, mention_count: 0 },
    };
    expect(receive(unread, e, none).state.channels.get('C1')).toMatchObject({ unread_count: 0, starred: true });
  });
});

it('keeps what was said while a boot was read', () => {
  const now = receive(state, said({}), none).state;
  const boot = { user: { id: 'U1' }, people: [], presence: {}, channels: [{ ...channel('C1'), name: 'news' }] };
  const after = withBoot(now, boot as unknown as Boot, 0, new Set(['C1']));
  expect(after.channels.get('C1')).toMatchObject({ name: 'news', unread_count: 1, latest: '2.000000' });
  expect(withBoot(now, boot as unknown as Boot, 0).channels.get('C1')).toMatchObject({ unread_count: 0 });
});
