import { basePath } from '../api/base';
import { ApiError, type Call, send } from '../api/http';
import { adminKey, askOtherTabs, beginActing, findPeople, isNobody } from './admin';
import { identityChanged, passwordOf, personOf } from './identity';

/** A service, other than messaging, with its own people. */
export type Records = 'crm' | 'tracker';

/** The person of this tab in such a service of an environment. */
export interface ServicePerson {
  kind: 'person' | 'acting';
  account: string; // e-mail address
  name: string;
  id: string;
  tenant: string;
  token: string;
  refresh?: string;
}

interface Grant {
  accessToken: string;
  refreshToken?: string;
  user?: { id: string; email: string; name: string };
  userId?: number;
  portalId?: number;
  organization?: { id: string };
}

const held = new Map<string, ServicePerson>();
const place = (env: string, service: Records): string => `${env} ${service}`;
const actingPlace = (env: string, service: Records): string => `us.acting.${service}.${env}`;
const refreshPlace = (env: string, service: Records): string => `us.session.${service}.${env}`;

/** Returns the person of this tab in a service; undefined before ensureService. */
export const servicePerson = (env: string, service: Records): ServicePerson | undefined =>
  held.get(place(env, service));

function adopt(env: string, service: Records, p: ServicePerson): ServicePerson {
  held.set(place(env, service), p);
  identityChanged();
  return p;
}

/** Makes this tab act as someone in a service. It needs the admin key. */
export async function actInService(
  env: string,
  service: Records,
  user: string,
  tenant?: string,
): Promise<ServicePerson> {
  const s = await beginActing(env, user, tenant, service);
  sessionStorage.setItem(actingPlace(env, service), JSON.stringify({ user: s.user.id, tenant: s.tenant }));
  const account = s.user.email || s.user.id;
  return adopt(env, service, { kind: 'acting', account, ...s.user, tenant: s.tenant, token: s.token });
}

/** Signs in to a service with an e-mail address and a password. It throws ApiError if they are wrong. */
export async function signInToService(
  env: string,
  service: Records,
  email: string,
  password: string,
): Promise<ServicePerson> {
  const g = await send<Grant>(`${basePath(env, service)}/api/auth/login`, { body: { email, password } });
  return adoptGrant(env, service, g, email);
}

function adoptGrant(env: string, service: Records, g: Grant, email: string): ServicePerson {
  if (g.refreshToken) {
    sessionStorage.setItem(refreshPlace(env, service), JSON.stringify({ email, refresh: g.refreshToken }));
  }
  return adopt(env, service, {
    kind: 'person',
    account: g.user?.email ?? email,
    name: g.user?.name || personOf(env)?.name || email,
    id: g.user?.id ?? String(g.userId ?? ''),
    tenant: g.organization?.id ?? String(g.portalId ?? ''),
    token: g.accessToken,
    refresh: g.refreshToken,
  });
}

/** Acts as the chosen person, otherwise as the person of messaging, otherwise as the admin of the service. */
async function actAsSomeone(env: string, service: Records): Promise<ServicePerson | undefined> {
  const text = sessionStorage.getItem(actingPlace(env, service));
  const other = personOf(env);
  const choices: [string, string | undefined][] = [];
  if (text) {
    const { user, tenant } = JSON.parse(text) as { user: string; tenant: string };
    choices.push([user, tenant]);
  }
  if (other?.kind === 'acting') {
    const same = await findPeople(env, { query: other.account }, service);
    choices.push(...same.filter((p) => p.email === other.account).map((p): [string, string] => [p.id, p.tenant]));
  }
  for (const [user, tenant] of choices) {
    try {
      return await actInService(env, service, user, tenant);
    } catch (e) {
      if (!isNobody(e)) {
        throw e;
      }
      sessionStorage.removeItem(actingPlace(env, service)); // they do not exist
    }
  }
  const people = await findPeople(env, {}, service);
  const one = people.find((p) => p.admin) ?? people.find((p) => p.handle === 'admin') ?? people[0];
  return one && actInService(env, service, one.id, one.tenant);
}

const waiting = new Map<string, Promise<ServicePerson | undefined>>();

/**
 * Returns the person of this tab in a service. It creates a session if it can do so without asking: with the admin key,
 * a refresh token, or the e-mail address and password of the sign-in to messaging.
 */
export function ensureService(env: string, service: Records): Promise<ServicePerson | undefined> {
  const key = place(env, service);
  const known = held.get(key);
  if (known) {
    return Promise.resolve(known);
  }
  const running = waiting.get(key);
  if (running) {
    return running;
  }
  const work = begin(env, service).finally(() => waiting.delete(key));
  waiting.set(key, work);
  return work;
}

async function begin(env: string, service: Records): Promise<ServicePerson | undefined> {
  await askOtherTabs();
  if (adminKey()) {
    return actAsSomeone(env, service);
  }
  const text = sessionStorage.getItem(refreshPlace(env, service));
  try {
    if (text) {
      return await renewGrant(env, service, JSON.parse(text));
    }
    const known = passwordOf(env);
    return known && (await signInToService(env, service, known.email, known.password));
  } catch (e) {
    if (e instanceof ApiError && e.status < 500 && e.status !== 429) {
      sessionStorage.removeItem(refreshPlace(env, service));
      return undefined; // the area asks to sign in
    }
    throw e;
  }
}

async function renewGrant(env: string, service: Records, known: { email: string; refresh: string }) {
  const g = await send<Grant>(`${basePath(env, service)}/api/auth/refresh`, { body: { refreshToken: known.refresh } });
  return adoptGrant(env, service, g, known.email);
}

/** Ends the session of this tab in a service. The area then asks to sign in, or acts as the admin again. */
export async function leaveService(env: string, service: Records): Promise<void> {
  const p = held.get(place(env, service));
  held.delete(place(env, service));
  sessionStorage.removeItem(actingPlace(env, service));
  sessionStorage.removeItem(refreshPlace(env, service));
  identityChanged();
  if (p?.refresh) {
    await send(`${basePath(env, service)}/api/auth/logout`, { body: { refreshToken: p.refresh } }).catch(
      () => undefined,
    );
  }
}

/** Creates a new session after the clock was moved or the environment was reset. */
export async function renewService(env: string, service: Records): Promise<void> {
  const old = held.get(place(env, service));
  held.delete(place(env, service));
  try {
    if (!(await ensureService(env, service))) {
      throw new ApiError(401, 'session_ended', 'Your session has ended.', '', 0);
    }
  } catch (e) {
    if (old && !(e instanceof ApiError && e.status === 401)) {
      held.set(place(env, service), old); // the server did not answer: the old session is tried again later
    } else {
      identityChanged();
    }
    throw e;
  }
}

/** Calls a service as the person of this tab, and renews an ended session once. */
export async function callService<T>(
  env: string,
  service: Records,
  path: string,
  options: Omit<Call, 'token'> = {},
): Promise<T> {
  const p = await ensureService(env, service);
  if (!p) {
    throw new ApiError(401, 'not_signed_in', 'Nobody is signed in here.', '', 0);
  }
  const url = basePath(env, service) + path;
  try {
    return await send<T>(url, { ...options, token: p.token });
  } catch (e) {
    if (!(e instanceof ApiError) || e.status !== 401) {
      throw e;
    }
    await renewService(env, service);
    return send<T>(url, { ...options, token: servicePerson(env, service)?.token });
  }
}
