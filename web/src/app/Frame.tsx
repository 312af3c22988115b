import { ActionIcon, Button, Menu, Modal, Popover, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { BookOpen, Clock, Command, Menu as MenuIcon, MessageSquare, Search, User } from 'lucide-react';
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { basePath } from '../api/base';
import { personOf, signOut } from './identity';
import { formatDay, formatTime } from './locale';
import { Mark } from './Mark';
import { QuickSwitcher } from './QuickSwitcher';
import { ShortcutsDialog } from './Shortcuts';

interface Props {
  env: string;
  area: string;
  connection: string;
  clock?: { now: string; frozen: boolean };
  unread: number;
  sidebar: ReactNode;
  drawer: boolean;
  setDrawer: (open: boolean) => void;
  children: ReactNode;
}

const connectionText: Record<string, string> = {
  connecting: 'Connecting…',
  connected: '',
  reconnecting: 'Reconnecting…',
  offline: 'Offline',
};

/** The frame of every screen: rail, banner, sidebar, main, pane. */
export function Frame({ env, area, connection, clock, unread, sidebar, drawer, setDrawer, children }: Props) {
  const [switcher, setSwitcher] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const [environments, setEnvironments] = useState(false);
  const navigate = useNavigate();
  const frame = useRef<HTMLDivElement>(null);
  const person = personOf(env);

  useEffect(() => {
    const f = (e: KeyboardEvent): void => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault();
        setSwitcher(true);
      } else if (e.key === 'F6') {
        e.preventDefault();
        nextRegion(frame.current, e.shiftKey ? -1 : 1);
      } else if (e.key === '?' && !inText(e.target)) {
        setShortcuts(true);
      } else if (e.key === '/' && !inText(e.target)) {
        e.preventDefault();
        frame.current?.querySelector<HTMLInputElement>('input[type=search]')?.focus();
      }
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  }, []);

  useEffect(() => {
    const title = document.title.replace(/^\(\d+\) /, '');
    document.title = unread > 0 ? `(${unread}) ${title}` : title;
  }, [unread]);

  const search = (e: FormEvent<HTMLFormElement>): void => {
    e.preventDefault();
    const q = String(new FormData(e.currentTarget).get('q') ?? '').trim();
    const team = location.pathname.split('/')[5] ?? '-';
    if (q) {
      void navigate({ to: '/e/$env/messaging/$team/-/search', params: { env, team }, search: { q } as never });
    }
  };

  return (
    <div className="frame" ref={frame}>
      <a className="skip" href="#main">
        Skip to main
      </a>
      <nav className="rail" aria-label="Areas" data-region>
        <Mark size={24} />
        <RailLink href={`/ui/e/${env}/messaging`} label="Messaging" current={area === 'Messaging'}>
          <MessageSquare size={20} />
        </RailLink>
        <a
          className="rail-link"
          href={`${basePath(env, 'messaging')}/api/docs`}
          target="_blank"
          rel="noreferrer"
          aria-label="API docs"
          title="API docs"
        >
          <BookOpen size={20} />
        </a>
      </nav>
      <header className="banner">
        <ActionIcon
          className="burger"
          variant="subtle"
          color="gray"
          size={32}
          aria-label="Open the list of conversations"
          aria-expanded={drawer}
          onClick={() => setDrawer(!drawer)}
        >
          <MenuIcon size={18} />
        </ActionIcon>
        <Button variant="subtle" color="gray" size="compact-md" className="env" onClick={() => setEnvironments(true)}>
          Environment: {env}
        </Button>
        <Button
          variant="default"
          size="compact-md"
          leftSection={<Command size={14} />}
          onClick={() => setSwitcher(true)}
          className="goto"
        >
          Go to…
        </Button>
        <form onSubmit={search} className="search">
          <TextInput
            type="search"
            name="q"
            aria-label="Search messages"
            placeholder="Search messages"
            size="xs"
            leftSection={<Search size={14} />}
          />
        </form>
        <span role="status" aria-label="Connection" className="connection">
          {connectionText[connection]}
        </span>
        {clock && <ClockButton clock={clock} />}
        <Menu position="bottom-end" withinPortal={false}>
          <Menu.Target>
            <Button
              variant="subtle"
              color="gray"
              size="compact-md"
              leftSection={<User size={14} />}
              className="who"
              aria-label={`${person?.kind === 'acting' ? 'Acting as' : 'Signed in as'} ${person?.name ?? ''}`}
            >
              <span className="who-name">
                {person?.kind === 'acting' ? 'Acting as' : 'Signed in as'} {person?.name}
              </span>
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void navigate({ to: '/preferences' })}>Preferences</Menu.Item>
            <Menu.Item onClick={() => setShortcuts(true)}>Keyboard shortcuts</Menu.Item>
            <Menu.Divider />
            <Menu.Item
              onClick={() => {
                void signOut(env);
                void navigate({ to: '/sign-in', search: { env } as never });
              }}
            >
              Sign out
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </header>
      <div className={drawer ? 'sidebar open' : 'sidebar'} data-region>
        {sidebar}
      </div>
      <div className="content">{children}</div>
      <QuickSwitcher opened={switcher} close={() => setSwitcher(false)} />
      <ShortcutsDialog opened={shortcuts} close={() => setShortcuts(false)} />
      <EnvironmentDialog env={env} opened={environments} close={() => setEnvironments(false)} />
    </div>
  );
}

