import { Checkbox, Menu, UnstyledButton } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Hash, Lock, Plus, Search, Users } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { enterWorkspace } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { useMessaging } from './context';
import { CreateChannel, NewMessage } from './dialogs';
import type { Channel } from './types';

/** The conversations of the person, in three sections. */
export function Sidebar({ close }: { close: () => void }) {
  const { store, state, team, go } = useMessaging();
  const { env = 'default', channel } = useParams({ strict: false }) as { env?: string; channel?: string };
  const navigate = useNavigate();
  const toasts = useToasts();
  const [unreadOnly, setUnreadOnly] = useState(false);
  const [dialog, setDialog] = useState<'create' | 'message' | ''>('');
  const boot = state.boot;

  const all = [...state.channels.values()].filter((c) => !c.archived || c.id === channel);
  const shown = unreadOnly ? all.filter((c) => c.unread_count > 0 || c.id === channel) : all;
  const byName = (a: Channel, b: Channel): number => store.titleOf(a).localeCompare(store.titleOf(b));
  const direct = (c: Channel): boolean => c.kind === 'im' || c.kind === 'mpim';
  const sections: [string, Channel[]][] = [
    ['Starred', shown.filter((c) => c.starred).sort(byName)],
    ['Channels', shown.filter((c) => !c.starred && !direct(c)).sort(byName)],
    [
      'Direct messages',
      shown.filter((c) => !c.starred && direct(c)).sort((a, b) => Number(b.latest || 0) - Number(a.latest || 0)),
    ],
  ];
  const order = sections.flatMap(([, list]) => list);

  useEffect(() => {
    const f = (e: KeyboardEvent): void => {
      if (!e.altKey || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) {
        return;
      }
      e.preventDefault();
      const list = e.shiftKey ? order.filter((c) => c.unread_count > 0 || c.id === channel) : order;
      const at = list.findIndex((c) => c.id === channel);
      const next = list[(at + (e.key === 'ArrowDown' ? 1 : -1) + list.length) % list.length];
      if (next) {
        go(next.id);
      }
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  });

  const page = (name: 'channels' | 'people'): void => {
    close();
    void navigate({
      to: name === 'channels' ? '/e/$env/messaging/$team/-/channels' : '/e/$env/messaging/$team/-/people',
      params: { env, team },
    });
  };

  return (
    <nav aria-label="Channels" className="channels">
      <Menu withinPortal={false} position="bottom-start">
        <Menu.Target>
          <UnstyledButton className="workspace" aria-label={`Workspace: ${boot?.workspace.name}`}>
            <span>{boot?.workspace.name}</span> <ChevronDown size={14} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          {boot?.workspaces.map((w) => (
            <Menu.Item
              key={w.id}
              role="menuitemradio"
              aria-checked={w.id === team}
              onClick={() =>
                void enterWorkspace(env, w.id).then(
                  () => navigate({ to: '/e/$env/messaging', params: { env } }),
                  (e) => toasts.failed(e),
                )
              }
            >
              {w.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <UnstyledButton
        component="a"
        className="side-link"
        onClick={() => page('people')}
        role="link"
        tabIndex={0}
        onKeyDown={(e) => e.key === 'Enter' && page('people')}
      >
        <Users size={14} /> People
      </UnstyledButton>
      <div className="side-actions">
        <UnstyledButton className="side-link" onClick={() => page('channels')}>
          <Search size={14} /> Browse channels
        </UnstyledButton>
        <UnstyledButton className="side-link" onClick={() => setDialog('create')}>
          <Plus size={14} /> Create a channel
        </UnstyledButton>
        <UnstyledButton className="side-link" onClick={() => setDialog('message')}>
          <Plus size={14} /> New message
        </UnstyledButton>
      </div>
      <Checkbox
        size="xs"
        m="xs"
        label="Unread only"
        checked={unreadOnly}
        onChange={(e) => setUnreadOnly(e.currentTarget.checked)}
      />
      {sections.map(([name, list]) => (
        <Section key={name} name={name} count={list.length}>
          {list.map((c) => (
            <Entry key={c.id} channel={c} current={c.id === channel} close={close} />
          ))}
        </Section>
      ))}
      <CreateChannel opened={dialog === 'create'} close={() => setDialog('')} />
      <NewMessage opened={dialog === 'message'} close={() => setDialog('')} />
    </nav>
  );
}

function Section({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  const place = `us.section.${name}`;
  const [open, setOpen] = useState(localStorage.getItem(place) !== 'closed');
  if (name === 'Starred' && count === 0) {
    return null;
  }
  return (
    <section>
      <UnstyledButton
        className="section"
        aria-expanded={open}
        onClick={() => {
          localStorage.setItem(place, open ? 'closed' : 'open');
          setOpen(!open);
        }}
      >
        {open ? <ChevronDown size={12} /> : <ChevronRight size={12} />} {name}
      </UnstyledButton>
      {open && <ul>{children}</ul>}
    </section>
  );
}

function Entry({ channel: c, current, close }: { channel: Channel; current: boolean; close: () => void }) {
  const { store, state, hrefOf, go } = useMessaging();
  const title = store.titleOf(c);
  const presence = c.kind === 'im' ? state.presence.get(c.user ?? '') : undefined;
  const description = [
    c.unread_count > 0 &&
      `${c.unread_count} unread${c.mention_count > 0 ? `, ${c.mention_count} ${c.mention_count === 1 ? 'mention' : 'mentions'}` : ''}`,
    c.kind === 'private' && 'private',
    presence,
    c.archived && 'archived',
  ]
    .filter(Boolean)
    .join(', ');
  return (
    <li>
      <a
        href={hrefOf(c.id)}
        aria-label={title}
        aria-description={description || undefined}
        aria-current={current ? 'page' : undefined}
        className={c.unread_count > 0 ? 'entry unread' : 'entry'}
        onClick={(e) => {
          if (e.metaKey || e.ctrlKey) {
            return;
          }
          e.preventDefault();
          close();
          go(c.id);
        }}
      >
        {c.kind === 'private' ? (
          <Lock size={13} />
        ) : c.kind === 'public' ? (
          <Hash size={13} />
        ) : (
          <span className={`dot ${presence ?? ''}`} />
        )}
        <span className="entry-name">{title}</span>
        {c.mention_count > 0 ? (
          <span className="badge">{c.mention_count}</span>
        ) : c.unread_count > 0 ? (
          <span className="count">{c.unread_count >= 1000 ? '999+' : c.unread_count}</span>
        ) : null}
      </a>
    </li>
  );
}
