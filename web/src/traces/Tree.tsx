// biome-ignore-all lint/a11y/useSemanticElements: a table has no tree
// biome-ignore-all lint/a11y/useFocusableInteractive: the treegrid holds the focus, its rows are named by aria-activedescendant
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the treegrid handles the keys
import { useVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef } from 'react';
import { formatNumber } from '../app/locale';
import { formatDuration } from './format';
import { lengthOf, type Row, shownRows } from './tree';

interface Props {
  rows: Row[];
  closed: ReadonlySet<string>;
  setClosed: (closed: ReadonlySet<string>) => void;
  selected: number;
  select: (row: number) => void;
  view: 'both' | 'tree' | 'timeline';
  nextError: (step: 1 | -1) => void;
}

const rowHeight = 28;

/** The rows of a trace; only those in view are drawn. */
export function Tree({ rows, closed, setClosed, selected, select, view, nextError }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => shownRows(rows, closed), [rows, closed]);
  const length = useMemo(() => lengthOf(rows), [rows]);
  const at = shown.indexOf(selected);
  const virtual = useVirtualizer({
    count: shown.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 15,
  });
  useEffect(() => {
    if (at >= 0) {
      virtual.scrollToIndex(at, { align: 'auto' });
    }
  }, [at, virtual]);

  const toggle = (row: Row, open: boolean): void => {
    const next = new Set(closed);
    if (open) {
      next.delete(row.event.event_id);
    } else {
      next.add(row.event.event_id);
    }
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
    const open = parent && !closed.has(row.event.event_id);
    const act: Record<string, () => void> = {
      ArrowDown: () => move(at + 1),
      ArrowUp: () => move(at - 1),
      Home: () => move(0),
      End: () => move(shown.length - 1),
      ArrowRight: () => parent && (open ? move(at + 1) : toggle(row, true)),
      ArrowLeft: () => row && (open ? toggle(row, false) : row.parent >= 0 && select(row.parent)),
      n: () => nextError(1),
      p: () => nextError(-1),
    };
    const f = act[e.key];
    if (f) {
      e.preventDefault();
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
      className="trace"
      ref={box}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const i = shown[item.index] ?? -1;
          const row = rows[i];
          if (!row) {
            return null;
          }
          const e = row.event;
          const parent = e.children.length > 0;
          const open = !closed.has(e.event_id);
          const status = e.success === null ? 'running' : e.success ? 'succeeded' : 'failed';
          const duration = formatDuration(e.latency);
          const tokens = (e.input_tokens ?? 0) + (e.output_tokens ?? 0);
          return (
            <div
              key={e.event_id}
              id={`event-${i}`}
              role="row"
              aria-level={row.level}
              aria-posinset={row.position}
              aria-setsize={row.siblings}
              aria-expanded={parent ? open : undefined}
              aria-selected={i === selected}
              aria-label={`${e.primitive_name}, ${e.primitive_type ?? 'turn'}, ${duration}, ${status}`}
              className={e.success === false ? 'event failed' : 'event'}
              style={{ transform: `translateY(${item.start}px)` }}
              onClick={() => select(i)}
            >
              <span role="gridcell" className="event-name" style={{ paddingLeft: Math.min(row.level - 1, 20) * 14 }}>
                {parent ? (
                  <button
                    type="button"
                    tabIndex={-1}
                    className="fold"
                    aria-label={open ? `Collapse ${e.primitive_name}` : `Expand ${e.primitive_name}`}
                    onClick={(click) => {
                      click.stopPropagation();
                      toggle(row, !open);
                    }}
                  >
                    {open ? <ChevronDown size={14} /> : <ChevronRight size={14} />}
                  </button>
                ) : (
                  <span className="fold" />
                )}
                {e.primitive_name}
                <span className="dimmed"> {e.primitive_type ?? 'turn'}</span>
              </span>
              {view !== 'tree' && (
                <span role="gridcell" className="event-time">
                  <span
                    className="bar"
                    style={{
                      left: `${(row.offset / length) * 100}%`,
                      width: `max(2px, ${((e.latency ?? 0) / length) * 100}%)`,
                    }}
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
        })}
      </div>
    </div>
  );
}
