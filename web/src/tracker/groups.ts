import type { Grouping } from './filters';
import { type Issue, type Options, priorities, titleOfCycle } from './types';

/** Issues that a list shows under one heading, as far as they are read. */
export interface Group {
  key: string;
  title: string;
  issues: Issue[];
  cursor: string | null; // of what follows, null at its end
}

/** The order of priorities in lists: the urgent first, none last. */
export const priorityOrder = [1, 2, 3, 4, 0];

/** The groups that are read one by one, with what each of them asks of an issue: known beforehand, and few. */
export function fixedGroups(by: Grouping, o: Options): { key: string; title: string; filter: object }[] | undefined {
  if (by === 'state') {
    return o.states.map((s) => ({ key: s.id, title: s.name, filter: { state: { id: { eq: s.id } } } }));
  }
  if (by === 'priority') {
    return priorityOrder.map((p) => ({
      key: String(p),
      title: priorities[p] as string,
      filter: { priority: { eq: p } },
    }));
  }
  return undefined;
}

/** The other groupings are one list in this order: their groups are as many as there are people, projects, cycles. */
export const groupSorts: Partial<Record<Grouping, object>> = {
  assignee: { assignee: { order: 'Ascending' } },
  project: { project: { order: 'Ascending' } },
  cycle: { cycle: { order: 'Descending' } },
};

/** Returns the group that an issue stands in. */
export function groupOf(by: Grouping, i: Issue): { key: string; title: string } {
  switch (by) {
    case 'state':
      return { key: i.state.id, title: i.state.name };
    case 'priority':
      return { key: String(i.priority), title: priorities[i.priority] ?? '' };
    case 'assignee':
      return { key: i.assignee?.id ?? '', title: i.assignee?.name ?? 'Nobody' };
    case 'project':
      return { key: i.project?.id ?? '', title: i.project?.name ?? 'No project' };
    case 'cycle':
      return { key: i.cycle?.id ?? '', title: i.cycle ? titleOfCycle(i.cycle) : 'No cycle' };
    case 'none':
      return { key: 'all', title: 'All issues' };
  }
}

/** Adds a page of issues in the order of their groups to what is held of them. */
export function append(groups: Group[], by: Grouping, issues: Issue[], cursor: string | null): Group[] {
  const out = groups.map((g) => ({ ...g, cursor: null as string | null }));
  for (const i of issues) {
    const { key, title } = groupOf(by, i);
    const known = out.find((g) => g.key === key);
    if (known) {
      known.issues = [...known.issues, i];
    } else {
      out.push({ key, title, issues: [i], cursor: null });
    }
  }
  const last = out.at(-1);
  if (last) {
    last.cursor = cursor;
  }
  return out;
}

interface Placing {
  by: Grouping;
  compare: (a: Issue, b: Issue) => number;
  fits: (i: Issue) => boolean;
}

/**
 * Returns groups in which an issue stands where it belongs: in place where its order has not changed, at no place when
 * it does not fit any more or belongs behind what is read.
 */
export function place(groups: Group[], issue: Issue, how: Placing): Group[] {
  const to = groupOf(how.by, issue);
  const stands = (g: Group): boolean => g.key === to.key && how.fits(issue);
  let placed = false;
  const out = groups.map((g) => {
    const at = g.issues.findIndex((i) => i.id === issue.id);
    const old = g.issues[at];
    if (!stands(g)) {
      return old ? { ...g, issues: g.issues.filter((i) => i !== old) } : g;
    }
    placed = true;
    if (old && how.compare(old, issue) === 0) {
      return { ...g, issues: g.issues.map((i) => (i === old ? issue : i)) };
    }
    const others = g.issues.filter((i) => i !== old);
    const behind = others.findIndex((i) => how.compare(issue, i) < 0);
    if (behind < 0 && g.cursor !== null && !old) {
      return g; // it comes with a later page
    }
    return { ...g, issues: others.toSpliced(behind < 0 ? others.length : behind, 0, issue) };
  });
  if (!placed && how.fits(issue) && (groups.at(-1)?.cursor ?? null) === null) {
    return [...out, { ...to, issues: [issue], cursor: null }];
  }
  return out;
}

/** Returns groups without an issue. */
export const without = (groups: Group[], id: string): Group[] =>
  groups.map((g) => (g.issues.some((i) => i.id === id) ? { ...g, issues: g.issues.filter((i) => i.id !== id) } : g));

/** A row of the list: a heading, an issue, or the place where more is read. */
export type Row =
  | { kind: 'group'; group: Group; open: boolean }
  | { kind: 'issue'; group: Group; issue: Issue; position: number }
  | { kind: 'more'; group: Group };

/** Returns the rows of groups; those of closed ones are their headings alone, of empty ones nothing. */
export function rowsOf(groups: Group[], closed: ReadonlySet<string>): Row[] {
  return groups.flatMap((group): Row[] => {
    if (group.issues.length === 0 && group.cursor === null) {
      return [];
    }
    const open = !closed.has(group.key);
    const issues = open
      ? group.issues.map((issue, position): Row => ({ kind: 'issue', group, issue, position: position + 1 }))
      : [];
    const more: Row[] = open && group.cursor !== null ? [{ kind: 'more', group }] : [];
    return [{ kind: 'group', group, open }, ...issues, ...more];
  });
}
