import { Button, Checkbox } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { formatBytes } from '../../app/locale';
import { Copy } from '../../ui/Copy';
import { linesOf, most, pieces } from './payload';

interface Props {
  text: string;
  wrap: boolean;
  setWrap: (wrap: boolean) => void;
}

/** An input or output. Long ones are truncated, and base64 is folded. */
export function Payload({ text, wrap, setWrap }: Props) {
  const [all, setAll] = useState(false);
  const long = text.length > most;
  return (
    <>
      <div className="payload-bar">
        <Copy text={text}>Copy</Copy>
        <Checkbox size="xs" label="Wrap lines" checked={wrap} onChange={(e) => setWrap(e.currentTarget.checked)} />
      </div>
      {all && long ? <Lines text={text} wrap={wrap} /> : <Short text={long ? text.slice(0, most) : text} wrap={wrap} />}
      {long && !all && (
        <Button size="compact-sm" variant="default" onClick={() => setAll(true)}>
          Show all {formatBytes(text.length)}
        </Button>
      )}
    </>
  );
}

function Short({ text, wrap }: { text: string; wrap: boolean }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const list = useMemo(() => pieces(text), [text]);
  let at = 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <pre className={wrap ? 'json' : 'json nowrap'} tabIndex={0}>
      {list.map((p) => {
        const place = at;
        at += p.text.length;
        return !p.folded || open.has(place) ? (
          <span key={place}>{p.text}</span>
        ) : (
          <button key={place} type="button" className="link" onClick={() => setOpen(new Set([...open, place]))}>
            {p.text.slice(0, 24)}… Show base64, {formatBytes(p.text.length)}
          </button>
        );
      })}
    </pre>
  );
}

/** A text of any length. Only visible lines are rendered. */
function Lines({ text, wrap }: { text: string; wrap: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => linesOf(text), [text]);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 18,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keyboard
    <div className={wrap ? 'json lines' : 'json lines nowrap'} ref={box} tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => (
          <div
            key={item.key}
            data-index={item.index}
            ref={virtual.measureElement}
            className="line-of-text"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            {lines[item.index] || ' '}
          </div>
        ))}
      </div>
    </div>
  );
}
