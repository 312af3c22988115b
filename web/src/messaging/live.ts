import { io, type Socket } from 'socket.io-client';
import { basePath } from '../api/base';
import { accessToken, call } from '../app/identity';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';

interface Listener {
  event: (name: string, payload: unknown) => void;
  connection: (c: Connection) => void;
  /** Called when the connection is there again after a break. */
  again: () => void;
}

/** The live connection of one person; it comes back by itself. */
export class Live {
  private readonly socket: Socket;
  private timer?: ReturnType<typeof setTimeout>;

  constructor(env: string, to: Listener) {
    const socket = io({
      path: `${basePath(env, 'messaging')}/socket.io/`,
      transports: ['websocket', 'polling'],
      auth: (give) => give({ token: accessToken(env) }),
      reconnectionDelay: 300,
      reconnectionDelayMax: 5000,
    });
    this.socket = socket;
    let before = false;
    const broken = (): void => to.connection(navigator.onLine ? 'reconnecting' : 'offline');
    const later = (f: () => void): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(f, 500);
    };
    socket.on('connect', () => {
      to.connection('connected');
      if (before) {
        to.again();
      }
      before = true;
    });
    socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') {
        return;
      }
      broken();
      if (reason === 'io server disconnect') {
        later(() => socket.connect());
      }
    });
    socket.on('connect_error', (e) => {
      broken();
      if (/auth|token|inactive/.test(e.message)) {
        // The access token has ended: any call renews it, then the next try succeeds.
        later(
          () =>
            void call(env, '/api/client/boot').then(
              () => socket.connect(),
              () => undefined,
            ),
        );
      }
    });
    socket.onAny((name: string, payload: unknown) => to.event(name, payload));
  }

  stop(): void {
    clearTimeout(this.timer);
    this.socket.disconnect();
  }
}
