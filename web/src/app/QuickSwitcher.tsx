import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Dialog } from '../ui/Dialog';
import { type Choice, Finder } from '../ui/Finder';
import { adminKey } from './admin';
import { searchEnvironment } from './search';

/** Returns the choices that an area adds to the quick switcher, best match first. */
export type FindChoices = (query: string, done: () => void) => Choice[];

/** An action that is available on every screen. */
export interface Action {
  title: string;
  act: () => void;
}

interface Props {
  env: string;
  area: string;
  close: () => void;
  find?: FindChoices;
  actions: Action[];
}

const most = 12;

/** The fixed pages of an environment, each with the part of the UI it belongs to. */
const pagesOf = (env: string): [title: string, of: string, href: string][] => {
  const at = (path: string): string => `/e/${encodeURIComponent(env)}/${path}`;
  const world = (path: string): string => `/worlds/${encodeURIComponent(env)}/${path}`;
  return [
    ['Worlds', 'page', '/worlds'],
    ['Traces', 'page', at('traces')],
    ['CRM', 'page', at('crm')],
    ['Tracker', 'page', at('tracker')],
    ['API docs', 'page', at('docs')],
    ['Preferences', 'page', '/preferences'],
    ['Sessions', 'traces', at('traces/sessions')],
    ['Tools', 'traces', at('traces/tools')],
    ['Users', 'traces', at('traces/users')],
    ['Events', 'traces', at('traces/events')],
    ['Live', 'traces', at('traces/live')],
    ['Keys', 'traces', at('traces/keys')],
    ['Requests', 'world', world('requests')],
    ['Events', 'world', world('events')],
    ['Deliveries', 'world', world('deliveries')],
    ['Diff', 'world', world('diff')],
    ['Snapshots', 'world', world('snapshots')],
    ['Faults', 'world', world('faults')],
    ['Verdict', 'world', world('verdict')],
    ['Seed document', 'world', world('seed')],
    ['Credentials', 'world', world('credentials')],
    ['Settings', 'world', world('settings')],
    ['Contacts', 'CRM', at('crm/contacts')],
    ['Companies', 'CRM', at('crm/companies')],
    ['Deals', 'CRM', at('crm/deals')],
    ['Tickets', 'CRM', at('crm/tickets')],
    ['Projects', 'tracker', at('tracker/projects')],
    ['GraphQL console', 'tracker', at('tracker/graphql')],
  ];
};

/** A dialog that opens any page or object by the beginning of a word. */
export function QuickSwitcher({ env, area, close, find, actions }: Props) {
  const navigate = useNavigate();
  const go = useCallback(
    (href: string): void => {
      close();
      void navigate({ href });
    },
    [close, navigate],
  );
  const here = useCallback(
    (query: string): Choice[] => {
      const q = query.trim().toLowerCase();
      const own = find?.(query, close) ?? [];
      if (q === '') {
        return own.slice(0, most);
      }
      const issue: Choice[] = /^[a-z][a-z0-9]*-\d+$/.test(q)
        ? [
            {
              key: q,
              title: q.toUpperCase(),
              detail: 'issue',
              choose: () => go(`/e/${encodeURIComponent(env)}/tracker/issue/${q.toUpperCase()}`),
            },
          ]
        : [];
      const pages = pagesOf(env)
        .filter(([title, , href]) => title.toLowerCase().includes(q) && (adminKey() || !href.startsWith('/worlds')))
        .map(([title, of, href]) => ({ key: href, title, detail: of, choose: () => go(href) }));
      const acts = actions
        .filter((a) => a.title.toLowerCase().includes(q))
        .map((a) => ({
          key: `act ${a.title}`,
          title: a.title,
          detail: 'action',
          choose: () => {
            close();
            a.act();
          },
        }));
      return [...issue, ...own, ...pages, ...acts].slice(0, most);
    },
    [env, close, find, go, actions],
  );
  const later = useCallback(
    (query: string): Promise<Choice[]> => searchEnvironment(env, query, area === 'Messaging', go),
    [env, area, go],
  );
  return (
    <Dialog title="Go to" close={close}>
      <Finder
        label="Go to"
        placeholder="A channel, a person, a session, a record, a page"
        find={here}
        later={later}
        empty="Nothing by that name. Browse channels shows those that you are not in."
      />
    </Dialog>
  );
}
