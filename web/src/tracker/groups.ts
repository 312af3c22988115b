import type { Grouping } from './filters';
import { type Issue, type Options, priorities, titleOfCycle } from './types';

/** The loaded issues under one heading of a list. */
export interface Group {
  key: string;
  title: string;
  issues: Issue[];
  cursor: string | null; // of the next page, null at the end
}

/** The order of priorities in lists: urgent first, none last. */
export const priorityOrder = [1, 2, 3, 4, 0];

/** Returns the groups of a grouping that has few known groups, each with its filter. They are read one by one. */
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

/** The sort order of the other groupings, which may have many groups and are read as one list. */
export const groupSorts: Partial<Record<Grouping, object>> = {
  assignee: { assignee: { order: 'Ascending' } },
  project: { project: { order: 'Ascending' } },
  cycle: { cycle: { order: 'Descending' } },
};

/** Returns the group of an issue. */
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

/** Adds a page of issues, sorted by group, to the loaded groups. */
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
 * Returns groups with an issue at its place: unmoved if its order has not changed, and removed if it does not match any
 * more or belongs after the loaded issues.
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
      return g; // it is on a later page
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

/** A row of the list: a heading, an issue, or a placeholder that loads more. */
export type Row =
  | { kind: 'group'; group: Group; open: boolean }
  | { kind: 'issue'; group: Group; issue: Issue; position: number }
  | { kind: 'more'; group: Group };

/** Returns the rows of groups: only the heading of a collapsed group, nothing for an empty one. */
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
