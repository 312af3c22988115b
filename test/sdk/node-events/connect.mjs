// Connections of socket.io-client to a server, each with what it has heard.
import { io } from 'socket.io-client';

/** Returns connect(token, transports, environment), which resolves to a connected client, and close, which ends all of them. */
export function connector(server) {
  const open = [];
  return {
    async connect(token, transports = ['websocket'], env = server.messaging) {
      const url = new URL(env.base_url);
      const c = io(url.origin, { path: `${url.pathname}/socket.io/`, transports, auth: { token }, reconnection: false, forceNew: true });
      open.push(c);
      c.heard = [];
      c.onAny((name, event) => c.heard.push({ name, event }));
      await new Promise((resolve, reject) => { c.once('connect', resolve); c.once('connect_error', reject); });
      return c;
    },
    close() { for (const c of open) c.close(); },
  };
}
