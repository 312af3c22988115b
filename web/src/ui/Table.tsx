// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be placed one by one
// biome-ignore-all lint/a11y/useFocusableInteractive: rows take the focus, cells do not
// biome-ignore-all lint/a11y/useAriaPropsSupportedByRole: what only rows of a tree have is undefined in a table
// biome-ignore-all lint/a11y/noStaticElementInteractions: a table or a treegrid, which the rule does not see
import { Skeleton } from '@mantine/core';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, ChevronDown, ChevronRight } from 'lucide-react';
import {
  type CSSProperties,
  type KeyboardEvent,
  memo,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { prefs } from '../app/prefs';
import { inText } from '../app/regions';
import './table.css';
import { useSlots } from './useSlots';

export interface Column<T> {
  key: string;
  title: string;
  width: number; // pixels at least
  grow?: number; // its share of the remaining width; none if absent
  number?: boolean; // right-aligned, with tabular figures
  sorts?: string; // the value of `sort` for the ascending order; `-` before it is the descending one
  cell: (row: T, index: number) => ReactNode;
}

/** Makes the table a treegrid, in which ← and → collapse and expand. */
export interface Tree<T> {
  level: (row: T) => number; // from 1
  open: (row: T) => boolean | undefined; // undefined for a row without children
  toggle: (row: T, open: boolean) => void;
}

interface Props<T> {
  label: string;
  columns: Column<T>[];
  rows: T[] | undefined; // undefined while they are loaded
  id: (row: T) => string;
  name?: (row: T) => string; // of a row, for what is read aloud
  open?: (row: T) => void; // Enter
  keys?: Record<string, (row: T) => void>; // letters, while a row has the focus
  sort?: string;
  setSort?: (sort: string) => void;
  chosen?: ReadonlySet<string>; // ids; rows have checkboxes when it is given
  choose?: (chosen: ReadonlySet<string>) => void;
  tree?: Tree<T>;
  more?: () => void; // loads what follows, while there is any
  total?: number; // how many rows there are, when more are there than are loaded
  seen?: (first: number, last: number) => void; // which rows are in view
  rowHeight?: number;
  mark?: (row: T) => string | undefined; // a class of a row
  empty?: ReactNode;
}

/** Returns the grid layout of a row's cells. */
function shapeOf<T>(columns: Column<T>[], choose: boolean): CSSProperties {
  const widths = columns.map((c) => (c.grow ? `minmax(${c.width}px, ${c.grow}fr)` : `${c.width}px`));
  return {
    gridTemplateColumns: [...(choose ? ['24px'] : []), ...widths].join(' '),
    minWidth: columns.reduce((sum, c) => sum + c.width + 12, 12) + (choose ? 36 : 0),
  };
}

/**
 * A table of any number of rows, of which only visible ones are rendered. One row is focusable: arrow keys, j and k move
 * the focus, Enter opens, Space selects.
 */
export function Table<T>(p: Props<T>) {
  const { columns, tree, chosen, choose, seen, more, id: idOf } = p;
  const rows = p.rows ?? [];
  const box = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const [focused, setFocused] = useState('');
  const found = rows.findIndex((r) => p.id(r) === focused);
  const last = useRef(0);
  // If the current row is removed, the next one takes its place.
  const at = found >= 0 ? found : Math.max(0, Math.min(last.current, rows.length - 1));
  last.current = at;

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => p.rowHeight ?? 34,
    overscan: 6,
    scrollPaddingStart: 34,
    rangeExtractor: (range) => {
      const list = defaultRangeExtractor(range);
      return at < rows.length && !list.includes(at) ? [...list, at].sort((a, b) => a - b) : list;
    },
  });
  const slots = useSlots(virtual.getVirtualItems(), (item) => p.id(rows[item.index] as T), virtual.isScrolling);
  const first = virtual.range?.startIndex ?? 0;
  const end = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    seen?.(first, end);
    if (more && end >= rows.length - 20) {
      more();
    }
  }, [first, end, rows.length, more, seen]);

  const move = (to: number): void => {
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    const row = rows[index];
    if (index === at) {
      box.current?.querySelector<HTMLElement>(`[data-index="${at}"]`)?.focus({ preventScroll: true });
    } else if (row !== undefined) {
      moved.current = true;
      setFocused(p.id(row));
      virtual.scrollToIndex(index, { align: 'auto' });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row that has become the current one takes the focus
  useEffect(() => {
    if (moved.current) {
      moved.current = false;
      box.current?.querySelector<HTMLElement>(`[data-index="${at}"]`)?.focus({ preventScroll: true });
    }
  }, [at, focused]);

  const flip = useCallback(
    (row: T): void => {
      const next = new Set(chosen);
      if (!next.delete(idOf(row))) {
        next.add(idOf(row));
      }
      choose?.(next);
    },
    [chosen, choose, idOf],
  );
  const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 400) / (p.rowHeight ?? 34)) - 2);
  const onKeyDown = (e: KeyboardEvent): void => {
    const row = rows[at];
    const here = e.target as HTMLElement;
    // Also from a link within a row, which Tab reaches before the row.
    const inLink = here.tagName === 'A' && box.current?.contains(here) === true;
    const own = inLink && (e.key === 'Enter' || e.key === ' '); // the link's
    if (e.ctrlKey || e.metaKey || e.altKey || row === undefined || own || (here.role !== 'row' && !inLink)) {
      return;
    }
    const open = tree?.open(row);
    const parent = (): void => {
      const level = tree?.level(row) ?? 1;
      for (let i = at - 1; i >= 0; i--) {
        if (tree && tree.level(rows[i] as T) < level) {
          move(i);
          return;
        }
      }
    };
    const acts: Record<string, (() => void) | undefined> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(rows.length - 1),
      PageDown: () => move(at + page),
      PageUp: () => move(at - page),
      Enter: p.open ? () => p.open?.(row) : open !== undefined ? () => tree?.toggle(row, !open) : undefined,
      ' ': choose ? () => flip(row) : undefined,
      ArrowRight: tree && (() => (open === false ? tree.toggle(row, true) : open && move(at + 1))),
      ArrowLeft: tree && (() => (open ? tree.toggle(row, false) : parent())),
    };
    let act = acts[e.key];
    if (!act && prefs().letters && !inText(here)) {
      const key = p.keys?.[e.key];
      act = key ? () => key(row) : { j: acts.ArrowDown, k: acts.ArrowUp }[e.key];
    }
    if (act) {
      e.preventDefault();
      act();
    }
  };

  const shape = useMemo(() => shapeOf(columns, choose !== undefined), [columns, choose]);
  return (
    <>
      <div className="table-box" ref={box} tabIndex={rows.length > 0 ? -1 : 0}>
        <div
          role={tree ? 'treegrid' : 'table'}
          aria-label={p.label}
          aria-rowcount={(p.total ?? rows.length) + 1}
          aria-colcount={columns.length + (choose ? 1 : 0)}
          aria-busy={p.rows === undefined}
          className="table"
          onKeyDown={onKeyDown}
          onPointerOver={explain}
        >
          <div role="rowgroup" className="table-head" style={{ minWidth: shape.minWidth }}>
            <div role="row" aria-rowindex={1} className="table-row" style={shape}>
              {choose && (
                <span role="columnheader" aria-label="Selected">
                  <span className="visually-hidden">Selected</span>
                </span>
              )}
              {columns.map((c) => (
                <Header key={c.key} column={c} sort={p.sort} setSort={p.setSort} />
              ))}
            </div>
          </div>
          <div
            role="rowgroup"
            style={{ height: virtual.getTotalSize(), position: 'relative', minWidth: shape.minWidth }}
          >
            {slots.map(({ item, slot }) => (
              <Row
                key={slot}
                p={p}
                row={rows[item.index] as T}
                index={item.index}
                size={item.size}
                start={item.start}
                shape={shape}
                current={item.index === at}
                focus={setFocused}
                flip={flip}
              />
            ))}
          </div>
        </div>
        {p.rows === undefined && (
          <div className="late pad">
            <Skeleton h={120} />
          </div>
        )}
      </div>
      {p.rows?.length === 0 && p.empty}
    </>
  );
}

