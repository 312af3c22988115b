import { basePath } from '../api/base';
import { ApiError, type Call, send } from '../api/http';
import { adminKey, askOtherTabs, beginActing, findPeople, isNobody } from './admin';
import {
  accountOf,
  accountPlace,
  announceEnd,
  catchUp,
  onSignedOutElsewhere,
  readStored,
  removeStored,
  storeSession,
  underLock,
} from './storedSession';

/** The person of this tab in the messaging service of one environment. */
export interface Person {
  kind: 'person' | 'acting';
  env: string;
  account: string; // e-mail address
  name: string;
  access: string;
  refresh?: string;
  keep?: boolean;
  workspace?: string;
  user?: string;
}

interface SessionReply {
  access_token: string;
  refresh_token: string;
  account: { id: string; email: string; name: string };
  user?: { id: string };
  workspace?: { id: string };
}

const people = new Map<string, Person>(); // by environment
const listeners = new Set<() => void>();

export function subscribe(f: () => void): () => void {
  listeners.add(f);
  return () => listeners.delete(f);
}

let version = 0;
export const snapshot = (): number => version;

/** Notifies the components that show the person of this tab that it has changed. */
export function identityChanged(): void {
  version++;
  for (const f of listeners) {
    f();
  }
}

function store(p: Person): void {
  if (p.kind === 'person' && p.refresh) {
    const { account, name, refresh, workspace, user } = p;
    storeSession(p.env, { account, name, refresh, workspace, user }, p.keep ?? false);
  }
}

function adopt(env: string, reply: SessionReply, keep: boolean): Person {
  const p: Person = {
    kind: 'person',
    env,
    account: reply.account.email,
    name: reply.account.name,
    access: reply.access_token,
    refresh: reply.refresh_token,
    keep,
    workspace: reply.workspace?.id,
    user: reply.user?.id,
  };
  people.set(env, p);
  store(p);
  identityChanged();
  return p;
}

/** Returns the person of this tab in an environment, from a stored session if there is one. */
export function personOf(env: string): Person | undefined {
  const known = people.get(env);
  if (known) {
    return known;
  }
  if (sessionStorage.getItem(actingPlace(env)) && adminKey()) {
    return undefined; // this tab acts as a person: ensurePerson creates a new session
  }
  const account = accountOf(env);
  const stored = account === undefined ? undefined : readStored(env, account);
  if (!stored) {
    return undefined;
  }
  const p: Person = { kind: 'person', env, access: '', ...stored };
  people.set(env, p);
  return p;
}

const actingPlace = (env: string): string => `us.acting.${env}`;

/** Makes this tab act as someone in an environment. It needs the admin key. */
export async function actAs(env: string, user: string, tenant?: string): Promise<Person> {
  const session = await beginActing(env, user, tenant);
  const p: Person = {
    kind: 'acting',
    env,
    account: session.user.email || session.user.id,
    name: session.user.name,
    access: session.token,
    workspace: session.tenant,
    user: session.user.id,
  };
  people.set(env, p);
  sessionStorage.setItem(actingPlace(env), JSON.stringify({ user: p.user, tenant: p.workspace }));
  identityChanged();
  return p;
}

/** Returns the person of this tab. If the tab only has the admin key, it creates a session. */
export async function ensurePerson(env: string): Promise<Person | undefined> {
  await askOtherTabs();
  const known = personOf(env);
  if (known || !adminKey()) {
    return known;
  }
  const text = sessionStorage.getItem(actingPlace(env));
  if (text) {
    const { user, tenant } = JSON.parse(text) as { user: string; tenant: string };
    try {
      return await actAs(env, user, tenant);
    } catch (e) {
      if (isRefusedKey(e)) {
        ended.set(env, 'acting');
        return undefined;
      }
      if (!isNobody(e)) {
        throw e; // the server is down: the person of this tab is kept
      }
      sessionStorage.removeItem(actingPlace(env)); // they no longer exist
    }
  }
  const admins = await findPeople(env, { admin: 'true' });
  const admin = admins.find((p) => p.handle === 'admin') ?? admins[0] ?? (await findPeople(env, {}))[0];
  return admin && actAs(env, admin.id, admin.tenant);
}

const isRefusedKey = (e: unknown): boolean => e instanceof ApiError && e.status === 401;

const passwords = new Map<string, { email: string; password: string }>(); // by environment, until the page is closed

/** Returns the e-mail address and password of the last sign-in on this page, to sign in to the other services. */
export const passwordOf = (env: string): { email: string; password: string } | undefined => passwords.get(env);

export async function signIn(env: string, email: string, password: string, keep: boolean): Promise<Person> {
  const reply = await send<SessionReply>(`${basePath(env, 'messaging')}/api/auth/login`, { body: { email, password } });
  passwords.set(env, { email, password });
  return begin(env, reply, keep);
}

export async function signUp(
  env: string,
  body: { name: string; email: string; password: string; workspace_name?: string },
): Promise<Person> {
  const reply = await send<SessionReply>(`${basePath(env, 'messaging')}/api/auth/signup`, { body });
  return begin(env, reply, true);
}

/** Starts a session after a sign-in. With keep, new tabs use it too. */
function begin(env: string, reply: SessionReply, keep: boolean): Person {
  sessionStorage.removeItem(actingPlace(env));
  const p = adopt(env, reply, keep);
  if (keep) {
    localStorage.setItem(accountPlace(env), p.account);
  }
  return p;
}

