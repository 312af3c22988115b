import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { Dialog } from '../ui/Dialog';
import { type Choice, Finder } from '../ui/Finder';
import { adminKey, findEnvironments } from './admin';

/** What an area adds to the quick switcher: its own things, best first. */
export type FindChoices = (query: string, done: () => void) => Choice[];

interface Props {
  env: string;
  close: () => void;
  find?: FindChoices;
}

const most = 12;

/** Goes to anything by the beginning of a word. */
export function QuickSwitcher({ env, close, find }: Props) {
  const navigate = useNavigate();
  const search = useCallback(
    (query: string): Choice[] | Promise<Choice[]> => {
      const to = (href: string) => () => {
        close();
        void navigate({ href });
      };
      const own = find?.(query, close) ?? [];
      const q = query.toLowerCase();
      const pages: [string, string][] = [
        ['Worlds', '/worlds'],
        ['Traces', `/e/${env}/traces`],
        ['CRM', `/e/${env}/crm`],
        ['Tracker', `/e/${env}/tracker`],
        ['API docs', `/e/${env}/docs`],
        ['Preferences', '/preferences'],
      ];
      const rest = pages
        .filter(([title]) => q !== '' && title.toLowerCase().includes(q))
        .map(([title, href]) => ({ key: href, title, detail: 'page', choose: to(href) }));
      const here = [...own, ...rest].slice(0, most);
      if (!adminKey() || q === '') {
        return here;
      }
      return findEnvironments(q, 5).then(
        (list) => [
          ...here,
          ...list.map((e) => ({
            key: `env ${e.id}`,
            title: e.name || e.id,
            detail: 'environment',
            choose: to(`/e/${encodeURIComponent(e.id)}/messaging`),
          })),
        ],
        () => here,
      );
    },
    [env, close, find, navigate],
  );
  return (
    <Dialog title="Go to" close={close}>
      <Finder
        label="Go to"
        placeholder="A channel, a person, a page"
        find={search}
        empty="Nothing by that name. Browse channels shows those that you are not in."
      />
    </Dialog>
  );
}
