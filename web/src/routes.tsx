import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { Arrival } from './app/fragment';
import { personOf } from './app/identity';
import { Problem } from './app/Problem';

export type Search = Record<string, string | undefined>;

// Everything in a query is text; what a screen does not know it leaves alone.
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

export const lastPlace = 'us.place';

function makeTree(arrival: Arrival) {
  const root = createRootRoute({
    component: Outlet,
    errorComponent: Problem,
    notFoundComponent: lazyRouteComponent(() => import('./app/NotFound'), 'NotFound'),
  });
  const home = createRoute({
    getParentRoute: () => root,
    path: '/',
    beforeLoad: () => {
      const env = sessionStorage.getItem('us.env') ?? 'default';
      throw personOf(env)
        ? redirect({ to: '/e/$env/messaging', params: { env } })
        : redirect({ to: '/sign-in', search: { env } });
    },
  });
  const signIn = createRoute({
    getParentRoute: () => root,
    path: '/sign-in',
    validateSearch: texts,
    component: lazyRouteComponent(() => import('./app/SignIn'), 'SignIn'),
  });
  const signUp = createRoute({
    getParentRoute: () => root,
    path: '/sign-up',
    validateSearch: texts,
    component: lazyRouteComponent(() => import('./app/SignIn'), 'SignUp'),
  });
  const preferences = createRoute({
    getParentRoute: () => root,
    path: '/preferences',
    component: lazyRouteComponent(() => import('./app/Preferences'), 'Preferences'),
  });
  const environment = createRoute({
    getParentRoute: () => root,
    path: '/e/$env',
    beforeLoad: ({ params }) => sessionStorage.setItem('us.env', params.env),
    component: Outlet,
  });
  const messaging = createRoute({
    getParentRoute: () => environment,
    path: 'messaging',
    validateSearch: texts,
    beforeLoad: ({ params, location }) => {
      if (!personOf(params.env)) {
        throw redirect({ to: '/sign-in', search: { env: params.env, next: location.href } });
      }
    },
    component: lazyRouteComponent(() => import('./messaging/Area'), 'Area'),
  });
  const start = createRoute({
    getParentRoute: () => messaging,
    path: '/',
    component: lazyRouteComponent(() => import('./messaging/Start'), 'Start'),
  });
  const page = (path: string, load: () => Promise<Record<string, unknown>>, name: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: the component's type is checked where it is written
    createRoute({ getParentRoute: () => messaging, path, component: lazyRouteComponent(load as any, name) });
  const pages = [
    page('$team/-/search', () => import('./messaging/Search'), 'SearchPage'),
    page('$team/-/channels', () => import('./messaging/Browse'), 'BrowseChannels'),
    page('$team/-/people', () => import('./messaging/Browse'), 'People'),
    page('$team/$channel', () => import('./messaging/Conversation'), 'Conversation'),
  ];
  void arrival;
  return root.addChildren([
    home,
    signIn,
    signUp,
    preferences,
    environment.addChildren([messaging.addChildren([start, ...pages])]),
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
