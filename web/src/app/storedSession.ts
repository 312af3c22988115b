import { uuid } from '../api/uuid';

// The sessions of messaging in the browser's storage, and the messages between tabs about them.

const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('us.identity');

// A session is stored by environment and account, so that two tabs can be two people. The account of a tab is in its
// session storage; a new tab uses the account that signed in last.
const place = (env: string, account: string): string => `us.session.${env}.${account}`;
export const accountPlace = (env: string): string => `us.account.${env}`;

interface Stored {
  account: string;
  name: string;
  refresh: string;
  workspace?: string;
  user?: string;
  turn?: string; // changes with each renewal of a session that the browser does not keep
}

/** The storage key of the newest renewal of a session, shared by all tabs. Each tab stores the session itself. */
const turnPlace = (env: string, account: string): string => `us.turn.${env}.${account}`;

/** Returns a stored session. keep reports whether new tabs use it. */
export function readStored(env: string, account: string): (Stored & { keep: boolean }) | undefined {
  for (const [area, keep] of [
    [sessionStorage, false],
    [localStorage, true],
  ] as const) {
    const text = area.getItem(place(env, account));
    if (text) {
      return { ...(JSON.parse(text) as Stored), keep };
    }
  }
  return undefined;
}

/** Returns the account that this tab is signed in with; '' for none, undefined for a tab that has not been asked. */
export function accountOf(env: string): string | undefined {
  return sessionStorage.getItem(accountPlace(env)) ?? localStorage.getItem(accountPlace(env)) ?? undefined;
}

/** Stores a new or renewed session. With keep, other tabs use it too. */
export function storeSession(env: string, session: Omit<Stored, 'turn'>, keep: boolean): void {
  const turn = keep ? undefined : uuid();
  const at = place(env, session.account);
  const text = JSON.stringify({ ...session, turn } satisfies Stored);
  (keep ? localStorage : sessionStorage).setItem(at, text);
  sessionStorage.setItem(accountPlace(env), session.account);
  if (turn) {
    localStorage.setItem(turnPlace(env, session.account), turn);
    channel?.postMessage({ renewed: { place: at, text } } satisfies Said); // a duplicated tab holds the same session
  }
}

/** Waits briefly for the newest renewal of a session shared with other tabs, if this tab has missed it. */
export async function catchUp(env: string, account: string): Promise<void> {
  const isNewest = (): boolean => readStored(env, account)?.turn === localStorage.getItem(turnPlace(env, account));
  if (!channel || !readStored(env, account)?.turn || isNewest()) {
    return;
  }
  channel.postMessage({ ask: place(env, account) } satisfies Said);
  for (let i = 0; i < 50 && !isNewest(); i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Removes a stored session. This tab is then signed out; other tabs are not affected. */
export function removeStored(env: string, account: string): void {
  sessionStorage.removeItem(place(env, account));
  localStorage.removeItem(place(env, account));
  localStorage.removeItem(turnPlace(env, account));
  sessionStorage.setItem(accountPlace(env), '');
  if (localStorage.getItem(accountPlace(env)) === account) {
    localStorage.removeItem(accountPlace(env));
  }
}

/** Notifies the other tabs of a sign-out. */
export function announceEnd(env: string, account: string): void {
  channel?.postMessage({ signedOut: { env, account } } satisfies Said);
}

interface Said {
  signedOut?: { env: string; account: string };
  renewed?: { place: string; text: string };
  ask?: string; // the storage key of a session whose newest renewal a tab has missed
}

let signedOutElsewhere: (env: string, account: string) => void = () => undefined;

/** Sets the function that is called after a sign-out in another tab. */
export function onSignedOutElsewhere(f: typeof signedOutElsewhere): void {
  signedOutElsewhere = f;
}

channel?.addEventListener('message', ({ data: { signedOut, renewed, ask } }: MessageEvent<Said>) => {
  if (renewed && sessionStorage.getItem(renewed.place) !== null) {
    sessionStorage.setItem(renewed.place, renewed.text);
  }
  const text = ask && sessionStorage.getItem(ask);
  if (ask && text) {
    const { turn } = JSON.parse(text) as Stored;
    if (turn && turn === localStorage.getItem(ask.replace('us.session.', 'us.turn.'))) {
      channel.postMessage({ renewed: { place: ask, text } } satisfies Said);
    }
  }
  if (signedOut) {
    signedOutElsewhere(signedOut.env, signedOut.account);
  }
});

/** Runs f under a lock shared by all tabs. Refresh tokens rotate, and using one twice ends the session. */
export async function underLock<T>(name: string, f: () => Promise<T>): Promise<T> {
  if (navigator.locks) {
    return navigator.locks.request(name, f);
  }
  const lease = `${name}.lease`;
  for (let i = 0; i < 100; i++) {
    const until = Number(localStorage.getItem(lease) ?? 0);
    if (until < Date.now()) {
      break;
    }
    await new Promise((r) => setTimeout(r, 50));
  }
  localStorage.setItem(lease, String(Date.now() + 5000));
  try {
    return await f();
  } finally {
    localStorage.removeItem(lease);
  }
}
