import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { adminCall } from '../../app/admin';
import { type Column, Table } from '../../ui/Table';
import { pathOf } from '../api';
import { CausedBy, ops, Service } from '../parts';
import { ChangePane } from './ChangePane';
import {
  type Change,
  type Count,
  changesOf,
  entityId,
  type Lists,
  levelOf,
  type Row,
  rowsOf,
  sentenceOf,
} from './rows';

interface Props {
  env: string;
  query: Record<string, string>;
  summary: Count[];
  selected: string | undefined;
  select: (id: string | undefined) => void;
}

interface Loaded {
  changes: Change[];
  cursor: string;
  more: boolean;
  failed?: string;
}

const page = 500;

/** The changes of a diff as a tree. The changes of an entity are loaded when it is expanded. */
export function Changes({ env, query, summary, selected, select }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<ReadonlySet<string>>(
    // A few changes are shown expanded, and so is the group of the change in the URL.
    () =>
      new Set(
        summary.reduce((n, c) => n + c.inserts + c.updates + c.deletes, 0) <= 50
          ? summary.map(entityId)
          : [selected?.split(' ')[0] ?? ''],
      ),
  );
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Loaded>>(new Map());
  const loading = useRef(new Set<string>());
  const load = useCallback(
    (id: string, old: Loaded | undefined): void => {
      if (loading.current.has(id) || (old && !old.more)) {
        return;
      }
      loading.current.add(id);
      const [service = '', entity = ''] = id.split('.');
      const q = new URLSearchParams({ ...query, service, entity, limit: String(page), cursor: old?.cursor ?? '' });
      adminCall<Lists>(pathOf(env, `/diff?${q}`))
        .then(
          (lists): Loaded => ({
            changes: [...(old?.changes ?? []), ...changesOf(lists)],
            cursor: lists.next_cursor,
            more: lists.next_cursor !== '',
          }),
          (e: Error): Loaded => ({ changes: old?.changes ?? [], cursor: '', more: false, failed: e.message }),
        )
        .then((found) => {
          loading.current.delete(id);
          setLoaded((all) => new Map(all).set(id, found));
        });
    },
    [env, query],
  );
  useEffect(() => {
    for (const c of summary) {
      const id = entityId(c);
      if (opened.has(id) && !loaded.has(id)) {
        load(id, undefined);
      }
    }
  }, [summary, opened, loaded, load]);

  const rows = useMemo(() => rowsOf(summary, closed, opened, loaded), [summary, closed, opened, loaded]);
  const seen = useCallback(
    (first: number, last: number) => {
      for (const row of rows.slice(first, last + 1)) {
        if (row.kind === 'waiting') {
          const id = row.id.split(' ')[0] ?? '';
          load(id, loaded.get(id));
        }
      }
    },
    [rows, loaded, load],
  );
  const columns = useMemo(() => columnsOf(env), [env]);
  const flip = (set: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> => {
    const next = new Set(set);
    on ? next.add(id) : next.delete(id);
    return next;
  };
  const toggle = (r: Row, open: boolean): void => {
    if (r.kind === 'service') {
      setClosed(flip(closed, r.id, !open));
    } else if (r.kind === 'entity') {
      setOpened(flip(opened, r.id, open));
    }
  };
  const openOf = (r: Row): boolean | undefined =>
    r.kind === 'service' ? !closed.has(r.id) : r.kind === 'entity' ? opened.has(r.id) : undefined;
  const shown = rows.find((r) => r.id === selected && r.kind === 'change');
  const open = (r: Row): void => {
    if (r.kind === 'change') {
      select(r.id === selected ? undefined : r.id);
    } else {
      toggle(r, !openOf(r));
    }
  };
  return (
    <div className={shown ? 'split open' : 'split'}>
      <Table
        label="Changes"
        columns={columns.map((c) => (c.key === 'what' ? { ...c, cell: (r: Row) => <What row={r} open={open} /> } : c))}
        rows={rows}
        id={(r) => r.id}
        name={nameOf}
        open={open}
        seen={seen}
        mark={(r) => (r.id === selected ? 'marked' : undefined)}
        tree={{ level: levelOf, open: openOf, toggle }}
      />
      {shown?.kind === 'change' && <ChangePane env={env} change={shown.change} close={() => select(undefined)} />}
    </div>
  );
}

function nameOf(r: Row): string {
  switch (r.kind) {
    case 'service':
      return `${r.service}: ${sentenceOf(r.counts)}`;
    case 'entity':
      return sentenceOf([r.count]);
    case 'change':
      return `${r.change.entity} ${r.change.key} ${ops[r.change.op]}`;
    case 'waiting':
      return r.text;
  }
}

function What({ row: r, open }: { row: Row; open: (r: Row) => void }) {
  switch (r.kind) {
    case 'service':
      return <Service name={r.service} />;
    case 'entity':
      return <span>{r.count.entity}</span>;
    case 'waiting':
      return <span className="dimmed">{r.text}</span>;
    case 'change':
      return (
        <>
          <span className={`badge-op keep ${r.change.op}`}>{ops[r.change.op]}</span>
          <button type="button" className="link" tabIndex={-1} onClick={() => open(r)}>
            {titleOf(r.change)}
          </button>
        </>
      );
  }
}

/** The fields that contain an object's name, best first. */
const titles = [
  'properties.email',
  'properties.name',
  'properties.dealname',
  'properties.subject',
  'title',
  'name',
  'text',
];

/** Returns the name of a changed object, or its key if the change contains none. */
function titleOf(c: Change): string {
  for (const field of titles) {
    const value = c.after?.[field] ?? c.before?.[field];
    if (typeof value === 'string' && value !== '') {
      return value.slice(0, 200);
    }
  }
  return c.key;
}

function columnsOf(env: string): Column<Row>[] {
  return [
    { key: 'what', title: 'Change', width: 260, grow: 3, cell: () => null },
    {
      key: 'fields',
      title: 'Fields',
      width: 160,
      grow: 2,
      cell: (r) => {
        const text =
          r.kind === 'change'
            ? r.change.changed.join(', ')
            : r.kind === 'waiting'
              ? ''
              : nameOf(r).replace(/^.*?: /, '');
        return <span title={text}>{text}</span>;
      },
    },
    {
      key: 'cause',
      title: 'Caused by',
      width: 200,
      grow: 2,
      cell: (r) =>
        r.kind === 'change' && r.change.cause?.[0] ? (
          <span>
            <CausedBy env={env} cause={r.change.cause[0]} />
          </span>
        ) : (
          ''
        ),
    },
  ];
}
