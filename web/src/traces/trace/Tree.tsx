// biome-ignore-all lint/a11y/useSemanticElements: a table has no tree
// biome-ignore-all lint/a11y/useFocusableInteractive: the treegrid holds the focus, its rows are named by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the treegrid handles the keys
import { useCanGoBack } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, memo, type RefObject, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { formatNumber } from '../../app/locale';
import { prefs } from '../../app/prefs';
import { useSlots } from '../../ui/useSlots';
import { nameOf, statusOf, tokensOf } from '../api';
import { ticksTo } from '../charts/scale';
import { formatDuration } from '../format';
import { oddOf } from './EventDetails';
import { type Row, shownRows } from './tree';
import type { Window } from './window';

interface Props {
  box: RefObject<HTMLDivElement | null>;
  rows: Row[];
  closed: ReadonlySet<string>;
  setClosed: (closed: ReadonlySet<string>) => void;
  selected: number;
  select: (row: number) => void; // makes it the current row
  open: (row: number) => void; // shows its details
  view: 'both' | 'tree' | 'timeline';
  window: Window;
  marking: boolean; // highlights matching events while filters are set
  keys: Record<string, () => void>; // further shortcuts
}

const rowHeight = 28;

/** The rows of a trace. Only visible ones are rendered. */
export function Tree(p: Props) {
  const { box, rows, closed, setClosed, selected, select, open, view, window: w } = p;
  const shown = useMemo(() => shownRows(rows, closed), [rows, closed]);
  const at = shown.indexOf(selected);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollPaddingStart: rowHeight,
  });
  const slots = useSlots(
    virtual.getVirtualItems(),
    (item) => rows[shown[item.index] ?? -1]?.event.event_id ?? '',
    virtual.isScrolling,
  );
  const within = useCanGoBack();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is looked for once
  useEffect(() => {
    const here = document.activeElement;
    if (within && (here === document.body || here?.id === 'main')) {
      box.current?.focus({ preventScroll: true }); // so that its shortcuts work for keyboard users
    }
  }, []);
  useEffect(() => {
    if (at >= 0) {
      virtual.scrollToIndex(at, { align: 'auto' });
    }
  }, [at, virtual]);

  // Rows that are inserted above the first visible row do not move it.
  const first = useRef<{ id: string; top: number }>(undefined);
  useLayoutEffect(() => {
    const el = box.current;
    if (!el) {
      return;
    }
    const was = first.current;
    const index = was ? shown.findIndex((i) => rows[i]?.event.event_id === was.id) : -1;
    if (was && index >= 0 && el.scrollTop > 0 && index * rowHeight !== was.top) {
      el.scrollTop += index * rowHeight - was.top;
    }
  }, [rows, shown, box]);
  const note = (): void => {
    const index = Math.floor((box.current?.scrollTop ?? 0) / rowHeight);
    const row = rows[shown[index] ?? -1];
    first.current = row && { id: row.event.event_id, top: index * rowHeight };
  };

  const toggle = (row: Row, opened: boolean): void => {
    const next = new Set(closed);
    if (opened) {
      next.delete(row.event.event_id);
    } else {
      next.add(row.event.event_id);
    }
    first.current = undefined;
    setClosed(next);
  };
  const move = (to: number): void => {
    const row = shown[Math.min(Math.max(to, 0), shown.length - 1)];
    if (row !== undefined) {
      select(row);
    }
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const row = rows[selected];
    const parent = row && row.event.children.length > 0;
    const isOpen = parent && !closed.has(row.event.event_id);
    const page = Math.max(Math.floor((box.current?.clientHeight ?? 400) / rowHeight) - 2, 1);
    const act: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at < 0 ? 0 : at - 1),
      PageDown: () => move(at + page),
      PageUp: () => move(at - page),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      Enter: () => row && open(selected),
      ArrowRight: () => parent && (isOpen ? move(at + 1) : toggle(row, true)),
      ArrowLeft: () => row && (isOpen ? toggle(row, false) : row.parent >= 0 && select(row.parent)),
      Escape: () => p.keys.Escape?.(),
    };
    const f = act[e.key] ?? (prefs().letters ? { j: act.ArrowDown, k: act.ArrowUp, ...p.keys }[e.key] : undefined);
    if (f) {
      e.preventDefault();
      e.stopPropagation();
      f();
    }
  };
  return (
    <div
      role="treegrid"
      aria-label="Events"
      aria-rowcount={shown.length}
      aria-activedescendant={at >= 0 ? `event-${selected}` : undefined}
      tabIndex={0}
      className={`trace ${view}`}
      ref={box}
      onKeyDown={onKeyDown}
      onScroll={note}
    >
      <div role="row" className="event event-head">
        <span role="columnheader" className="event-name">
          Name
        </span>
        {view !== 'tree' && (
          <span role="columnheader" className="event-time" aria-label="Timeline">
            <Axis window={w} />
          </span>
        )}
        <span role="columnheader" className="number">
          Duration
        </span>
        {view !== 'timeline' && (
          <span role="columnheader" className="number tokens">
            Tokens
          </span>
        )}
        <span role="columnheader" className="status">
          Status
        </span>
      </div>
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {slots.map(({ item, slot }) => {
          const i = shown[item.index] ?? -1;
          const row = rows[i];
          return (
            row && (
              <EventRow
                key={slot}
                row={row}
                index={i}
                top={item.start}
                open={row.event.children.length > 0 ? !closed.has(row.event.event_id) : undefined}
                selected={i === selected}
                dimmed={p.marking && !row.event.matches}
                view={view}
                from={w.from}
                to={w.to}
                choose={() => open(i)}
                toggle={() => toggle(row, closed.has(row.event.event_id))}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** The time axis. */
function Axis({ window: w }: { window: Window }) {
  const size = w.to - w.from;
  const step = ticksTo(size, 3)[1] ?? size;
  const ticks = [];
  for (let t = Math.ceil(w.from / step) * step; t < w.to - size * 0.28; t += step) {
    ticks.push(t);
  }
  return (
    <span className="axis-line" aria-hidden>
      {ticks.map((t) => (
        <span key={t} style={{ left: `${((t - w.from) / size) * 100}%` }}>
          {formatDuration(t)}
        </span>
      ))}
    </span>
  );
}

interface RowProps {
  row: Row;
  index: number;
  top: number;
  open: boolean | undefined;
  selected: boolean;
  dimmed: boolean;
  view: string;
  from: number;
  to: number;
  choose: () => void;
  toggle: () => void;
}

const same = (a: RowProps, b: RowProps): boolean =>
  (Object.keys(a) as (keyof RowProps)[]).every((k) => k === 'choose' || k === 'toggle' || a[k] === b[k]);

const EventRow = memo(function EventRow({
  row,
  index,
  top,
  open,
  selected,
  dimmed,
  view,
  from,
  to,
  choose,
  toggle,
}: RowProps) {
  const e = row.event;
  const name = nameOf(e);
  const status = statusOf(e);
  const duration = formatDuration(e.latency);
  const tokens = tokensOf(e);
  const odd = oddOf(e, row.outside);
  const share = (ms: number): number => (ms / (to - from)) * 100;
  return (
    <div
      id={`event-${index}`}
      role="row"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={open}
      aria-selected={selected}
      aria-label={`${name}, ${e.primitive_type ?? 'turn'}, ${duration}, ${status}`}
      className={`event ${e.success ? '' : 'failed'} ${dimmed ? 'not-meant' : ''}`}
      style={{ top }}
      onClick={choose}
    >
      <span role="gridcell" className="event-name" style={{ paddingLeft: `min(${(row.level - 1) * 14}px, 45%)` }}>
        {open === undefined ? (
          <span className="fold" />
        ) : (
          <button
            type="button"
            tabIndex={-1}
            className="fold"
            aria-label={`${open ? 'Collapse' : 'Expand'} ${name.slice(0, 80)}`}
            onClick={(click) => {
              click.stopPropagation();
              toggle();
            }}
          >
            {open ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
          </button>
        )}
        <span className="event-text" title={name}>
          {name}
        </span>
        <span className="dimmed event-type">{e.primitive_type ?? 'turn'}</span>
        {odd.length > 0 && (
          <span className="tag" title={odd.join(', ')}>
            {e.folded ? 'deeper' : e.parent_missing ? 'no parent' : e.cycle ? 'circle' : 'outside'}
          </span>
        )}
        {open === false && row.failedBelow && <span className="tag bad">failed below</span>}
      </span>
      {view !== 'tree' && (
        <span role="gridcell" className="event-time">
          <span
            className={`bar ${e.primitive_type ?? 'turn'}`}
            style={{ left: `${share(row.offset - from)}%`, width: `max(2px, ${share(e.latency ?? 0)}%)` }}
          >
            {e.checkpoints.map((c) => (
              <i
                key={`${c.name} ${c.offset_ms}`}
                title={`${c.name}, ${formatDuration(c.offset_ms)}`}
                style={{ left: `${Math.min((c.offset_ms / Math.max(e.latency ?? 1, 1)) * 100, 100)}%` }}
              />
            ))}
          </span>
        </span>
      )}
      <span role="gridcell" className="number">
        {duration}
      </span>
      {view !== 'timeline' && (
        <span role="gridcell" className="number tokens">
          {tokens > 0 ? formatNumber(tokens) : ''}
        </span>
      )}
      <span role="gridcell" className="status">
        {status}
      </span>
    </div>
  );
}, same);
