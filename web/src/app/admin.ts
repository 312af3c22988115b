import { adminPath } from '../api/base';
import { ApiError, type Call, send } from '../api/http';

// The admin key is stored in this tab's session storage. A new tab requests it from
// the other tabs; once the last tab is closed, the key is gone.

const place = 'us.admin';
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(place);
const listeners = new Set<() => void>();
let version = 0;

export const subscribeAdmin = (f: () => void): (() => void) => {
  listeners.add(f);
  return () => listeners.delete(f);
};
export const adminVersion = (): number => version;

/** Notifies all users of the admin key that it has changed or was removed. */
export function adminChanged(): void {
  version++;
  for (const f of listeners) {
    f();
  }
}

interface Said {
  ask?: boolean;
  key?: string;
  forget?: boolean;
}

channel?.addEventListener('message', (m: MessageEvent<Said>) => {
  const key = adminKey();
  if (m.data.ask && key) {
    channel.postMessage({ key } satisfies Said);
  } else if (m.data.key && !key && asked) {
    sessionStorage.setItem(place, m.data.key); // also if a busy tab answers late: the sign-in page then continues
    adminChanged();
    asking?.();
  } else if (m.data.forget && key) {
    sessionStorage.removeItem(place);
    adminChanged();
  }
});

export const adminKey = (): string | undefined => sessionStorage.getItem(place) ?? undefined;

let asking: (() => void) | undefined;
let asked = false;

/** Asks the other tabs for the admin key, once, and waits briefly for an answer. */
export async function askOtherTabs(): Promise<void> {
  if (asked || adminKey() || !channel) {
    return;
  }
  asked = true;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 120);
    asking = () => {
      clearTimeout(timer);
      resolve();
    };
    channel.postMessage({ ask: true } satisfies Said);
  });
  asking = undefined;
}

let refused = false;

/** Reports whether the key of this tab is no longer valid because it was rotated. */
export const wasRefused = (): boolean => refused && !adminKey();

/** Removes a refused key; the page then asks for a new one. */
export function refuseKey(key: string): void {
  if (adminKey() === key) {
    sessionStorage.removeItem(place);
    refused = true;
    adminChanged();
  }
}

/** Stores a key if the admin plane accepts it. Otherwise it throws ApiError. */
export async function tryKey(key: string): Promise<void> {
  await send(`${adminPath}/environments?limit=1&counts=false`, { token: key });
  refused = false;
  sessionStorage.setItem(place, key);
  adminChanged();
}

export function forgetKey(): void {
  sessionStorage.removeItem(place);
  refused = false;
  channel?.postMessage({ forget: true } satisfies Said);
  adminChanged();
}

/** Calls the admin plane. */
export async function adminCall<T>(path: string, options: Omit<Call, 'token'> = {}): Promise<T> {
  const key = adminKey();
  if (!key) {
    throw new ApiError(401, 'no_admin_key', 'This needs the admin key.', '', 0);
  }
  try {
    return await send<T>(adminPath + path, { ...options, token: key });
  } catch (e) {
    if (e instanceof ApiError && e.status === 401) {
      refuseKey(key);
    }
    throw e;
  }
}

export interface Environment {
  id: string;
  name: string;
  parent: string | null;
  created_at: string;
  expires_at: string | null;
  rate_limits: string;
  ephemeral: boolean;
  size_bytes?: number;
  clock?: { now: string; frozen: boolean };
  counts?: Record<string, Record<string, number>>;
}

/** Returns the environments whose name or id begins with a text. */
export const findEnvironments = (q: string, limit = 20): Promise<Environment[]> =>
  adminCall<{ environments: Environment[] }>(
    `/environments?${new URLSearchParams({ q, limit: String(limit), counts: 'false' })}`,
  ).then((r) => r.environments);

export interface AdminPerson {
  service: string;
  tenant: string;
  tenant_name: string;
  id: string;
  name: string;
  handle: string;
  email: string;
  admin: boolean;
  bot: boolean;
  deactivated: boolean;
}

/** Returns people of a service whose name begins with a text. */
export const findPeople = (env: string, query: Record<string, string>, service = 'messaging'): Promise<AdminPerson[]> =>
  adminCall<{ people: AdminPerson[] }>(
    `/environments/${encodeURIComponent(env)}/people?${new URLSearchParams({ service, limit: '50', ...query })}`,
  ).then((r) => r.people.filter((p) => !p.bot && !p.deactivated));

export interface ActingSession {
  user: { id: string; name: string; email: string };
  tenant: string;
  token: string;
  base_url: string;
  expires_at: string;
}

/** Reports whether a session was refused because the person does not exist. */
export const isNobody = (e: unknown): boolean => e instanceof ApiError && (e.status === 404 || e.status === 422);

/** Creates a session for a person of a service. */
export const beginActing = (
  env: string,
  user: string,
  tenant?: string,
  service = 'messaging',
): Promise<ActingSession> =>
  adminCall<ActingSession>(
    `/environments/${encodeURIComponent(env)}/people/${service}/${encodeURIComponent(user)}/session${tenant ? `?tenant=${encodeURIComponent(tenant)}` : ''}`,
    { body: service === 'messaging' ? { kind: 'jwt' } : {} },
  );
