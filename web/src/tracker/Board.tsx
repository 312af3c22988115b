import { Button, Skeleton } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Plus } from 'lucide-react';
import { type DragEvent, type KeyboardEvent, memo, useCallback, useEffect, useRef, useState } from 'react';
import type { Search } from '../app/address';
import { prefs } from '../app/prefs';
import { useTitle } from '../app/title';
import { Menu } from '../ui/Menu';
import { Refused } from '../ui/Page';
import { isMissing } from './api';
import { useTracker } from './context';
import { Filters } from './Filters';
import type { Group } from './groups';
import { IssueLink, Labels } from './IssueRow';
import { useIssues, useOptions } from './issues';
import { NoTeam, TeamHead } from './List';
import { Priority, StateMark } from './marks';
import type { Issue, State } from './types';

/** The issues of a team in columns, one for each state. */
export function Board() {
  const { env } = useTracker();
  const { team = '' } = useParams({ strict: false }) as { team?: string };
  const search = useSearch({ strict: false }) as Search;
  const options = useOptions(env, team);
  const issues = useIssues(env, options.data, 'state', search);
  const title = options.data?.team.name ?? team;
  useTitle(title, env);
  const { change } = issues;
  const states = options.data?.states ?? [];
  const [said, say] = useState('');
  const move = useCallback(
    (issue: Issue, state: State): void => {
      if (state.id !== issue.state.id) {
        say(`${issue.identifier} is in ${state.name}.`);
        void change(issue, { state }, { stateId: state.id });
      }
    },
    [change],
  );
  const problem = options.error ?? issues.error;
  if (isMissing(options.error)) {
    return <NoTeam team={team} />;
  }
  return (
    <main id="main" className="issues-page" tabIndex={-1} aria-labelledby="heading" data-region>
      <TeamHead title={title} view="board" />
      <Filters options={options.data} without="state" />
      <p role="status" className="visually-hidden">
        {said}
      </p>
      {problem ? (
        <Refused error={problem} again={() => void (options.error ? options : issues).refetch()} />
      ) : issues.data ? (
        <div className="board">
          {issues.groups.map((g) => {
            const state = states.find((s) => s.id === g.key);
            return (
              state && <Column key={g.key} group={g} state={state} states={states} more={issues.more} move={move} />
            );
          })}
        </div>
      ) : (
        <Skeleton h={200} width="auto" m="md" />
      )}
    </main>
  );
}

const cardHeight = 104;
const dragType = 'application/x-understudy-issue';

interface ColumnProps {
  group: Group;
  state: State;
  states: State[];
  more: (g: Group) => Promise<void>;
  move: (issue: Issue, state: State) => void;
}

function Column({ group, state, states, more, move }: ColumnProps) {
  const { create } = useTracker();
  const box = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState(false);
  const { issues, cursor } = group;
  const virtual = useVirtualizer({
    count: issues.length,
    getScrollElement: () => box.current,
    estimateSize: () => cardHeight,
    getItemKey: (n) => issues[n]?.id ?? n,
    overscan: 6,
  });
  const items = virtual.getVirtualItems();
  const end = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (cursor !== null && end >= issues.length - 10) {
      void more(group);
    }
  }, [cursor, end, issues.length, more, group]);
  const drop = (e: DragEvent): void => {
    setOver(false);
    const text = e.dataTransfer.getData(dragType);
    if (text) {
      e.preventDefault();
      move(JSON.parse(text) as Issue, state);
    }
  };
  /** ↑ ↓ move between cards, ← → between columns. */
  const onKeyDown = (e: KeyboardEvent<HTMLElement>): void => {
    const card = (e.target as Element).closest('article');
    const column = e.currentTarget;
    const step = { ArrowDown: 1, ArrowUp: -1, ...(prefs().letters ? { j: 1, k: -1 } : {}) }[e.key];
    const side = { ArrowRight: 'nextElementSibling', ArrowLeft: 'previousElementSibling' }[e.key] as
      | 'nextElementSibling'
      | undefined;
    if (!card || e.ctrlKey || e.metaKey || e.altKey || (e.target as Element).closest('[role=menu]')) {
      return;
    }
    if (step) {
      e.preventDefault();
      const n = Number(card.dataset.n) + step;
      virtual.scrollToIndex(Math.max(0, Math.min(n, issues.length - 1)));
      requestAnimationFrame(() => column.querySelector<HTMLElement>(`article[data-n="${n}"]`)?.focus());
    } else if (side) {
      e.preventDefault();
      let next = column[side];
      while (next && !next.querySelector('article')) {
        next = next[side];
      }
      next?.querySelector<HTMLElement>('article')?.focus();
    }
  };
  return (
    <section
      aria-label={state.name}
      className={over ? 'column over' : 'column'}
      onKeyDown={onKeyDown}
      onDragOver={(e) => {
        if (e.dataTransfer.types.includes(dragType)) {
          e.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={(e) => !e.currentTarget.contains(e.relatedTarget as Node | null) && setOver(false)}
      onDrop={drop}
    >
      <div className="column-head">
        <h2>
          <StateMark state={state} /> {state.name}{' '}
          <span className="dimmed">
            {issues.length}
            {cursor !== null && '+'}
          </span>
        </h2>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={`Create issue in ${state.name}`}
          onClick={() => create({ team: undefined, stateId: state.id })}
        >
          <Plus size={14} />
        </Button>
      </div>
      <div className="cards-box" ref={box}>
        {issues.length === 0 && <p className="dimmed">Nothing here.</p>}
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {items.map((item) => {
            const issue = issues[item.index];
            return (
              issue && (
                <Card
                  key={issue.id}
                  issue={issue}
                  n={item.index}
                  count={cursor === null ? issues.length : -1}
                  top={item.start}
                  states={states}
                  move={move}
                />
              )
            );
          })}
        </div>
      </div>
    </section>
  );
}

interface CardProps {
  issue: Issue;
  n: number;
  count: number;
  top: number;
  states: State[];
  move: (issue: Issue, state: State) => void;
}

const Card = memo(function Card({ issue, n, count, top, states, move }: CardProps) {
  return (
    <article
      aria-label={`${issue.identifier} ${issue.title.slice(0, 200)}`}
      aria-posinset={n + 1}
      aria-setsize={count}
      data-n={n}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: cards are gone through by arrow keys
      tabIndex={0}
      className="card"
      style={{ transform: `translateY(${top}px)` }}
      draggable
      onDragStart={(e) => {
        e.dataTransfer.setData(dragType, JSON.stringify(issue));
        e.dataTransfer.effectAllowed = 'move';
      }}
    >
      <div className="card-head">
        <Priority value={issue.priority} />
        <span className="card-who">{issue.assignee?.name ?? 'Nobody'}</span>
        <Menu
          items={states.map((s) => ({
            key: s.id,
            title: s.name,
            icon: <StateMark state={s} />,
            disabled: s.id === issue.state.id,
            act: () => move(issue, s),
          }))}
        >
          <button type="button" className="link move" aria-label={`Move to… ${issue.identifier}`}>
            Move to…
          </button>
        </Menu>
      </div>
      <div className="card-title">
        <IssueLink issue={issue} />
      </div>
      <div className="card-labels">
        <Labels issue={issue} />
      </div>
    </article>
  );
});
