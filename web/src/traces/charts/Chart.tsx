import { Button } from '@mantine/core';
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatStamp } from '../../app/locale';
import { alone, linePath, ticksTo } from './scale';

export interface Series {
  name: string;
  values: (number | null)[];
  look?: 'bad' | 'second' | 'third' | 'before';
}

interface Props {
  name: string;
  times: number[]; // beginnings of the parts, epoch milliseconds
  step: number; // the length of a part, milliseconds
  series: Series[];
  before?: Series; // the same of the period before, drawn behind
  format: (value: number) => string;
  bars?: boolean;
  summary: string;
  /** Called with the period that was selected by dragging over the chart. */
  choose?: (from: number, to: number) => void;
}

const height = 96;
const left = 48;
const top = 6;

/** Returns the current width of an element. */
export function useWidth(): [ref: (el: HTMLElement | null) => void, width: number] {
  const [width, setWidth] = useState(0);
  const [element, setElement] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (!element) {
      return;
    }
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    watch.observe(element);
    return () => watch.disconnect();
  }, [element]);
  return [setElement, width];
}

/** A figure with a sentence as its summary, and a table of its numbers on request. */
export function Figure(p: { name: string; summary: string; table: () => ReactNode; children: ReactNode }) {
  const [table, setTable] = useState(false);
  return (
    <figure aria-label={p.name}>
      <figcaption>
        <strong>{p.name}</strong> <span className="dimmed">{p.summary}</span>
      </figcaption>
      {table ? <div className="figure-table">{p.table()}</div> : p.children}
      <Button size="compact-xs" variant="subtle" onClick={() => setTable(!table)}>
        {table ? 'Show as chart' : 'Show as table'}
      </Button>
    </figure>
  );
}

