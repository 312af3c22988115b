import { formatNumber } from '../../app/locale';
import type { Cause } from '../api';

export interface Change {
  service: string;
  entity: string;
  key: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  changed: string[];
  cause?: (Cause & { fields: string[] | null })[];
  exact?: boolean;
  op: 'insert' | 'update' | 'delete';
}

export interface Count {
  service: string;
  entity: string;
  inserts: number;
  updates: number;
  deletes: number;
}

export interface Lists {
  inserts: Omit<Change, 'op'>[];
  updates: Omit<Change, 'op'>[];
  deletes: Omit<Change, 'op'>[];
  next_cursor: string;
}

/** Returns the changes of a page in one list. */
export const changesOf = (page: Lists): Change[] => [
  ...page.inserts.map((c): Change => ({ ...c, op: 'insert' })),
  ...page.updates.map((c): Change => ({ ...c, op: 'update' })),
  ...page.deletes.map((c): Change => ({ ...c, op: 'delete' })),
];

export type Row =
  | { kind: 'service'; id: string; service: string; counts: Count[] }
  | { kind: 'entity'; id: string; count: Count }
  | { kind: 'change'; id: string; change: Change }
  | { kind: 'waiting'; id: string; text: string };

const level: Record<Row['kind'], number> = { service: 1, entity: 2, change: 3, waiting: 3 };
export const levelOf = (r: Row): number => level[r.kind];

export const entityId = (c: { service: string; entity: string }): string => `${c.service}.${c.entity}`;

/** Returns the number of changes of an entity. */
export const sizeOf = (c: Count): number => c.inserts + c.updates + c.deletes;

/**
 * Returns the rows of the tree: services, their entities, and the changes of expanded and loaded entities.
 * `closed` contains services, `opened` entities.
 */
export function rowsOf(
  summary: Count[],
  closed: ReadonlySet<string>,
  opened: ReadonlySet<string>,
  loaded: ReadonlyMap<string, { changes: Change[]; more: boolean; failed?: string }>,
): Row[] {
  const out: Row[] = [];
  for (const service of new Set(summary.map((c) => c.service))) {
    const counts = summary.filter((c) => c.service === service);
    out.push({ kind: 'service', id: service, service, counts });
    if (closed.has(service)) {
      continue;
    }
    for (const count of counts) {
      const id = entityId(count);
      out.push({ kind: 'entity', id, count });
      if (!opened.has(id)) {
        continue;
      }
      const found = loaded.get(id);
      for (const change of found?.changes ?? []) {
        out.push({ kind: 'change', id: `${id} ${change.op} ${change.key}`, change });
      }
      if (!found || found.more || found.failed) {
        out.push({ kind: 'waiting', id: `${id} …`, text: found?.failed ?? 'Loading…' });
      }
    }
  }
  return out;
}

/** Returns a number with the name of an entity: 2 companies, 1 outgoing webhook. */
function plural(entity: string, n: number): string {
  const name = entity.replaceAll('_', ' ').replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`);
  return n === 1 ? name : name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}

/** Returns counts as a sentence: 1 contact added, 2 deals changed. */
export function sentenceOf(counts: Count[]): string {
  return counts
    .flatMap((c) =>
      (
        [
          [c.inserts, 'added'],
          [c.updates, 'changed'],
          [c.deletes, 'removed'],
        ] as const
      ).flatMap(([n, what]) => (n > 0 ? [`${formatNumber(n)} ${plural(c.entity, n)} ${what}`] : [])),
    )
    .join(', ');
}

const quoted = (text: string): string => JSON.stringify(text).replaceAll("'", "'\\''");

/** Returns a shell command that fails unless a diff has exactly these counts. */
export function assertionOf(env: string, summary: Count[], from: string, to: string): string {
  const flags = `${from && ` --from ${from}`}${to && ` --to ${to}`}`;
  const parts = summary.flatMap((c) =>
    (['inserts', 'updates', 'deletes'] as const).map(
      (list) =>
        `([.${list}[] | select(.service == ${quoted(c.service)} and .entity == ${quoted(c.entity)})] | length) == ${c[list]}`,
    ),
  );
  return `understudy env diff ${env}${flags} --json | jq -e '${parts.join(' and ') || '(.inserts + .updates + .deletes) == []'}'`;
}

/** Returns a shell command that fails unless a diff contains this change. */
export function assertionOfChange(env: string, c: Change): string {
  const list = `${c.op}s`;
  const wanted =
    c.op === 'delete'
      ? ''
      : Object.entries(c.after ?? {})
          .filter(
            ([f, v]) =>
              (c.op === 'insert' || c.changed.includes(f)) && typeof v === 'string' && v !== '' && v.length < 100,
          )
          .slice(0, 3)
          .map(([f, v]) => ` and .after[${quoted(f)}] == ${quoted(String(v))}`)
          .join('');
  return `understudy env diff ${env} --json | jq -e 'any(.${list}[]; .entity == ${quoted(c.entity)} and .key == ${quoted(c.key)}${wanted})'`;
}
