import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { basePath } from './api/base';
import { isGone } from './api/gone';
import { ApiError, send } from './api/http';
import type { Search } from './app/address';
import { adminKey, askOtherTabs, tryKey } from './app/admin';
import type { Arrival } from './app/fragment';
import { actAs, ensurePerson, personOf } from './app/identity';
import { lastEnv, setLastEnv } from './app/lastEnv';
import { orNotLoaded } from './app/notLoaded';
import { Problem } from './app/Problem';

// All query parameters are strings. A screen ignores unknown ones.
function texts(values: Record<string, unknown>): Search {
  return Object.fromEntries(Object.entries(values).map(([k, v]) => [k, v === undefined ? undefined : String(v)]));
}

function writeQuery(values: Record<string, unknown>): string {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') {
      q.set(name, String(value));
    }
  }
  const text = q.toString();
  return text === '' ? '' : `?${text}`;
}

/** Checks the admin key from the URL once, before anything else. */
async function arrive(arrival: Arrival, path: string): Promise<void> {
  const { key, as } = arrival;
  arrival.key = undefined;
  if (!key) {
    return;
  }
  const env = /^\/(?:ui\/)?(?:e|worlds)\/([^/]+)/.exec(path)?.[1] ?? 'default';
  try {
    await tryKey(key);
    if (as) {
      await actAs(decodeURIComponent(env), as);
    }
  } catch (e) {
    const refused =
      e instanceof ApiError && e.code === 'unauthorized'
        ? 'The key of the link is not the admin key.'
        : (e as Error).message;
    throw redirect({ to: '/sign-in', search: { by: 'key', refused, next: path } as never });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the component's type is checked where it is written
const lazy = (load: () => Promise<any>, name: string) => lazyRouteComponent(() => orNotLoaded(load), name);

/** Returns a function that makes pages below a route. */
const pagesOf =
  (parent: AnyRoute) =>
  (path: string, load: () => Promise<unknown>, name: string): AnyRoute =>
    createRoute({ getParentRoute: () => parent, path, component: lazy(load as never, name) });

const verdicts = () => import('./worlds/verdict/Verdict');

function makeTree(arrival: Arrival) {
  const root = createRootRoute({
    component: Outlet,
    errorComponent: Problem,
    notFoundComponent: lazy(() => import('./app/NotFound'), 'NotFound'),
    beforeLoad: ({ location }) => arrive(arrival, location.href),
  });
  const single = (path: string, load: () => Promise<unknown>, name: string) =>
    createRoute({ getParentRoute: () => root, path, validateSearch: texts, component: lazy(load as never, name) });
  const home = createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: async () => {
      await askOtherTabs();
      const env = lastEnv();
      if (personOf(env)) {
        throw redirect({ to: '/e/$env/messaging', params: { env } });
      }
      throw adminKey() ? redirect({ to: '/worlds' }) : redirect({ to: '/sign-in', search: { env } as never });
    },
  });
  const needsKey = async ({ location }: { location: { href: string } }): Promise<void> => {
    await askOtherTabs();
    if (!adminKey()) {
      throw redirect({ to: '/sign-in', search: { by: 'key', next: location.href } as never });
    }
  };
  const worlds = createRoute({
    getParentRoute: () => root,
    path: '/worlds',
    validateSearch: texts,
    beforeLoad: needsKey,
    component: Outlet,
  });
  const world = createRoute({
    getParentRoute: () => worlds,
    path: '$env',
    beforeLoad: ({ params }) => setLastEnv(params.env),
    component: lazy(() => import('./worlds/Area'), 'Area'),
  });
  const worldPage = pagesOf(world);
  world.addChildren([
    worldPage('/', () => import('./worlds/home/Home'), 'Home'),
    worldPage('requests', () => import('./worlds/requests/List'), 'Requests'),
    worldPage('requests/$id', () => import('./worlds/requests/Request'), 'RequestPage'),
    worldPage('events', () => import('./worlds/events/Events'), 'Events'),
    worldPage('deliveries', () => import('./worlds/deliveries/List'), 'Deliveries'),
    worldPage('deliveries/$id', () => import('./worlds/deliveries/Delivery'), 'DeliveryPage'),
    worldPage('diff', () => import('./worlds/diff/Diff'), 'Diff'),
    worldPage('snapshots', () => import('./worlds/snapshots/Snapshots'), 'Snapshots'),
    worldPage('faults', () => import('./worlds/faults/Faults'), 'Faults'),
    worldPage('verdict', verdicts, 'VerdictPage'),
    worldPage('seed', () => import('./worlds/seed/Seed'), 'Seed'),
    worldPage('credentials', () => import('./worlds/credentials/Page'), 'CredentialsPage'),
    worldPage('settings', () => import('./worlds/settings/Settings'), 'Settings'),
  ]);
  const worldsPage = pagesOf(worlds);
  worlds.addChildren([
    worldsPage('/', () => import('./worlds/environments/List'), 'Environments'),
    worldsPage('-/verdicts', verdicts, 'Runs'),
    worldsPage('-/verdicts/$id', verdicts, 'RunPage'),
    world,
  ]);
  const environment = createRoute({
    getParentRoute: () => root,
    path: '/e/$env',
    beforeLoad: ({ params }) => setLastEnv(params.env),
    component: Outlet,
  });
  const area = (path: string, name: string) =>
    createRoute({
      getParentRoute: () => environment,
      path,
      component: lazy(() => import('./app/OtherArea'), name),
    });
  const traces = createRoute({
    getParentRoute: () => environment,
    path: 'traces',
    validateSearch: texts,
    beforeLoad: askOtherTabs,
    component: lazy(() => import('./traces/Area'), 'Area'),
  });
  const tracePage = pagesOf(traces);
  traces.addChildren([
    tracePage('/', () => import('./traces/Overview'), 'Overview'),
    tracePage('sessions', () => import('./traces/Sessions'), 'Sessions'),
    tracePage('sessions/$session', () => import('./traces/trace/Trace'), 'Trace'),
    tracePage('tools', () => import('./traces/tools/Tools'), 'Tools'),
    tracePage('tools/$tool', () => import('./traces/tools/Tool'), 'Tool'),
    tracePage('users', () => import('./traces/users/Users'), 'Users'),
    tracePage('users/$user', () => import('./traces/users/User'), 'User'),
    tracePage('events', () => import('./traces/Events'), 'Events'),
    tracePage('events/$event', () => import('./traces/Events'), 'EventById'),
    tracePage('-/error', () => import('./traces/Events'), 'LatestError'),
    tracePage('live', () => import('./traces/live/Live'), 'Live'),
    tracePage('keys', () => import('./traces/Keys'), 'Keys'),
  ]);
  const crm = createRoute({
    getParentRoute: () => environment,
    path: 'crm',
    validateSearch: texts,
    component: lazy(() => import('./crm/Area'), 'Area'),
  });
  const crmPage = pagesOf(crm);
  crm.addChildren([
    crmPage('/', () => import('./crm/Area'), 'Start'),
    crmPage('owners', () => import('./crm/Owners'), 'Owners'),
    crmPage('$type', () => import('./crm/Records'), 'Records'),
    crmPage('$type/$id', () => import('./crm/RecordPage'), 'RecordPage'),
    crmPage('$type/-/board', () => import('./crm/Board'), 'Board'),
    crmPage('$type/-/properties', () => import('./crm/Definitions'), 'Definitions'),
  ]);
  const tracker = createRoute({
    getParentRoute: () => environment,
    path: 'tracker',
    validateSearch: texts,
    component: lazy(() => import('./tracker/Area'), 'Area'),
  });
  const trackerPage = pagesOf(tracker);
  tracker.addChildren([
    trackerPage('/', () => import('./tracker/Area'), 'Start'),
    trackerPage('$team/list', () => import('./tracker/List'), 'List'),
    trackerPage('$team/board', () => import('./tracker/Board'), 'Board'),
    trackerPage('projects', () => import('./tracker/Projects'), 'Projects'),
    trackerPage('projects/$project', () => import('./tracker/Projects'), 'ProjectPage'),
    trackerPage('$team/cycles', () => import('./tracker/Cycles'), 'Cycles'),
    trackerPage('graphql', () => import('./tracker/GraphQL'), 'GraphQL'),
    trackerPage('issue/$identifier', () => import('./tracker/IssuePage'), 'IssuePage'),
  ]);
  const messaging = createRoute({
    getParentRoute: () => environment,
    path: 'messaging',
    validateSearch: texts,
    beforeLoad: async ({ params, location }) => {
      await askOtherTabs();
      const by = adminKey() ? 'key' : undefined; // asks for the admin key again
      try {
        if (await ensurePerson(params.env)) {
          return;
        }
        await send(`${basePath(params.env, 'messaging')}/api/health`); // no sign-in for an environment that does not exist
      } catch (e) {
        if (isGone(params.env)) {
          return; // the area says so
        }
        throw e;
      }
      throw redirect({ to: '/sign-in', search: { env: params.env, next: location.href, by } as never });
    },
    component: lazy(() => import('./messaging/Area'), 'Area'),
  });
  const page = pagesOf(messaging);
  const apps = () => import('./messaging/apps/Apps');
  const start = () => import('./messaging/Start');
  const browse = () => import('./messaging/Browse');
  const unreads = () => import('./messaging/Unreads');
  const workspaces = () => import('./messaging/Workspaces');
  const pages = [
    page('/', start, 'Start'),
    page('$team', start, 'Start'),
    page('-/workspaces', workspaces, 'Workspaces'),
    page('-/join', workspaces, 'Join'),
    page('$team/-/search', () => import('./messaging/Search'), 'SearchPage'),
    page('$team/-/channels', browse, 'BrowseChannels'),
    page('$team/-/people', browse, 'People'),
    page('$team/-/unreads', unreads, 'Unreads'),
    page('$team/-/threads', unreads, 'Threads'),
    page('$team/-/settings', workspaces, 'Settings'),
    page('$team/-/apps', apps, 'AppsPage'),
    page('$team/-/apps/$app', apps, 'AppPage'),
    page('$team/-/webhooks', apps, 'AppsPage'),
    page('$team/-/subscriptions', apps, 'AppsPage'),
    page('$team/-/commands', apps, 'AppsPage'),
    page('$team/$channel', () => import('./messaging/Conversation'), 'Conversation'),
  ];
  return root.addChildren([
    home,
    single('/sign-in', () => import('./app/SignIn'), 'SignIn'),
    single('/sign-up', () => import('./app/SignIn'), 'SignUp'),
    single('/preferences', () => import('./app/Preferences'), 'Preferences'),
    worlds,
    environment.addChildren([messaging.addChildren(pages), traces, crm, tracker, area('docs', 'ApiDocs')]),
  ]);
}

export function makeRouter(arrival: Arrival) {
  return createRouter({
    routeTree: makeTree(arrival),
    basepath: '/ui',
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: writeQuery,
    defaultErrorComponent: Problem,
  });
}
