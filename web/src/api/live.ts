import { io, type Socket } from 'socket.io-client';
import { ApiError } from './http';

export type Connection = 'connecting' | 'connected' | 'reconnecting' | 'offline';

/** What a service provides for a live connection: the address, and the token to open it with. */
interface Source {
  path: string;
  token: () => string;
  /** Gets a new token after the current one has expired. */
  renew: () => Promise<unknown>;
}

interface Listener {
  event: (name: string, payload: unknown) => void;
  connection: (c: Connection) => void;
  /** Called when the connection is established for the first time. Messages posted since the page began to load did not arrive on it. */
  begun?: () => void;
  /** Called when the connection is re-established. */
  again: () => void;
}

/** The first and the longest delay before reconnecting, in milliseconds. */
const soonest = 500;
const latest = 10_000;
/** The number of consecutive failures after which an ordinary request checks the service. */
const asking = 4;

/** The live connection of one person. It reconnects automatically. */
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
    // The server may have refused the connection because the token has expired: the next attempt uses a new one. If none
    // can be had, the page asks to sign in and this stops. If the server cannot answer, or the clock of the environment
    // was moved again and the new token has expired too, this retries.
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
        this.wait = soonest; // the session had ended, which does not count as a failed attempt
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
        from.renew().catch(() => undefined); // the error is handled elsewhere: the environment may be gone
      }
    });
    socket.onAny((name: string, payload: unknown) => to.event(name, payload));
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    const { socket } = this;
    socket.off();
    socket.offAny();
    const end = (): void => void socket.disconnect();
    if (socket.io.engine?.readyState === 'opening') {
      // Browsers log an error for a WebSocket that is closed while it is being opened.
      socket.io.once('open', end);
      socket.io.once('error', end);
    } else {
      end();
    }
  }
}
