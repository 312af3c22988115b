// Presence through socket.io-client: who connects, leaves, goes away and comes back, as another person sees it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { start } from '../node/harness.mjs';
import { connector } from './connect.mjs';
import { until } from './receiver.mjs';

let s, sockets;
before(async () => {
  s = await start();
  sockets = connector(s);
});
after(async () => {
  sockets?.close();
  await s?.stop();
});

/** What a watcher has heard of a person, in order. */
const heard = (watcher, person) => watcher.heard.filter((h) => h.name === 'presence_change' && h.event.user === person.id).map((h) => h.event.presence);

/** Waits until a watcher has heard exactly this of a person. */
const hears = (watcher, person, ...wanted) =>
  until(() => JSON.stringify(heard(watcher, person)) === JSON.stringify(wanted), () => `${JSON.stringify(heard(watcher, person))}, wanted ${JSON.stringify(wanted)}`);

/** Returns once events that were emitted before have reached a watcher. */
async function settled(watcher) {
  const channel = await s.channel();
  await until(() => watcher.heard.some((h) => h.name === 'channel_created' && h.event.channel.id === channel.id), 'a channel that was made afterwards');
}

for (const transports of [['websocket'], ['polling']]) {
  test(`people who connect and leave are seen by others, over ${transports}`, async () => {
    const [ann, ben] = [await s.person(), await s.person()];
    const watcher = await sockets.connect(ben.jwt, transports);
    const first = await sockets.connect(ann.jwt, transports);
    await settled(watcher);
    assert.deepEqual(heard(watcher, ann), [], 'who never connected counts as active already');

    const second = await sockets.connect(ann.jwt, transports);
    first.close();
    await settled(watcher);
    assert.deepEqual(heard(watcher, ann), [], 'another connection is left');

    second.close();
    await hears(watcher, ann, 'away');
    const { event } = watcher.heard.find((h) => h.name === 'presence_change');
    assert.deepEqual(Object.keys(event).sort(), ['event_ts', 'presence', 'type', 'user']);
    assert.equal(event.type, 'presence_change');

    const back = await sockets.connect(ann.jwt, transports);
    await hears(watcher, ann, 'away', 'active');
    back.close();
    await hears(watcher, ann, 'away', 'active', 'away');
  });
}

test('who is away by choice stays away, whatever their connections do', async () => {
  const [ann, ben] = [await s.person(), await s.person()];
  const watcher = await sockets.connect(ben.jwt);
  const own = await sockets.connect(ann.jwt);
  await ann.client.users.setPresence({ presence: 'away' });
  await hears(watcher, ann, 'away');
  await hears(own, ann, 'away');
  own.close();
  const again = await sockets.connect(ann.jwt);
  await settled(watcher);
  assert.deepEqual(heard(watcher, ann), ['away']);
  await ann.client.users.setPresence({ presence: 'away' });
  await ann.client.users.setPresence({ presence: 'auto' });
  await hears(watcher, ann, 'away', 'active');
  again.close();
  await hears(watcher, ann, 'away', 'active', 'away');
  await ann.client.users.setPresence({ presence: 'away' });
  await ann.client.users.setPresence({ presence: 'auto' });
  await settled(watcher);
  assert.deepEqual(heard(watcher, ann), ['away', 'active', 'away'], 'auto without a connection is away');
});

test('a connection that is cut ends presence too, and an app is told like a person', async () => {
  const [ann] = [await s.person()];
  const app = await sockets.connect(s.messaging.bot_token);
  const own = await sockets.connect(ann.jwt);
  const out = await s.rest('POST', '/api/auth/logout', { token: ann.jwt, body: {} });
  assert.equal(out.status, 204);
  await hears(app, ann, 'away');
  assert.ok(!own.connected);
});