/** Switches the session to another workspace. */
export async function enterWorkspace(env: string, workspace: string): Promise<void> {
  const p = people.get(env);
  if (p?.kind === 'acting') {
    await actAs(env, p.account, workspace);
    return;
  }
  await refresh(env, workspace);
}

/** Switches to the workspace that was just created or joined. */
export function adoptWorkspace(env: string, access: string, workspace: string, user: string): void {
  const p = people.get(env);
  if (p) {
    const entered = { ...p, access, workspace, user };
    people.set(env, entered);
    store(entered);
    identityChanged();
  }
}

export async function signOut(env: string): Promise<void> {
  const p = personOf(env);
  people.delete(env);
  passwords.delete(env);
  sessionStorage.removeItem(actingPlace(env));
  for (const place of Object.keys(sessionStorage).filter(
    (k) => /^us\.(draft|unsent)\./.test(k) && k.split('.')[2] === env,
  )) {
    sessionStorage.removeItem(place); // unsent messages belong to this person only
  }
  if (p?.kind === 'acting') {
    identityChanged();
    return;
  }
  if (p) {
    removeStored(env, p.account);
    announceEnd(env, p.account);
  }
  identityChanged();
  if (p?.refresh) {
    await send(`${basePath(env, 'messaging')}/api/auth/logout`, { body: { refresh_token: p.refresh } }).catch(
      () => undefined,
    );
  }
}

/** Removes a session that has ended; the page then asks to sign in again. */
export function forget(env: string): void {
  const account = people.get(env)?.account ?? accountOf(env);
  people.delete(env);
  if (account !== undefined) {
    removeStored(env, account);
  }
  ended.set(env, 'person');
  identityChanged();
}

/** The kind of session that has ended, by environment. */
export const ended = new Map<string, Person['kind']>();

onSignedOutElsewhere((env, account) => {
  const p = people.get(env);
  if (p?.kind === 'person' && p.account === account) {
    people.delete(env);
    removeStored(env, account);
    identityChanged();
  }
});

const refreshing = new Map<string, Promise<void>>();

/** Gets a new access token. Concurrent callers share one request. */
export function refresh(env: string, workspace?: string): Promise<void> {
  const running = refreshing.get(env);
  if (running && workspace === undefined) {
    return running;
  }
  const p = people.get(env);
  if (p?.kind === 'acting') {
    // the clock was moved or the environment was reset: create a new session
    const renewed = actAs(env, p.user ?? '', p.workspace)
      .then(
        () => undefined,
        (e) => {
          if (isRefusedKey(e)) {
            ended.set(env, 'acting');
          }
          if (isRefusedKey(e) || isNobody(e)) {
            people.delete(env); // otherwise the server is down, and the person is kept
            identityChanged();
          }
          throw e;
        },
      )
      .finally(() => refreshing.delete(env));
    refreshing.set(env, renewed);
    return renewed;
  }
  const work = underLock(`us.refresh.${env}.${p?.account ?? ''}`, async () => {
    const known = people.get(env);
    if (known) {
      await catchUp(env, known.account);
    }
    const stored = known && readStored(env, known.account); // another tab may have renewed it
    const token = stored?.refresh ?? known?.refresh;
    if (!token) {
      forget(env);
      throw new ApiError(401, 'session_ended', 'Your session has ended.', '', 0);
    }
    const renew = (workspace_id?: string): Promise<SessionReply> =>
      send(`${basePath(env, 'messaging')}/api/auth/refresh`, { body: { refresh_token: token, workspace_id } });
    try {
      const reply = await renew(workspace ?? stored?.workspace ?? known?.workspace).catch((e) => {
        if (workspace === undefined && e instanceof ApiError && e.code === 'workspace_not_found') {
          return renew(); // it was deleted, but the account exists
        }
        throw e;
      });
      adopt(env, reply, stored?.keep ?? known?.keep ?? false);
    } catch (e) {
      if (e instanceof ApiError && e.status === 401) {
        forget(env);
      }
      throw e;
    }
  }).finally(() => refreshing.delete(env));
  refreshing.set(env, work);
  return work;
}

/** Calls messaging as the person of this tab, and renews an expired token once. */
export async function call<T>(env: string, path: string, options: Omit<Call, 'token'> = {}): Promise<T> {
  const p = personOf(env);
  if (!p) {
    throw new ApiError(401, 'not_signed_in', 'Nobody is signed in.', '', 0);
  }
  const url = basePath(env, 'messaging') + path;
  if (p.access === '') {
    await refresh(env);
  }
  const token = (): string => people.get(env)?.access ?? '';
  try {
    return await send<T>(url, { ...options, token: token() });
  } catch (e) {
    if (
      !(e instanceof ApiError) ||
      !isExpired(e) ||
      (!people.get(env)?.refresh && people.get(env)?.kind !== 'acting')
    ) {
      throw e;
    }
    await refresh(env);
    return send<T>(url, { ...options, token: token() });
  }
}

/** The Web API's error codes for an invalid token; its errors have no HTTP status. */
const endedCodes = new Set(['invalid_auth', 'not_authed', 'token_expired', 'token_revoked', 'account_inactive']);

const isExpired = (e: ApiError): boolean => e.status === 401 || endedCodes.has(e.code);

/** Calls a method of the Web API. */
export function method<T>(
  env: string,
  name: string,
  args: Record<string, unknown> = {},
  options: Pick<Call, 'patience'> = {},
): Promise<T> {
  return call<T>(env, `/api/${name}`, { body: args, ...options });
}

export const accessToken = (env: string): string => people.get(env)?.access ?? '';
