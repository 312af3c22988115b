import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  Activity,
  BookOpen,
  Boxes,
  CircleDot,
  Command,
  Contact,
  Layers,
  Menu as MenuIcon,
  MessageSquare,
  User,
} from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isGone, subscribeGone } from '../api/gone';
import { later } from '../ui/later';
import { Menu } from '../ui/Menu';
import type { MenuItem } from '../ui/menuItem';
import { adminKey, adminVersion, forgetKey, subscribeAdmin, wasRefused } from './admin';
import { ClockButton } from './Clock';
import { personOf, signOut, snapshot, subscribe } from './identity';
import { Mark } from './Mark';
import { prefs, setPrefs, usePrefs } from './prefs';
import type { Action, FindChoices } from './QuickSwitcher';
import { inText, nextRegion } from './regions';
import type { WorldClock } from './worldClock';

const ActAsDialog = later(() => import('./ActAs'), 'ActAsDialog');
const EnvironmentDialog = later(() => import('./Environments'), 'EnvironmentDialog');
const Gone = later(() => import('./Gone'), 'Gone');
const KeyAgain = later(() => import('./KeyAgain'), 'KeyAgain');
const QuickSwitcher = later(() => import('./QuickSwitcher'), 'QuickSwitcher');
const ShortcutsDialog = later(() => import('./Shortcuts'), 'ShortcutsDialog');

/** The person of this tab in an area whose service has its own people. */
export interface AreaSession {
  service: 'crm' | 'tracker';
  person?: { kind: 'person' | 'acting'; name: string };
  leave: () => void;
}

interface Props {
  env: string;
  area: string;
  connection?: string;
  session?: AreaSession; // without it the person of messaging is shown
  clock?: WorldClock;
  clockChanged?: () => void;
  sidebar?: ReactNode;
  drawer?: boolean;
  setDrawer?: (open: boolean) => void;
  search?: ReactNode;
  menu?: MenuItem[]; // items that the area adds to the person's menu
  find?: FindChoices;
  actions?: Action[]; // actions that the area adds to the quick switcher
  children: ReactNode;
}

const connectionText: Record<string, string> = {
  connecting: 'Connecting…',
  connected: '',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
};

const areas = [
  ['Messaging', MessageSquare, 'm', 'messaging'],
  ['Traces', Activity, 't', 'traces'],
  ['Worlds', Boxes, 'w', ''],
  ['CRM', Contact, 'c', 'crm'],
  ['Tracker', CircleDot, 'i', 'tracker'],
  ['API docs', BookOpen, '', 'docs'],
] as const;

const hrefOf = (env: string, path: string): string =>
  path === '' ? '/worlds' : `/e/${encodeURIComponent(env)}/${path}`;

