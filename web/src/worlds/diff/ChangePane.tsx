import { ActionIcon, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { adminCall } from '../../app/admin';
import { Copy } from '../../ui/Copy';
import { pathOf } from '../api';
import { addressOf, CausedBy, ops } from '../parts';
import { assertionOfChange, type Change, changesOf, type Lists } from './rows';
import { compareTexts, type Piece } from './text';

interface Props {
  env: string;
  change: Change;
  close: () => void;
}

/** One change, before and after side by side. */
export function ChangePane({ env, change: c, close }: Props) {
  const [all, setAll] = useState(false);
  const pane = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: on a small screen another change is below what is in view
  useEffect(() => {
    if ((pane.current?.getBoundingClientRect().top ?? 0) > innerHeight * 0.7) {
      pane.current?.scrollIntoView({ block: 'nearest' });
    }
  }, [c.service, c.entity, c.key]);
  const whole = useQuery({
    queryKey: ['world', env, 'whole', c.service, c.entity, c.key],
    queryFn: () =>
      adminCall<Lists>(
        pathOf(
          env,
          `/diff?${new URLSearchParams({ service: c.service, entity: c.entity, key: c.key, fields: 'all', cause: 'false' })}`,
        ),
      ).then((lists) => changesOf(lists).find((x) => x.key === c.key)),
    enabled: all && c.op === 'update',
  });
  const shown = (all && whole.data) || c;
  const fields = [...new Set([...Object.keys(shown.before ?? {}), ...Object.keys(shown.after ?? {})])].sort();
  const to = addressOf(env, c.service, c.entity, c.key);
  return (
    <section ref={pane} aria-label="Change" className="change">
      <div className="heading-row">
        <h2>
          <span className={`badge-op ${c.op}`}>{ops[c.op]}</span> {c.service} {c.entity}
        </h2>
        <ActionIcon variant="subtle" color="gray" aria-label="Close change" onClick={close}>
          <X size={16} />
        </ActionIcon>
      </div>
      <p className="long">
        <code>{c.key}</code>
      </p>
      <div className="buttons">
        {to && (
          <Link to={to} className="keep">
            Open {c.entity}
          </Link>
        )}
        <Copy text={JSON.stringify(c, null, 2)}>Copy change as JSON</Copy>
        <Copy text={assertionOfChange(env, c)}>Copy change as assertion</Copy>
        {c.op === 'update' && (
          <Checkbox label="Show all fields" checked={all} onChange={(e) => setAll(e.currentTarget.checked)} />
        )}
      </div>
      {(c.cause?.length ?? 0) > 0 && (
        <ul className="plain" aria-label="Caused by">
          {c.cause?.map((w) => (
            <li key={`${w.seq} ${w.operation}`}>
              Caused by <CausedBy env={env} cause={w} />
              {w.fields && w.fields.length > 0 && <span className="dimmed">: {w.fields.join(', ')}</span>}
            </li>
          ))}
        </ul>
      )}
      {c.exact === false && <p className="dimmed">Other requests may have written it too.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <div className="wide" tabIndex={0}>
        <table className="sides" aria-label="Before and after">
          <thead>
            <tr>
              <th scope="col">Field</th>
              {c.op !== 'insert' && <th scope="col">Before</th>}
              {c.op !== 'delete' && <th scope="col">After</th>}
            </tr>
          </thead>
          <tbody>
            {fields.map((f) => (
              <Sides key={f} name={f} change={shown} marked={c.op === 'update' && c.changed.includes(f)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value, null, 1);

/** The length above which values are compared word by word. */
const long = 40;

function Sides({ name, change: c, marked }: { name: string; change: Change; marked: boolean }) {
  const before = textOf(c.before?.[name]);
  const after = textOf(c.after?.[name]);
  const pieces = marked && before.length + after.length > long ? compareTexts(before, after) : undefined;
  return (
    <tr className={marked ? 'marked' : undefined}>
      <th scope="row">{name}</th>
      {c.op !== 'insert' && <td>{pieces ? <Pieces list={pieces} without="new" /> : before}</td>}
      {c.op !== 'delete' && <td>{pieces ? <Pieces list={pieces} without="old" /> : after}</td>}
    </tr>
  );
}

function Pieces({ list, without }: { list: Piece[]; without: Piece['kind'] }) {
  let at = 0;
  return list.map((p) => {
    at += p.text.length;
    return p.kind !== without && <Part key={at} kind={p.kind} text={p.text} />;
  });
}

function Part({ kind, text }: { kind: string; text: string }) {
  return kind === 'old' ? <del>{text}</del> : kind === 'new' ? <ins>{text}</ins> : <span>{text}</span>;
}
