import { type PointerEvent, useMemo, useRef } from 'react';
import { counted } from '../../app/locale';
import { useWidth } from '../charts/Chart';
import type { Row } from './tree';
import type { Window } from './window';

const height = 36;
const cell = 3; // pixels

/** An overview of the session: activity and failures over time. Dragging zooms in. */
export function MiniMap({
  rows,
  length,
  window: w,
  show,
}: {
  rows: Row[];
  length: number;
  window: Window;
  show: (w: Window) => void;
}) {
  const [ref, width] = useWidth();
  const from = useRef<number>(undefined);
  const drawn = useMemo(() => paths(rows, length, Math.max(Math.floor(width / cell), 1)), [rows, length, width]);
  const at = (e: PointerEvent<SVGSVGElement>): number => {
    const part = (e.clientX - e.currentTarget.getBoundingClientRect().left) / Math.max(width, 1);
    return Math.min(Math.max(part, 0), 1) * length;
  };
  const drag = (e: PointerEvent<SVGSVGElement>): void => {
    const began = from.current;
    const here = at(e);
    if (began !== undefined && Math.abs(here - began) > (length / Math.max(width, 1)) * 3) {
      show({ from: Math.min(began, here), to: Math.max(began, here) });
    }
  };
  const x = (ms: number): number => (ms / length) * width;
  return (
    <div ref={ref} className="mini-map">
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={`The whole session: ${counted(rows.length, 'event')}`}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          from.current = at(e);
        }}
        onPointerMove={drag}
        onPointerUp={(e) => {
          drag(e);
          from.current = undefined;
        }}
        onPointerCancel={() => {
          from.current = undefined;
        }}
      >
        <path className="busy" d={drawn.busy} />
        <path className="failures" d={drawn.failures} />
        {(w.from > 0 || w.to < length) && (
          <>
            <rect className="out" x={0} y={0} width={x(w.from)} height={height} />
            <rect className="out" x={x(w.to)} y={0} width={Math.max(width - x(w.to), 0)} height={height} />
          </>
        )}
      </svg>
    </div>
  );
}

/** Returns the paths to draw: for each cell the number of events in progress, and a mark if one failed. */
function paths(rows: Row[], length: number, cells: number): { busy: string; failures: string } {
  const change = new Float64Array(cells + 1);
  const failures = new Set<number>();
  const cellOf = (ms: number): number => Math.min(Math.max(Math.floor((ms / length) * cells), 0), cells - 1);
  for (const r of rows) {
    const first = cellOf(r.offset);
    const last = cellOf(r.offset + (r.event.latency ?? 0));
    change[first] = (change[first] ?? 0) + 1;
    change[last + 1] = (change[last + 1] ?? 0) - 1;
    if (!r.event.success) {
      failures.add(first);
    }
  }
  let under = 0;
  const counts = Array.from({ length: cells }, (_, i) => {
    under += change[i] ?? 0;
    return under;
  });
  const most = counts.reduce((a, b) => Math.max(a, b), 1);
  const busy = counts
    .map((n, i) =>
      n > 0
        ? `M${i * cell} ${height}v${-Math.max((n / most) * (height - 8), 2).toFixed(1)}h${cell - 0.5}V${height}z`
        : '',
    )
    .join('');
  return { busy, failures: [...failures].map((i) => `M${i * cell} 0h${cell}v6h-${cell}z`).join('') };
}
