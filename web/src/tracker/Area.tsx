import './tracker.css';
import { Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Boxes, Plus, Terminal } from 'lucide-react';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { basePath } from '../api/base';
import { type Connection, Live } from '../api/live';
import { ForPerson, useAreaPerson } from '../app/AreaSignIn';
import { Frame } from '../app/Frame';
import { useGoOn } from '../app/goOn';
import type { FindChoices } from '../app/QuickSwitcher';
import { renewService, servicePerson } from '../app/session';
import { useWorldClock } from '../app/worldClock';
import { later } from '../ui/later';
import { Page, Refused } from '../ui/Page';
import { type Overview, readOverview } from './api';
import { type Heard, TrackerContext, useTracker } from './context';
import type { LiveEvent } from './events';

const CreateIssue = later(() => import('./CreateIssue'), 'CreateIssue');

/** The tracker: its teams, and the pages of the area. */
export function Area() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const who = useAreaPerson(env, 'tracker');
  const world = useWorldClock(env);
  const [drawer, setDrawer] = useState(false);
  const [connection, setConnection] = useState<Connection>('connecting');
  const account = who.person?.id;
  const found = useQuery({
    queryKey: ['tracker', env, 'overview', account],
    queryFn: () => readOverview(env),
    enabled: account !== undefined,
    staleTime: 60_000,
  });
  const listeners = useRef(new Set<(e: Heard) => void>());
  useEffect(() => {
    if (account === undefined) {
      return undefined;
    }
    const tell = (e: Heard): void => {
      for (const f of listeners.current) {
        f(e);
      }
    };
    const from = {
      path: `${basePath(env, 'tracker')}/socket.io/`,
      token: () => servicePerson(env, 'tracker')?.token ?? '',
      renew: () => renewService(env, 'tracker'),
    };
    const live = new Live(from, {
      event: (_, payload) => tell(payload as LiveEvent),
      connection: setConnection,
      again: () => tell('again'),
    });
    return () => live.stop();
  }, [env, account]);
  const listen = useCallback((f: (e: Heard) => void) => {
    listeners.current.add(f);
    return () => listeners.current.delete(f);
  }, []);
  const [creating, setCreating] = useState<{ team?: string; stateId?: string; parentId?: string }>();
  const overview = found.data;
  const value = useMemo(
    () => overview && { env, overview, listen, create: (preset = {}) => setCreating(preset) },
    [env, overview, listen],
  );
  return (
    <Frame
      env={env}
      area="Tracker"
      connection={account ? connection : 'connected'}
      session={{ service: 'tracker', person: who.person, leave: who.leave }}
      clock={world.clock}
      clockChanged={world.changed}
      drawer={drawer}
      setDrawer={setDrawer}
      find={useFind(env, overview)}
      sidebar={<Sidebar env={env} overview={overview} close={() => setDrawer(false)} create={() => setCreating({})} />}
    >
      <ForPerson title="Tracker" env={env} service="tracker" of={who}>
        {found.error ? (
          <Page title="Tracker" env={env}>
            <Refused error={found.error} again={() => void found.refetch()} />
          </Page>
        ) : value ? (
          <TrackerContext value={value} key={account}>
            <Outlet />
            {creating && <CreateIssue preset={creating} close={() => setCreating(undefined)} />}
          </TrackerContext>
        ) : (
          <main id="main" className="page">
            <Skeleton h={200} />
          </main>
        )}
      </ForPerson>
    </Frame>
  );
}

interface SidebarProps {
  env: string;
  overview?: Overview;
  close: () => void;
  create: () => void;
}

/** The sidebar: the teams of the organization and other pages. */
function Sidebar({ env, overview, close, create }: SidebarProps) {
  const here = useLocation({ select: (l) => decodeURIComponent(l.pathname) });
  const base = `/e/${encodeURIComponent(env)}/tracker`;
  const entry = (path: string, name: string, also?: string) => (
    <Link
      to={base + path}
      className="side-link"
      aria-current={here.endsWith(`/tracker${path}`) || (also && here.endsWith(also)) ? 'page' : undefined}
      onClick={close}
    >
      {name}
    </Link>
  );
  return (
    <nav aria-label="Tracker" className="channels">
      {overview && <p className="organization">{overview.organization.name}</p>}
      <UnstyledButton
        className="side-link"
        disabled={!overview}
        onClick={() => {
          close();
          create();
        }}
      >
        <Plus size={14} /> Create issue
      </UnstyledButton>
      <Link
        to={`${base}/projects`}
        className="side-link"
        aria-current={here.includes('/tracker/projects') ? 'page' : undefined}
        onClick={close}
      >
        <Boxes size={14} /> Projects
      </Link>
      <Link
        to={`${base}/graphql`}
        className="side-link"
        aria-current={here.endsWith('/tracker/graphql') ? 'page' : undefined}
        onClick={close}
      >
        <Terminal size={14} /> GraphQL console
      </Link>
      <h2 className="section">Teams</h2>
      <ul>
        {[...(overview?.teams.nodes ?? [])]
          .sort((a, b) => a.name.localeCompare(b.name))
          .map((t) => (
            <li key={t.id}>
              {entry(`/${t.key}/list`, t.name, `/tracker/${t.key}/board`)}
              {here.includes(`/tracker/${t.key}/`) && (
                <div className="side-below">{entry(`/${t.key}/cycles`, 'Cycles')}</div>
              )}
            </li>
          ))}
      </ul>
      {overview?.teams.pageInfo.hasNextPage && <p className="dimmed pad">The first 250 teams are shown.</p>}
    </nav>
  );
}

/** Returns the choices for the quick switcher: teams. */
function useFind(env: string, overview?: Overview): FindChoices {
  const navigate = useNavigate();
  return useCallback<FindChoices>(
    (query, done) => {
      const q = query.trim();
      const to = (href: string) => () => {
        done();
        void navigate({ href: `/e/${encodeURIComponent(env)}/tracker/${href}` });
      };
      return (overview?.teams.nodes ?? [])
        .filter((t) => q === '' || t.name.toLowerCase().includes(q.toLowerCase()) || t.key === q.toUpperCase())
        .slice(0, 8)
        .map((t) => ({ key: t.id, title: t.name, detail: 'team', choose: to(`${t.key}/list`) }));
    },
    [env, overview, navigate],
  );
}

/** Redirects to the team that was open last, or to the first. */
export function Start() {
  const { env, overview } = useTracker();
  const goOn = useGoOn();
  const teams = overview.teams.nodes;
  const last = localStorage.getItem(`us.team.${env}`);
  const key = (teams.find((t) => t.key === last) ?? teams[0])?.key;
  useEffect(() => {
    if (key) {
      goOn(`/e/${encodeURIComponent(env)}/tracker/${key}/list`);
    }
  }, [env, key, goOn]);
  if (key) {
    return null;
  }
  return (
    <Page title="Tracker" env={env}>
      <p>You are in no team that has issues here. The mutation teamCreate of the GraphQL console makes one.</p>
    </Page>
  );
}
