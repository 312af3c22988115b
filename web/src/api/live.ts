import { io, type Socket } from 'socket.io-client';
import { ApiError } from './http';

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
  /** Called when the connection is there for the first time: what was said since the page began to read has not come by it. */
  begun?: () => void;
  /** Called when the connection is there again after a break. */
  again: () => void;
}

/** After how many milliseconds a connection that the server has refused or ended is tried again, at first and at most. */
const soonest = 500;
const latest = 10_000;
/** After how many failures in a row the service is asked by an ordinary request. */
const asking = 4;

/** The live connection of one person; it comes back by itself. */
export class Live {
  private readonly socket: Socket;
  private wait = soonest; // until the next try, in milliseconds
  private stopped = false;
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
    let since = 0; // when it was connected
    let failures = 0;
    let renewed = false; // since it was connected last
    const broken = (): void => to.connection(navigator.onLine ? 'reconnecting' : 'offline');
    const later = (f: () => void): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(f, this.wait);
      this.wait = Math.min(this.wait * 2, latest);
    };
    // What the socket was refused with may have ended: the next try is made with a new token. Where none can be had,
    // the page asks who this is, and stops this; where the server cannot answer now, it is asked again, and also where
    // the clock of the world has moved once more and ended the new token too.
    const isFinal = (e: unknown): boolean =>
      e instanceof ApiError && e.status < 500 && e.status !== 429 && e.status !== 401;
    const again = (): void =>
      later(
        () =>
          void from.renew().then(
            () => {
              renewed = true;
              this.stopped || socket.connect();
            },
            (e) => this.stopped || isFinal(e) || again(),
          ),
      );
    socket.on('connect', () => {
      since = performance.now();
      failures = 0;
      if (renewed) {
        renewed = false;
        this.wait = soonest; // the session had ended: its next end is not another try
      }
      to.connection('connected');
      if (before) {
        to.again();
      } else {
        to.begun?.();
      }
      before = true;
    });
    socket.on('disconnect', (reason) => {
      if (reason === 'io client disconnect') {
        return;
      }
      broken();
      if (performance.now() - since > latest) {
        this.wait = soonest;
      }
      if (reason === 'io server disconnect') {
        later(() => socket.connect());
      }
    });
    socket.on('connect_error', () => {
      broken();
      if (!socket.active) {
        again();
      } else if (++failures % asking === 0) {
        from.renew().catch(() => undefined); // the reply says what is the matter: the environment may be gone
      }
    });
    socket.onAny((name: string, payload: unknown) => to.event(name, payload));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.socket.disconnect();
  }
}
