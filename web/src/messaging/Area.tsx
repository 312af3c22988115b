import { Skeleton, TextInput } from '@mantine/core';
import { Outlet, useLocation, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { Search as SearchIcon } from 'lucide-react';
import { type FormEvent, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { isGone, subscribeGone } from '../api/gone';
import { ApiError } from '../api/http';
import type { Search } from '../app/address';
import { adminKey } from '../app/admin';
import { Frame } from '../app/Frame';
import { ended, personOf, snapshot, subscribe } from '../app/identity';
import type { FindChoices } from '../app/QuickSwitcher';
import { useToasts } from '../app/Toasts';
import { useTitle, useUnread } from '../app/title';
import type { Choice } from '../ui/Finder';
import { later } from '../ui/later';
import { Refused } from '../ui/Page';
import { MessagingContext, useMessaging, useShown } from './context';
import { Sidebar } from './Sidebar';
import { headingOf } from './state';
import { Store } from './store';
import { collator } from './types';

const Gone = later(() => import('../app/Gone'), 'Gone');
const Profile = later(() => import('./Profile'), 'Profile');
const CreateChannel = later(() => import('./dialogs'), 'CreateChannel');
const NewMessage = later(() => import('./dialogs'), 'NewMessage');
const SetStatus = later(() => import('./SetStatus'), 'SetStatus');

/** Messaging. It keeps one store for each environment and person while it is open. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  useSyncExternalStore(subscribe, snapshot);
  const gone = useSyncExternalStore(subscribeGone, () => isGone(env));
  const person = personOf(env);
  const who = person ? `${person.kind} ${person.account} ${person.workspace ?? ''}` : '';
  const navigate = useNavigate();
  const toasts = useToasts();
  const before = useRef('');
  useEffect(() => {
    if (person) {
      before.current = person.name;
    } else if (!gone && adminKey()) {
      toasts.done(`${before.current} is not in this environment any more.`);
      void navigate({ to: '/e/$env/messaging', params: { env }, replace: true });
    } else if (!gone) {
      const by = ended.get(env) === 'acting' ? 'key' : undefined;
      const next = location.pathname + location.search;
      void navigate({ to: '/sign-in', search: { env, next, by } as never, replace: true });
    }
  }, [person, gone, env, navigate, toasts]);
  if (gone && !person) {
    return (
      <Frame env={env} area="Messaging">
        <Gone env={env} />
      </Frame>
    );
  }
  return person ? <Loaded key={`${env} ${who}`} env={env} /> : null;
}

function Loaded({ env }: { env: string }) {
  const store = useMemo(() => new Store(env), [env]);
  const navigate = useNavigate();
  const router = useRouter();
  const [drawer, setDrawer] = useState(false);
  const [dialog, setDialog] = useState<'create' | 'message' | 'status' | ''>('');
  useEffect(() => {
    void store.start();
    return () => store.stop();
  }, [store]);
  const team = useSyncExternalStore(store.subscribe, () => store.snapshot().boot?.workspace.id ?? '-');
  const value = useMemo(
    () => ({
      store,
      team,
      env,
      hrefOf: (channel: string) =>
        router.buildLocation({ to: '/e/$env/messaging/$team/$channel', params: { env, team, channel } }).href,
      go: (channel: string, search: { at?: string; thread?: string } = {}) => {
        setDrawer(false);
        void navigate({
          to: '/e/$env/messaging/$team/$channel',
          params: { env, team, channel },
          search: search as never,
        });
      },
      goPage: (page: string) => {
        setDrawer(false);
        void navigate({ href: `/e/${encodeURIComponent(env)}/messaging/${team}/-/${page}` });
      },
      open: setDialog,
      openProfile: (user: string) => {
        void navigate({
          search: ((old: Search) => ({ ...old, thread: undefined, pane: user && 'profile', user })) as never,
        });
      },
    }),
    [store, team, env, navigate, router],
  );
  return (
    <MessagingContext value={value}>
      <InFrame drawer={drawer} setDrawer={setDrawer} />
      {dialog === 'create' && <CreateChannel close={() => setDialog('')} />}
      {dialog === 'message' && <NewMessage close={() => setDialog('')} />}
      {dialog === 'status' && <SetStatus close={() => setDialog('')} />}
      <Announcements />
    </MessagingContext>
  );
}

/** Announces new messages to screen readers, and counts them in the title. */
function Announcements() {
  const announced = useShown((s) => s.announced);
  useUnread(useShown((s) => [...s.channels.values()].filter((c) => c.unread_count > 0).length));
  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {announced}
    </div>
  );
}

function InFrame({ drawer, setDrawer }: { drawer: boolean; setDrawer: (open: boolean) => void }) {
  const { store, env, goPage, open, openProfile } = useMessaging();
  const boot = useShown((s) => s.boot);
  const failed = useShown((s) => s.failed);
  const connection = useShown((s) => s.connection);
  const search = useSearch({ strict: false }) as Search;
  const toasts = useToasts();
  const away = useShown((s) => s.presence.get(store.me) === 'away');
  const find = useFindConversations();
  const setPresence = (): void => {
    store.setPresence(away ? 'auto' : 'away').then(
      () => toasts.done(away ? 'You are active.' : 'You are away.'),
      (e) => toasts.failed(e),
    );
  };
  const status = { title: 'Set a status', act: () => open('status') };
  const presence = { title: away ? 'Set yourself as active' : 'Set yourself as away', act: setPresence };
  const searchMessages = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    const q = String(new FormData(e.currentTarget).get('q') ?? '').trim();
    if (q) {
      goPage(`search?${new URLSearchParams({ q })}`);
    }
  };
  return (
    <Frame
      env={env}
      area="Messaging"
      connection={failed ? undefined : connection}
      clock={boot?.clock}
      clockChanged={() => void store.reload().catch((e) => toasts.failed(e))}
      drawer={drawer}
      setDrawer={setDrawer}
      find={find}
      actions={
        boot && [
          { title: 'Create a channel', act: () => open('create') },
          { title: 'New message', act: () => open('message') },
          status,
          presence,
        ]
      }
      sidebar={
        boot ? (
          <Sidebar close={() => setDrawer(false)} />
        ) : failed ? (
          <nav aria-label="Channels" className="channels dimmed">
            Conversations are listed here.
          </nav>
        ) : (
          <Skeleton h={300} width="auto" m="sm" />
        )
      }
      search={
        <form onSubmit={searchMessages} className="search">
          <TextInput
            type="search"
            role="searchbox"
            name="q"
            aria-label="Search messages"
            placeholder="Search messages"
            size="xs"
            leftSection={<SearchIcon size={14} />}
          />
        </form>
      }
      menu={boot && [{ title: 'Profile', act: () => openProfile(store.me) }, status, presence]}
    >
      {failed ? <Failed error={failed} again={() => void store.start()} /> : <Outlet />}
      {search.pane === 'profile' && search.user && boot && (
        <Profile key={search.user} user={search.user} close={() => openProfile('')} />
      )}
    </Frame>
  );
}