/** Values over time, as bars or lines. Dragging selects a period. */
export function Chart({ name, times, step, series, before, format, bars, summary, choose }: Props) {
  const [ref, width] = useWidth();
  const drag = useRef<number>(undefined);
  const [marked, setMarked] = useState<[from: number, to: number]>();
  const [over, setOver] = useState<number>();
  const all = [...series, ...(before ? [before] : [])];
  const most = all.reduce((m, s) => s.values.reduce<number>((n, v) => Math.max(n, v ?? 0), m), 0);
  const ticks = ticksTo(most);
  const end = ticks.at(-1) ?? 1;
  const room = Math.max(width - left, 1);
  const part = room / Math.max(times.length, 1);
  const y = (v: number): number => top + (1 - v / end) * (height - top);
  const x = (i: number): number => left + (i + 0.5) * part;
  const partAt = (e: PointerEvent<SVGSVGElement>): number => {
    const at = e.clientX - e.currentTarget.getBoundingClientRect().left - left;
    return Math.min(Math.max(Math.floor(at / part), 0), times.length - 1);
  };
  const up = (e: PointerEvent<SVGSVGElement>): void => {
    const from = drag.current;
    drag.current = undefined;
    setMarked(undefined);
    const to = partAt(e);
    if (from === undefined || from === to || !choose) {
      return;
    }
    const [first, last] = [times[Math.min(from, to)], times[Math.max(from, to)]];
    if (first !== undefined && last !== undefined) {
      choose(first, last + step);
    }
  };
  const stamp = (t: number): string => formatStamp(new Date(t)).slice(0, step >= 86_400_000 ? 10 : 16);
  const here = over === undefined ? undefined : times[over];
  const labels = labelled(times, room, step);
  return (
    <Figure
      name={name}
      summary={
        here === undefined || over === undefined
          ? summary
          : `${stamp(here)}: ${series.map((s) => `${series.length > 1 ? `${s.name} ` : ''}${format(s.values[over] ?? 0)}`).join(', ')}`
      }
      table={() => (
        <table aria-label={name}>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {all.map((s) => (
                <th key={s.name} scope="col" className="number">
                  {s.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((t, i) =>
              all.some((s) => s.values[i]) ? (
                <tr key={t}>
                  <th scope="row">{stamp(t)}</th>
                  {all.map((s) => (
                    <td key={s.name} className="number">
                      {s.values[i] === null || s.values[i] === undefined ? '–' : format(s.values[i])}
                    </td>
                  ))}
                </tr>
              ) : null,
            )}
          </tbody>
        </table>
      )}
    >
      <div ref={ref} className="chart">
        <svg
          width={width}
          height={height + 18}
          aria-hidden="true"
          className={choose ? 'draggable' : undefined}
          onPointerDown={(e) => {
            if (choose && e.button === 0) {
              e.currentTarget.setPointerCapture(e.pointerId);
              drag.current = partAt(e);
            }
          }}
          onPointerMove={(e) => {
            const at = partAt(e);
            setOver(at);
            if (drag.current !== undefined) {
              setMarked([Math.min(drag.current, at), Math.max(drag.current, at)]);
            }
          }}
          onPointerLeave={() => setOver(undefined)}
          onPointerUp={up}
          onPointerCancel={() => {
            drag.current = undefined;
            setMarked(undefined);
          }}
        >
          {ticks.map((t) => (
            <g key={t} className="grid">
              <line x1={left} x2={width} y1={y(t)} y2={y(t)} />
              <text x={left - 6} y={y(t) + 4} textAnchor="end">
                {format(t)}
              </text>
            </g>
          ))}
          {before && <path className="line before" d={linePath(before.values, x, y)} />}
          {bars
            ? series.map((s) => (
                <path
                  key={s.name}
                  className={`bars ${s.look ?? ''}`}
                  d={s.values
                    .map((v, i) =>
                      v
                        ? `M${(left + i * part + part * 0.1).toFixed(1)} ${height}v${(y(v) - height).toFixed(1)}h${(part * 0.8).toFixed(1)}V${height}z`
                        : '',
                    )
                    .join('')}
                />
              ))
            : series.map((s) => (
                <g key={s.name} className={s.look ?? ''}>
                  <path className={`line ${s.look ?? ''}`} d={linePath(s.values, x, y)} />
                  {alone(s.values).map((i) => (
                    <circle key={i} cx={x(i)} cy={y(s.values[i] ?? 0)} r={2.5} />
                  ))}
                </g>
              ))}
          {over !== undefined && here !== undefined && (
            <line className="cursor" x1={x(over)} x2={x(over)} y1={top} y2={height} />
          )}
          {marked && (
            <rect
              className="marked"
              x={left + marked[0] * part}
              y={top}
              width={(marked[1] - marked[0] + 1) * part}
              height={height - top}
            />
          )}
          {labels.map(([i, text], n) => (
            <text
              key={i}
              className="axis"
              x={x(i)}
              y={height + 14}
              textAnchor={n === 0 ? 'start' : n === labels.length - 1 ? 'end' : 'middle'}
            >
              {text}
            </text>
          ))}
        </svg>
      </div>
      {series.length > 1 && (
        <p className="legend" aria-hidden>
          {all.map((s) => (
            <span key={s.name} className={`key ${s.look ?? ''}`}>
              {s.name}
            </span>
          ))}
        </p>
      )}
    </Figure>
  );
}

/** Returns the parts of the axis that have a label, with its text. */
function labelled(times: number[], room: number, step: number): [number, string][] {
  const count = Math.min(Math.max(Math.floor(room / 130), 1) + 1, times.length);
  if (count < 2) {
    return times[0] === undefined ? [] : [[0, formatStamp(new Date(times[0]))]];
  }
  const stamps = Array.from({ length: count }, (_, n) => {
    const i = Math.round((n * (times.length - 1)) / (count - 1));
    return [i, formatStamp(new Date(times[i] ?? 0))] as const;
  });
  return stamps.map(([i, stamp], n) => {
    const [date, time] = [stamp.slice(0, 10), stamp.slice(11)];
    const sameDay = n > 0 && stamps[n - 1]?.[1].slice(0, 10) === date;
    return [i, step >= 86_400_000 ? date : sameDay ? time : `${date.slice(5)} ${time}`];
  });
}
