// biome-ignore-all lint/a11y/useFocusableInteractive: the tree holds the focus, its items are named by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the tree handles the keys
import { TextInput } from '@mantine/core';
import type { GraphQLSchema } from 'graphql';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { type Entry, entriesOf, findEntries, rootsOf } from './schema';

interface Row {
  entry: Entry;
  level: number;
  open?: boolean;
}

interface Props {
  schema: GraphQLSchema;
  use: (entry: Entry) => void;
}

/** The most results of a search. */
const most = 100;

/** The types of a schema and their fields. Enter on a field of Query or Mutation writes an operation of it. */
export function SchemaTree({ schema, use }: Props) {
  const [q, setQ] = useState('');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const words = q.trim();
  const rows = useMemo(() => {
    const out: Row[] = [];
    const add = (entry: Entry, level: number): void => {
      const open = entry.type === undefined ? undefined : opened.has(entry.key);
      out.push({ entry, level, open });
      if (open && entry.type) {
        for (const e of entriesOf(schema, entry.type, entry.key)) {
          add(e, level + 1);
        }
      }
    };
    for (const e of words === '' ? rootsOf(schema) : findEntries(schema, words, most)) {
      add(e, 1);
    }
    return out;
  }, [schema, opened, words]);
  const current = Math.min(at, rows.length - 1);
  const move = (to: number): void => {
    const next = Math.max(0, Math.min(to, rows.length - 1));
    setAt(next);
    requestAnimationFrame(() =>
      box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    );
  };
  const fold = (key: string, open: boolean): void =>
    setOpened((old) => new Set(open ? [...old, key] : [...old].filter((k) => k !== key)));
  const onKeyDown = (e: KeyboardEvent): void => {
    const row = rows[current];
    if (!row || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const act: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      ArrowRight: () => (row.open === false ? fold(row.entry.key, true) : move(current + 1)),
      ArrowLeft: () =>
        row.open ? fold(row.entry.key, false) : move(rows.findLastIndex((r, n) => n < current && r.level < row.level)),
      Enter: () => (row.entry.root ? use(row.entry) : row.open !== undefined && fold(row.entry.key, !row.open)),
    };
    const f = act[e.key];
    if (f) {
      e.preventDefault();
      f();
    }
  };
  return (
    <>
      <TextInput
        type="search"
        aria-label="Search schema"
        placeholder="Search schema"
        value={q}
        onChange={(e) => {
          setQ(e.currentTarget.value);
          setAt(0);
        }}
      />
      <div
        role="tree"
        aria-label="Schema"
        tabIndex={0}
        className="schema-tree"
        ref={box}
        aria-activedescendant={rows.length > 0 ? `schema-${current}` : undefined}
        onKeyDown={onKeyDown}
      >
        {rows.map(({ entry, level, open }, n) => (
          <div
            key={`${entry.key} ${level}`}
            id={`schema-${n}`}
            role="treeitem"
            aria-level={level}
            aria-expanded={open}
            aria-selected={n === current}
            aria-label={`${entry.name}${entry.detail.startsWith(':') || entry.detail.startsWith('(') ? '' : ' '}${entry.detail}`}
            title={entry.description}
            className="schema-row"
            style={{ paddingLeft: Math.min(level - 1, 12) * 14 }}
            onClick={() => {
              setAt(n);
              if (open !== undefined) {
                fold(entry.key, !open);
              }
            }}
            onDoubleClick={() => entry.root && use(entry)}
          >
            <span className="fold">
              {open !== undefined && (open ? <ChevronDown size={14} /> : <ChevronRight size={14} />)}
            </span>
            {entry.name}
            <span className="dimmed">
              {entry.detail.startsWith(':') || entry.detail.startsWith('(') ? '' : ' '}
              {entry.detail}
            </span>
          </div>
        ))}
      </div>
      {rows.length === 0 && <p className="dimmed">Nothing of this name.</p>}
    </>
  );
}
