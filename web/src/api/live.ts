import { io, type Socket } from 'socket.io-client';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';

/** A service's side of a connection: where it is, and as whom it is opened. */
interface Source {
  path: string;
  token: () => string;
  /** Gets a new token, since the one in use has ended. */
  renew: () => Promise<unknown>;
}

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

  constructor(from: Source, to: Listener) {
    const socket = io({
      path: from.path,
      transports: ['websocket', 'polling'],
      auth: (give) => give({ token: from.token() }),
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
      if (/auth|token|inactive/i.test(e.message)) {
        // The access token has ended: the next try is made with a new one.
        later(
          () =>
            void from.renew().then(
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