/** The frame of every screen: rail, banner, sidebar, main, pane. */
export function Frame(p: Props) {
  const { env, area, connection, clock, sidebar, drawer = false, setDrawer } = p;
  const [open, setOpen] = useState<'' | 'switcher' | 'shortcuts' | 'environments' | 'act'>('');
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const close = useCallback((): void => setOpen(''), []);
  useSyncExternalStore(subscribe, snapshot);
  useSyncExternalStore(subscribeAdmin, adminVersion);
  const gone = useSyncExternalStore(subscribeGone, () => isGone(env));
  const person = p.session ? p.session.person : personOf(env);
  const who = person
    ? `${person.kind === 'acting' ? 'Acting as' : 'Signed in as'} ${person.name}`
    : adminKey()
      ? 'Signed in as Admin'
      : 'Not signed in';

  const waiting = useRef(0); // when g was pressed
  useEffect(() => {
    const f = (e: KeyboardEvent): void => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault();
        setOpen('switcher');
      } else if (e.key === 'F6') {
        e.preventDefault();
        nextRegion(frame.current, e.shiftKey ? -1 : 1);
      } else if (
        e.key === 'Escape' &&
        drawer &&
        !document.querySelector('[role=dialog], [role=alertdialog], [role=menu]')
      ) {
        setDrawer?.(false);
      } else if (
        inText(e.target) ||
        e.ctrlKey ||
        e.metaKey ||
        e.altKey ||
        document.querySelector('[role=dialog], [role=alertdialog]')
      ) {
        return;
      } else if (e.key === '?') {
        setOpen('shortcuts');
      } else if (e.key === '/') {
        e.preventDefault();
        (
          frame.current?.querySelector<HTMLInputElement>('main input[type=search]') ??
          frame.current?.querySelector<HTMLInputElement>('input[type=search]')
        )?.focus();
      } else if (prefs().letters && e.key === 'g') {
        waiting.current = e.timeStamp;
      } else if (waiting.current && e.timeStamp - waiting.current < 1500) {
        waiting.current = 0;
        const to = e.key === 'e' ? 'traces/-/error' : areas.find(([, , key]) => key === e.key)?.[3];
        if (to !== undefined) {
          e.preventDefault();
          void navigate({ href: hrefOf(env, to) });
        }
      }
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  }, [env, navigate, drawer, setDrawer]);

  const leave = (): void => {
    void signOut(env);
    p.session?.leave();
    if (person?.kind !== 'person') {
      forgetKey();
    }
    void navigate({ to: '/sign-in', search: { env } as never });
  };

  const shortcuts: Action = { title: 'Keyboard shortcuts', act: () => setOpen('shortcuts') };
  const actAs: Action = { title: 'Act as…', act: () => setOpen('act') };
  const actions: Action[] = [
    ...(p.actions ?? []),
    shortcuts,
    { title: 'Manage environments', act: () => void navigate({ to: '/worlds' }) },
    ...(adminKey() ? [actAs] : []),
    ...(person || adminKey() ? [{ title: 'Sign out', act: leave }] : []),
  ];

  return (
    <div className={sidebar ? 'frame' : 'frame plain'} ref={frame}>
      <a className="skip" href="#main">
        Skip to main
      </a>
      <nav className="rail" aria-label="Areas" data-region>
        <Mark size={24} />
        {areas.map(([name, Icon, , path]) => (
          <a
            key={name}
            className="rail-link"
            href={`/ui${hrefOf(env, path)}`}
            aria-label={name}
            title={name}
            aria-current={area === name ? 'page' : undefined}
            onClick={(e) => {
              if (!e.metaKey && !e.ctrlKey) {
                e.preventDefault();
                void navigate({ href: hrefOf(env, path) });
              }
            }}
          >
            <Icon size={20} />
          </a>
        ))}
      </nav>
      <header className="banner">
        {sidebar && (
          <ActionIcon
            className="burger"
            variant="subtle"
            color="gray"
            size={32}
            aria-label={area === 'Messaging' ? 'Open the list of conversations' : 'Open the list of pages'}
            aria-expanded={drawer}
            onClick={() => setDrawer?.(!drawer)}
          >
            <MenuIcon size={18} />
          </ActionIcon>
        )}
        <Button
          variant="subtle"
          color="gray"
          size="compact-md"
          className="env"
          title={env}
          leftSection={<Layers size={16} />}
          onClick={() => setOpen('environments')}
        >
          <span className="button-name">Environment: {env}</span>
        </Button>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Command size={14} />}
          onClick={() => setOpen('switcher')}
          className="goto"
        >
          <span className="button-name">Go to…</span>
        </Button>
        {p.search ?? <span className="search" />}
        <span role="status" aria-label="Connection" className="connection">
          {connectionText[connection ?? 'connected']}
        </span>
        {clock && <ClockButton env={env} clock={clock} changed={() => p.clockChanged?.()} />}
        <Menu
          inside
          items={[
            ...(p.menu ?? []),
            ...(adminKey() ? [actAs] : []),
            { title: 'Preferences', act: () => void navigate({ to: '/preferences' }) },
            shortcuts,
            '-',
            { title: person || adminKey() ? 'Sign out' : 'Sign in', act: leave },
          ]}
        >
          <Button
            variant="subtle"
            color="gray"
            size="compact-md"
            leftSection={<User size={14} />}
            className="who"
            aria-label={who}
          >
            <span className="who-name">{who}</span>
          </Button>
        </Menu>
      </header>
      {sidebar && (
        <div className={drawer ? 'sidebar open' : 'sidebar'} data-region>
          {sidebar}
        </div>
      )}
      <div className="content">
        {person?.kind === 'acting' && (area === 'Messaging' || p.session) && (
          <Acting name={person.name} reads={!p.session} />
        )}
        <div className="columns">{gone ? <Gone env={env} /> : p.children}</div>
      </div>
      {area === 'Worlds' && wasRefused() && <KeyAgain env={env} />}
      {open === 'switcher' && <QuickSwitcher env={env} area={area} close={close} find={p.find} actions={actions} />}
      {open === 'shortcuts' && <ShortcutsDialog close={close} />}
      {open === 'environments' && <EnvironmentDialog env={env} close={close} />}
      {open === 'act' && <ActAsDialog env={env} service={p.session?.service} close={close} />}
    </div>
  );
}

/** A banner that names the person this tab acts as. */
function Acting({ name, reads }: { name: string; reads: boolean }) {
  const { readWhileActing } = usePrefs();
  return (
    <div className="acting">
      <span role="status" aria-label={`Acting as ${name}`}>
        Acting as {name}
      </span>
      {reads && (
        <Checkbox
          size="xs"
          label="Mark as read while acting"
          checked={readWhileActing}
          onChange={(e) => setPrefs({ readWhileActing: e.currentTarget.checked })}
        />
      )}
    </div>
  );
}
