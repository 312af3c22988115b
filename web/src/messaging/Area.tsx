import { Alert, Button, Skeleton } from '@mantine/core';
import { Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { ApiError } from '../api/http';
import { Frame } from '../app/Frame';
import { personOf, snapshot, subscribe } from '../app/identity';
import { MessagingContext, useStore } from './context';
import { Profile } from './Profile';
import { Sidebar } from './Sidebar';
import { Store } from './store';

/** Messaging: keeps one store for each environment and person while it is open. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  useSyncExternalStore(subscribe, snapshot);
  const person = personOf(env);
  const who = person ? `${person.account}/${person.workspace ?? ''}` : '';
  const navigate = useNavigate();
  useEffect(() => {
    if (!person) {
      void navigate({
        to: '/sign-in',
        search: { env, next: location.pathname + location.search } as never,
        replace: true,
      });
    }
  }, [person, env, navigate]);
  return person ? <Loaded key={`${env} ${who}`} env={env} /> : null;
}

function Loaded({ env }: { env: string }) {
  const store = useMemo(() => new Store(env), [env]);
  const state = useStore(store);
  const navigate = useNavigate();
  const router = useRouter();
  const [profile, setProfile] = useState('');
  const [drawer, setDrawer] = useState(false);
  useEffect(() => {
    void store.start();
    return () => store.stop();
  }, [store]);
  const team = state.boot?.workspace.id ?? '-';
  const value = useMemo(
    () => ({
      store,
      state,
      team,
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
      openProfile: setProfile,
    }),
    [store, state, team, env, navigate, router],
  );
  const unread = [...state.channels.values()].filter((c) => c.unread_count > 0).length;
  return (
    <MessagingContext value={value}>
      <Frame
        env={env}
        area="Messaging"
        connection={state.connection}
        clock={state.boot?.clock}
        unread={unread}
        drawer={drawer}
        setDrawer={setDrawer}
        sidebar={state.boot ? <Sidebar close={() => setDrawer(false)} /> : <Skeleton h={300} m="sm" />}
      >
        {state.failed ? <Failed error={state.failed} again={() => void store.start()} /> : <Outlet />}
        {profile && <Profile user={profile} close={() => setProfile('')} />}
      </Frame>
      <div className="visually-hidden" role="status" aria-live="polite">
        {state.announced}
      </div>
    </MessagingContext>
  );
}

function Failed({ error, again }: { error: Error; again: () => void }) {
  const gone = error instanceof ApiError && error.status === 404;
  return (
    <main className="page">
      <h1>{gone ? 'This environment is gone' : 'Messaging could not be opened'}</h1>
      <Alert color="red" role="alert">
        {error.message}
        {error instanceof ApiError && error.requestId && <div>Request {error.requestId}</div>}
      </Alert>
      <Button mt="md" onClick={again}>
        Try again
      </Button>
    </main>
  );
}