function RailLink({
  href,
  label,
  current,
  children,
}: {
  href: string;
  label: string;
  current: boolean;
  children: ReactNode;
}) {
  const navigate = useNavigate();
  return (
    <a
      className="rail-link"
      href={href}
      aria-label={label}
      title={label}
      aria-current={current ? 'page' : undefined}
      onClick={(e) => {
        e.preventDefault();
        void navigate({ href: href.slice('/ui'.length) });
      }}
    >
      {children}
    </a>
  );
}

function ClockButton({ clock }: { clock: { now: string; frozen: boolean } }) {
  const at = new Date(clock.now);
  const two = (n: number): string => String(n).padStart(2, '0');
  const stamp = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
  const label = clock.frozen ? `Clock: frozen at ${stamp}` : 'Clock: running';
  return (
    <Popover withinPortal={false} trapFocus>
      <Popover.Target>
        <UnstyledButton className="clock" aria-label={label} title={label}>
          <Clock size={14} />
          <span>{clock.frozen ? stamp : 'running'}</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Text>
          {clock.frozen
            ? `The clock of this environment stands still at ${formatDay(at, new Date(0))}, ${formatTime(at)}.`
            : 'The clock of this environment runs.'}
        </Text>
        <Text c="dimmed" size="sm">
          understudy env clock moves it.
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}

function EnvironmentDialog({ env, opened, close }: { env: string; opened: boolean; close: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  return (
    <Modal opened={opened} onClose={close} title="Environments" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          close();
          void navigate({ to: '/e/$env/messaging', params: { env: name.trim() || 'default' } });
        }}
      >
        <TextInput
          label="Find environment"
          description={`This is ${env}. Give the id of another one, as understudy env list shows it.`}
          value={name}
          onChange={(e) => setName(e.currentTarget.value)}
          data-autofocus
        />
        <Button type="submit" mt="sm">
          Open
        </Button>
      </form>
    </Modal>
  );
}

export function inText(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Moves the focus to the next region of the frame. */
function nextRegion(frame: HTMLElement | null, step: number): void {
  const regions = [...(frame?.querySelectorAll<HTMLElement>('[data-region]') ?? [])].filter(
    (r) => r.offsetParent !== null,
  );
  const at = regions.findIndex((r) => r.contains(document.activeElement));
  const next = regions[(at + step + regions.length) % regions.length];
  const target = next?.matches('main')
    ? next
    : next?.querySelector<HTMLElement>('[tabindex="0"], a[href], button, textarea, input');
  target?.focus();
}
