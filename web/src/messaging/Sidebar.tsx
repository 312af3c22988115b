import { Checkbox, UnstyledButton } from '@mantine/core';
import { useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight, Hash, Lock, Mail, MessagesSquare, Plug, Plus, Search, Users } from 'lucide-react';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { enterWorkspace } from '../app/identity';
import { useToasts } from '../app/Toasts';
import { Menu } from '../ui/Menu';
import { useMessaging, useShown } from './context';
import { isDirect, titleOf } from './state';
import { byName, type Channel } from './types';

/** The conversations of the person, in three sections. */
export function Sidebar({ close }: { close: () => void }) {
  const { store, env, go, goPage, open } = useMessaging();
  const channels = useShown((s) => s.channels);
  const boot = useShown((s) => s.boot);
  useShown((s) => s.people); // names order the lists
  const { channel } = useParams({ strict: false }) as { channel?: string };
  const navigate = useNavigate();
  const toasts = useToasts();
  const [unreadOnly, setUnreadOnly] = useState(false);
  const workspaces = (): void => {
    close();
    void navigate({ href: `/e/${encodeURIComponent(env)}/messaging/-/workspaces` });
  };

  const enter = (workspace: string): void => {
    enterWorkspace(env, workspace).then(
      () => navigate({ to: '/e/$env/messaging', params: { env } }),
      (e) => toasts.failed(e),
    );
  };

  const all = [...channels.values()].filter((c) => !c.archived || c.id === channel);
  const shown = unreadOnly ? all.filter((c) => c.unread_count > 0 || c.id === channel) : all;
  const sections: [string, Channel[]][] = [
    [
      'Starred',
      byName(
        shown.filter((c) => c.starred),
        (c) => store.titleOf(c),
      ),
    ],
    [
      'Channels',
      byName(
        shown.filter((c) => !c.starred && !isDirect(c)),
        (c) => c.name,
      ),
    ],
    [
      'Direct messages',
      shown.filter((c) => !c.starred && isDirect(c)).sort((a, b) => Number(b.latest || 0) - Number(a.latest || 0)),
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

  return (
    <nav aria-label="Channels" className="channels">
      <Menu
        inside
        align="start"
        items={[
          ...(boot?.workspaces ?? []).map((w) => ({
            key: w.id,
            title: w.name,
            chosen: w.id === boot?.workspace.id,
            act: () => enter(w.id),
          })),
          '-',
          { title: 'Create a workspace', act: workspaces },
          { title: 'Join a workspace', act: workspaces },
          { title: 'Workspace settings', act: () => goPage('settings') },
        ]}
      >
        <UnstyledButton className="workspace" aria-label={`Workspace: ${boot?.workspace.name}`}>
          <span>{boot?.workspace.name}</span> <ChevronDown size={14} />
        </UnstyledButton>
      </Menu>
      <SideLink page="unreads" icon={<Mail size={14} />}>
        Unreads
      </SideLink>
      <SideLink page="threads" icon={<MessagesSquare size={14} />}>
        Threads
      </SideLink>
      <SideLink page="people" icon={<Users size={14} />}>
        People
      </SideLink>
      <SideLink page="apps" icon={<Plug size={14} />}>
        Apps and integrations
      </SideLink>
      <div className="side-actions">
        <UnstyledButton className="side-link" onClick={() => goPage('channels')}>
          <Search size={14} /> Browse channels
        </UnstyledButton>
        <UnstyledButton className="side-link" onClick={() => open('create')}>
          <Plus size={14} /> Create a channel
        </UnstyledButton>
        <UnstyledButton className="side-link" onClick={() => open('message')}>
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
          <Entries list={list} current={channel} close={close} />
        </Section>
      ))}
    </nav>
  );
}

/** A link to a page of the area. */
function SideLink({ page, icon, children }: { page: string; icon: ReactNode; children: string }) {
  const { env, team, goPage } = useMessaging();
  const path = `/e/${encodeURIComponent(env)}/messaging/${team}/-/${page}`;
  const here = useLocation({ select: (l) => l.pathname }).endsWith(`/-/${page}`);
  return (
    <a
      className="side-link"
      href={`/ui${path}`}
      aria-current={here ? 'page' : undefined}
      onClick={(e) => {
        if (!e.metaKey && !e.ctrlKey) {
          e.preventDefault();
          goPage(page);
        }
      }}
    >
      {icon} {children}
    </a>
  );
}

/** Above this number of conversations, only visible ones are rendered. */
const virtualAbove = 200;
const entryHeight = 28;

function Entries({ list, current, close }: { list: Channel[]; current?: string; close: () => void }) {
  const place = useRef<HTMLLIElement>(null);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [margin, setMargin] = useState(0);
  const all = list.length <= virtualAbove;
  useLayoutEffect(() => {
    const el = place.current?.closest<HTMLElement>('.sidebar');
    if (el && place.current) {
      setScroller(el);
      setMargin(place.current.getBoundingClientRect().top - el.getBoundingClientRect().top + el.scrollTop);
    }
  }, []);
  const virtual = useVirtualizer({
    count: all ? 0 : list.length,
    getScrollElement: () => scroller,
    estimateSize: () => entryHeight,
    overscan: 20,
    scrollMargin: margin,
  });
  if (all) {
    return list.map((c) => <Entry key={c.id} channel={c} current={c.id === current} close={close} />);
  }
  const items = virtual.getVirtualItems();
  const before = (items[0]?.start ?? margin) - margin;
  const after = virtual.getTotalSize() - before - items.length * entryHeight;
  return (
    <>
      <li ref={place} aria-hidden="true" style={{ height: before }} />
      {items.map((item) => {
        const c = list[item.index];
        return c && <Entry key={c.id} channel={c} current={c.id === current} close={close} />;
      })}
      <li aria-hidden="true" style={{ height: Math.max(after, 0) }} />
    </>
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

interface EntryProps {
  channel: Channel;
  current: boolean;
  close: () => void;
}

const Entry = memo(function Entry({ channel: c, current, close }: EntryProps) {
  const { hrefOf, go } = useMessaging();
  const title = useShown((s) => titleOf(s, c));
  const presence = useShown((s) => (c.kind === 'im' ? s.presence.get(c.user ?? '') : undefined));
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
});
