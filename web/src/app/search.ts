import { basePath } from '../api/base';
import { send } from '../api/http';
import type { Choice } from '../ui/Finder';
import { adminKey, findEnvironments } from './admin';
import { call, ensurePerson, personOf } from './identity';
import { titleFrom, titleProperties } from './recordTitles';
import { callService, servicePerson } from './session';

interface Hit {
  key: string;
  title: string;
  detail: string;
  href: string;
}

const few = 4;

const place = (env: string, rest: string): string => `/e/${encodeURIComponent(env)}/${rest}`;

async function environments(q: string): Promise<Hit[]> {
  const list = adminKey() ? await findEnvironments(q, few) : [];
  return list.map((e) => ({
    key: `env ${e.id}`,
    title: e.name || e.id,
    detail: 'environment',
    href: place(e.id, 'messaging'),
  }));
}

/** Returns sessions whose ids begin with a text. An ingestion key suffices to read them. */
async function sessions(env: string, q: string): Promise<Hit[]> {
  const token = adminKey() ?? sessionStorage.getItem(`us.ingest.${env}`);
  if (!token || !/^[\w-]{4,64}$/.test(q)) {
    return [];
  }
  const { sessions: list } = await send<{ sessions: { session_id: string; user_id: string | null }[] }>(
    `${basePath(env, 'ingest')}/api/v1/sessions?${new URLSearchParams({ find: q, view: 'summary', limit: String(few) })}`,
    { token },
  );
  return list.map((s) => ({
    key: `session ${s.session_id}`,
    title: s.session_id,
    detail: s.user_id ? `session of ${s.user_id}` : 'session',
    href: place(env, `traces/sessions/${encodeURIComponent(s.session_id)}`),
  }));
}

/** Returns CRM records that contain words in their searchable properties. */
async function records(env: string, q: string): Promise<Hit[]> {
  if (q.length < 3 || !(adminKey() || servicePerson(env, 'crm'))) {
    return [];
  }
  const lists = await Promise.all(
    Object.entries(titleProperties).map(async ([type, names]) => {
      const { results } = await callService<{ results: { id: string; properties: Record<string, string | null> }[] }>(
        env,
        'crm',
        `/api/crm/v3/objects/${type}/search`,
        { body: { query: q, properties: [...names, 'email', 'domain'], limit: few } },
      );
      return results.map((r) => ({
        key: `${type} ${r.id}`,
        title: titleFrom(names, r.properties) || r.id,
        detail: type,
        href: place(env, `crm/${type}/${r.id}`),
      }));
    }),
  );
  return lists.flat();
}

/** Returns channels and people of messaging. Within messaging, people open in the side pane. */
async function conversations(env: string, q: string, within: boolean): Promise<Hit[]> {
  const person = personOf(env) ?? (adminKey() ? await ensurePerson(env) : undefined);
  if (!person?.workspace) {
    return [];
  }
  const query = `q=${encodeURIComponent(q)}&limit=${few}`;
  const base = place(env, `messaging/${person.workspace}`);
  const [found, people] = await Promise.all([
    call<{ channels: { id: string; name: string }[] }>(env, `/api/client/channels?${query}`),
    call<{ people: { id: string; name: string; profile: { real_name?: string } }[] }>(
      env,
      `/api/client/people?${query}`,
    ),
  ]);
  return [
    ...found.channels.slice(0, few).map((c) => ({
      key: c.id,
      title: `#${c.name}`,
      detail: 'channel',
      href: `${base}/${c.id}`,
    })),
    ...people.people.slice(0, few).map((u) => ({
      key: u.id,
      title: u.profile.real_name || u.name,
      detail: `@${u.name}`,
      href: `${within ? location.pathname.replace(/^\/ui/, '') : `${base}/-/people`}?pane=profile&user=${u.id}`,
    })),
  ];
}

/**
 * Returns the objects of an environment that match a text: channels, people, environments, sessions, records. Sources
 * that fail are left out.
 */
export async function searchEnvironment(
  env: string,
  text: string,
  inMessaging: boolean,
  go: (href: string) => void,
): Promise<Choice[]> {
  const q = text.trim();
  if (q === '') {
    return [];
  }
  const parts = await Promise.allSettled([
    conversations(env, q, inMessaging),
    environments(q),
    sessions(env, q),
    records(env, q),
  ]);
  return parts
    .flatMap((p) => (p.status === 'fulfilled' ? p.value : []))
    .map(({ key, title, detail, href }) => ({ key, title, detail, choose: () => go(href) }));
}
