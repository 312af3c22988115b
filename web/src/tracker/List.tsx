// biome-ignore-all lint/a11y/useSemanticElements: a table has no tree
// biome-ignore-all lint/a11y/useFocusableInteractive: the treegrid holds the focus, its rows are named by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the treegrid handles the keys
import { NativeSelect, Skeleton } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Search } from '../app/address';
import { prefs } from '../app/prefs';
import { useTitle } from '../app/title';
import { Page, Refused } from '../ui/Page';
import { isMissing } from './api';
import { useTracker } from './context';
import { Filters } from './Filters';
import { groupingOf, groupings, sorts } from './filters';
import { type Group, type Row, rowsOf } from './groups';
import { IssueRow } from './IssueRow';
import { useIssues, useOptions } from './issues';

/** The heading of a team's pages: name, a switch between list and board, and filters. */
export function TeamHead({ title, view }: { title: string; view: 'list' | 'board' }) {
  const { env = 'default', team = '' } = useParams({ strict: false }) as { env?: string; team?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const other = view === 'list' ? 'board' : 'list';
  useEffect(() => localStorage.setItem(`us.team.${env}`, team), [env, team]);
  useEffect(() => {
    const f = (e: globalThis.KeyboardEvent): void => {
      const inList = e.target instanceof Element && e.target.closest('[role=treegrid], .board');
      if (e.key === 'b' && prefs().letters && inList && !e.ctrlKey && !e.metaKey && !e.altKey) {
        e.preventDefault();
        void navigate({ to: `/e/${encodeURIComponent(env)}/tracker/${team}/${other}`, search: search as never });
      }
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  }, [env, team, other, search, navigate]);
  return (
    <div className="heading">
      <h1 id="heading" title={title}>
        {title}
      </h1>
      <nav aria-label="View" className="views">
        {(['list', 'board'] as const).map((v) => (
          <Link
            key={v}
            to={`/e/${encodeURIComponent(env)}/tracker/${team}/${v}`}
            search={search as never}
            aria-current={v === view ? 'page' : undefined}
          >
            {v === 'list' ? 'List' : 'Board'}
          </Link>
        ))}
      </nav>
    </div>
  );
}

/** Replaces the pages of a team that does not exist. */
export function NoTeam({ team }: { team: string }) {
  const { env } = useTracker();
  return (
    <Page title={`There is no team ${team}`} env={env}>
      <p>It was deleted, or the address is mistyped. The teams are in the list of pages.</p>
    </Page>
  );
}

/** The issues of a team in one list, under headings. */
export function List() {
  const { env } = useTracker();
  const { team = '' } = useParams({ strict: false }) as { team?: string };
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const options = useOptions(env, team);
  const by = groupingOf(search);
  const issues = useIssues(env, options.data, by, search);
  const title = options.data?.team.name ?? team;
  useTitle(title, env);
  const patch = (change: Search): void =>
    void navigate({ search: ((old: Search) => ({ ...old, ...change })) as never, replace: true });
  const problem = options.error ?? issues.error;
  if (isMissing(options.error)) {
    return <NoTeam team={team} />;
  }
  return (
    <main id="main" className="issues-page" tabIndex={-1} aria-labelledby="heading" data-region>
      <TeamHead title={title} view="list" />
      <Filters options={options.data}>
        <NativeSelect
          size="xs"
          label="Group by"
          value={by}
          onChange={(e) => patch({ group: e.currentTarget.value === 'state' ? undefined : e.currentTarget.value })}
          data={groupings.map((g) => ({
            value: g,
            label: g === 'none' ? 'Nothing' : g[0]?.toUpperCase() + g.slice(1),
          }))}
        />
        <NativeSelect
          size="xs"
          label="Sort by"
          value={search.sort ?? 'priority'}
          onChange={(e) => patch({ sort: e.currentTarget.value === 'priority' ? undefined : e.currentTarget.value })}
          data={Object.entries(sorts).map(([value, { label }]) => ({ value, label }))}
        />
      </Filters>
      {problem ? (
        <Refused error={problem} again={() => void (options.error ? options : issues).refetch()} />
      ) : issues.data ? (
        <Rows groups={issues.groups} more={issues.more} />
      ) : (
        <Skeleton h={200} width="auto" m="md" />
      )}
    </main>
  );
}

const rowHeight = 36;

interface RowsProps {
  groups: Group[];
  more: (g: Group) => Promise<void>;
}

/** The visible rows. ↑ ↓ or k j move, ← → collapse and expand, Enter opens. */
function Rows({ groups, more }: RowsProps) {
  const { env } = useTracker();
  const navigate = useNavigate();
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(groups, closed), [groups, closed]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  useEffect(() => {
    for (const item of items) {
      const row = rows[item.index];
      if (row?.kind === 'more') {
        void more(row.group);
      }
    }
  });
  const current = Math.min(at, rows.length - 1);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(to, rows.length - 1));
    setAt(next);
    virtual.scrollToIndex(next);
  };
  const fold = (key: string, shut: boolean): void =>
    setClosed((old) => new Set(shut ? [...old, key] : [...old].filter((k) => k !== key)));
  const open = (row: Row | undefined): void => {
    if (row?.kind === 'issue') {
      void navigate({ to: `/e/${encodeURIComponent(env)}/tracker/issue/${row.issue.identifier}` });
    } else if (row?.kind === 'group') {
      fold(row.group.key, row.open);
    }
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    const row = rows[current];
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 1);
    const act: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      PageDown: () => move(current + page),
      PageUp: () => move(current - page),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => row?.kind === 'group' && (row.open ? move(current + 1) : fold(row.group.key, false)),
      ArrowLeft: () =>
        row?.kind === 'group'
          ? fold(row.group.key, true)
          : row && move(rows.findIndex((r) => r.kind === 'group' && r.group.key === row.group.key)),
      Enter: () => open(row),
    };
    const f = act[e.key] ?? (prefs().letters ? { j: act.ArrowDown, k: act.ArrowUp }[e.key] : undefined);
    if (f && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      f();
    }
  };
  if (rows.length === 0) {
    return <p className="pad dimmed">No issue fits here. Create issue, at the side, makes one.</p>;
  }
  return (
    <div
      role="treegrid"
      aria-label="Issues"
      aria-rowcount={groups.some((g) => g.cursor !== null) ? -1 : rows.length}
      aria-activedescendant={`issue-row-${current}`}
      tabIndex={0}
      className="issues"
      ref={box}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map((item) => {
          const row = rows[item.index];
          const shared = {
            id: `issue-row-${item.index}`,
            'aria-rowindex': item.index + 1,
            'aria-selected': item.index === current,
            style: { top: item.start },
          };
          switch (row?.kind) {
            case 'group':
              return (
                <div
                  key={`group ${row.group.key}`}
                  {...shared}
                  role="row"
                  aria-level={1}
                  aria-expanded={row.open}
                  className="issue-group"
                  onClick={() => fold(row.group.key, row.open)}
                >
                  <span role="gridcell">
                    {row.open ? <ChevronDown size={14} /> : <ChevronRight size={14} />} {row.group.title}{' '}
                    <span className="dimmed">
                      {row.group.issues.length}
                      {row.group.cursor !== null && '+'}
                    </span>
                  </span>
                </div>
              );
            case 'issue':
              return (
                <div
                  key={row.issue.id}
                  {...shared}
                  role="row"
                  aria-level={2}
                  aria-posinset={row.position}
                  className="issue-row"
                  onClick={() => setAt(item.index)}
                >
                  <IssueRow issue={row.issue} />
                </div>
              );
            case 'more':
              return (
                <div key={`more ${row.group.key}`} {...shared} role="row" aria-level={2} className="issue-row dimmed">
                  <span role="gridcell">Reading more…</span>
                </div>
              );
            default:
              return null;
          }
        })}
      </div>
    </div>
  );
}