/** Gives the cell under the pointer its whole text as a tooltip, if it is cut off. */
function explain(e: PointerEvent): void {
  const cell = (e.target as HTMLElement).closest<HTMLElement>('[role=cell], [role=gridcell]');
  if (cell) {
    const cut = [cell, ...cell.children].some((x) => x.scrollWidth > x.clientWidth);
    cell.title = cut ? (cell.textContent ?? '') : '';
  }
}

/** Returns the class of a cell. CSS adds an ellipsis only if the content is a plain text. */
function lookOf(number: boolean | undefined, content: ReactNode): string | undefined {
  if (typeof content === 'string') {
    return number ? 'number text' : 'text';
  }
  return number ? 'number' : undefined;
}

interface RowProps<T> {
  p: Props<T>;
  row: T;
  index: number;
  size: number;
  start: number;
  shape: CSSProperties;
  current: boolean; // whether it is the one that takes the focus
  focus: (id: string) => void;
  flip: (row: T) => void;
}

/** One row. During scrolling, only rows that become visible are rendered. */
const Row = memo(function Row<T>({ p, row, index, size, start, shape, current, focus, flip }: RowProps<T>) {
  const { tree } = p;
  const id = p.id(row);
  const open = tree?.open(row);
  const cell = tree ? 'gridcell' : 'cell';
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-label={p.name?.(row)}
      aria-level={tree?.level(row)}
      aria-expanded={open}
      data-index={index}
      tabIndex={current ? 0 : -1}
      className={`table-row ${p.mark?.(row) ?? ''}`}
      style={{ ...shape, height: size, top: start }}
      onFocus={() => focus(id)}
    >
      {p.choose && (
        <span role={cell}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${p.name?.(row) ?? id}`}
            checked={p.chosen?.has(id) ?? false}
            onChange={() => flip(row)}
          />
        </span>
      )}
      {p.columns.map((c, n) => {
        const content = c.cell(row, index);
        return (
          <span key={c.key} role={cell} className={lookOf(c.number, content)}>
            {n === 0 && tree && <Fold level={tree.level(row)} open={open} toggle={() => tree.toggle(row, !open)} />}
            {content}
          </span>
        );
      })}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

interface HeaderProps<T> {
  column: Column<T>;
  sort?: string;
  setSort?: (sort: string) => void;
}

function Header<T>({ column, sort, setSort }: HeaderProps<T>) {
  const name = column.sorts;
  const look = column.number ? 'number' : undefined;
  if (!name || !setSort) {
    return (
      <span role="columnheader" className={look}>
        {column.title}
      </span>
    );
  }
  const up = sort === name;
  const down = sort === `-${name}`;
  return (
    <span role="columnheader" aria-sort={up ? 'ascending' : down ? 'descending' : 'none'} className={look}>
      <button type="button" onClick={() => setSort(up ? `-${name}` : name)}>
        {column.title}
        {up && <ArrowUp size={12} aria-hidden />}
        {down && <ArrowDown size={12} aria-hidden />}
      </button>
    </span>
  );
}

function Fold({ level, open, toggle }: { level: number; open: boolean | undefined; toggle: () => void }) {
  return (
    <>
      <span style={{ width: Math.min(level - 1, 20) * 16, flex: 'none' }} />
      {open === undefined ? (
        <span className="fold" />
      ) : (
        <button type="button" tabIndex={-1} className="fold" aria-label={open ? 'Collapse' : 'Expand'} onClick={toggle}>
          {open ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
        </button>
      )}
    </>
  );
}
