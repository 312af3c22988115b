import { expect, it } from 'vitest';
import { type State, withBoot } from './state';
import type { Boot, Channel } from './types';

const general = (change: Partial<Channel>): Channel =>
  ({ id: 'C1', last_read: '1.000000', latest: '1.000000', unread_count: 0, mention_count: 0, ...change }) as Channel;
const held = (c: Channel): State =>
  ({ channels: new Map([['C1', c]]), people: new Map(), presence: new Map() }) as never;
const boot = (c: Channel): Boot => ({ channels: [c], people: [], user: { id: 'U1' }, presence: {} }) as never;

it('hears of a newer message from a boot during which a conversation was marked as read', () => {
  const marked = held(general({ last_read: '2.000000' }));
  const { channels } = withBoot(marked, boot(general({ latest: '3.000000' })), 0, new Set(['C1']));
  expect(channels.get('C1')).toMatchObject({ last_read: '2.000000', latest: '3.000000' });
});

it('keeps a message that came while an older boot was read', () => {
  const said = held(general({ latest: '4.000000', unread_count: 1 }));
  const { channels } = withBoot(said, boot(general({ latest: '3.000000' })), 0, new Set(['C1']));
  expect(channels.get('C1')).toMatchObject({ latest: '4.000000', unread_count: 1 });
});