const pages: [path: string, title: string][] = [
  ['unreads', 'Unreads'],
  ['threads', 'Threads'],
  ['people', 'People'],
  ['channels', 'Browse channels'],
  ['search', 'Search'],
  ['apps', 'Apps and integrations'],
  ['settings', 'Workspace settings'],
];

/** Returns a search for conversations (unread ones first), people and pages of the area. */
function useFindConversations(): FindChoices {
  const { store, go, goPage, openProfile } = useMessaging();
  return useCallback(
    (query, done): Choice[] => {
      const state = store.snapshot();
      const q = query.toLowerCase();
      const matches = (title: string): boolean => title.toLowerCase().includes(q);
      const conversations = [...state.channels.values()]
        .filter((c) => !c.archived)
        .map((c) => ({ c, title: store.titleOf(c) }))
        .filter(({ title }) => matches(title))
        .sort(
          (a, b) =>
            Number(b.c.unread_count > 0) - Number(a.c.unread_count > 0) ||
            Number(b.title.toLowerCase().startsWith(q)) - Number(a.title.toLowerCase().startsWith(q)) ||
            collator.compare(a.title, b.title),
        )
        .slice(0, 12)
        .map(({ c }) => ({
          key: c.id,
          title: headingOf(state, c),
          strong: c.unread_count > 0,
          choose: () => {
            done();
            go(c.id);
          },
        }));
      const people = [...state.people.values()]
        .filter((u) => q !== '' && !u.is_bot && (matches(u.profile.real_name ?? '') || matches(u.name)))
        .slice(0, 5)
        .map((u) => ({
          key: u.id,
          title: u.profile.real_name || u.name,
          detail: `@${u.name}`,
          choose: () => {
            done();
            openProfile(u.id);
          },
        }));
      const found = pages
        .filter(([, title]) => q !== '' && matches(title))
        .map(([path, title]) => ({
          key: `page ${path}`,
          title,
          detail: 'page',
          choose: () => {
            done();
            goPage(path);
          },
        }));
      return [...conversations, ...people, ...found];
    },
    [store, go, goPage, openProfile],
  );
}

function Failed({ error, again }: { error: Error; again: () => void }) {
  const { env } = useMessaging();
  const alone = error instanceof ApiError && error.code === 'no_workspace';
  const navigate = useNavigate();
  const onPage = useLocation({ select: (l) => l.pathname.includes('/-/') });
  const title = alone ? 'You are in no workspace' : 'Messaging could not be opened';
  useTitle(title, env);
  useEffect(() => {
    if (alone && !onPage) {
      void navigate({ href: `/e/${encodeURIComponent(env)}/messaging/-/workspaces`, replace: true });
    }
  }, [alone, onPage, env, navigate]);
  if (alone && onPage) {
    return <Outlet />;
  }
  return (
    <main className="page" id="main">
      <h1>{title}</h1>
      <Refused error={error} again={again} />
    </main>
  );
}
