// What the tests share: a Bolt app behind its HTTP receiver, a bare receiver
// that answers as told, and waiting for what arrives.
import { createServer } from 'node:http';
import { once } from 'node:events';
import bolt from '@slack/bolt';

const { App, HTTPReceiver, LogLevel } = bolt;

/** Waits until probe returns something truthy, and returns it. */
export async function until(probe, what, within = 60_000) {
  const began = Date.now();
  for (;;) {
    const got = await probe();
    if (got) return got;
    if (Date.now() - began > within) throw new Error(`${typeof what === 'function' ? what() : what}: not within ${within} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A Bolt app for an app's credentials: {app, url, stop}. It listens at url before anything is sent there. */
export async function boltApp(s, credentials) {
  const receiver = new HTTPReceiver({
    signingSecret: credentials.signing_secret, logLevel: LogLevel.ERROR,
  });
  const app = new App({
    token: credentials.bot_token, receiver, logLevel: LogLevel.ERROR, clientOptions: { slackApiUrl: `${s.base}/api/`, retryConfig: { retries: 0 } },
  });
  const server = await app.start({ port: 0, host: '127.0.0.1' });
  return { app, url: `http://127.0.0.1:${server.address().port}/slack/events`, stop: () => app.stop() };
}

/** A receiver that keeps requests and answers with what answer(request) returns: {status, body, headers, delay}. */
export async function receiver(answer = () => ({})) {
  const got = [];
  const server = createServer((req, res) => {
    const parts = [];
    req.on('data', (b) => parts.push(b));
    req.on('end', () => {
      const raw = Buffer.concat(parts).toString();
      const request = { path: req.url, headers: req.headers, raw, at: Date.now() };
      if (req.headers['content-type'] === 'application/json') request.body = JSON.parse(raw);
      else request.form = Object.fromEntries(new URLSearchParams(raw));
      if (request.body?.type === 'url_verification') {
        res.end(request.body.challenge);
        return;
      }
      got.push(request);
      const { status = 200, body = '', headers = {}, delay = 0 } = answer(request, got) ?? {};
      setTimeout(() => res.writeHead(status, headers).end(body), delay);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}/hook`;
  return { got, url, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Subscribes an address to event types and returns the subscription. */
export async function subscribe(s, url, eventTypes, options = {}) {
  const made = await s.rest('POST', '/api/events/subscribe', { token: s.messaging.user_token, body: { url, event_types: eventTypes, ...options } });
  if (made.status !== 201) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
  return made.body;
}

/** One request of the admin plane. */
export const admin = (s, method, path, body) => s.rest(method, path, { token: s.credentials.admin.key, body, base: s.credentials.admin.base_url });
