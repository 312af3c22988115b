import type { Search } from '../app/address';
import { type Issue, type Options, priorities } from './types';

export const groupings = ['state', 'assignee', 'priority', 'project', 'cycle', 'none'] as const;
export type Grouping = (typeof groupings)[number];

/** Returns the grouping of a URL. */
export const groupingOf = (search: Search): Grouping => groupings.find((g) => g === search.group) ?? 'state';

export const sorts: Record<string, { label: string; sort: object; compare: (a: Issue, b: Issue) => number }> = {
  priority: {
    label: 'Priority',
    sort: { priority: { order: 'Descending' } },
    compare: (a, b) => (a.priority || 9) - (b.priority || 9),
  },
  created: {
    label: 'Newest',
    sort: { createdAt: { order: 'Descending' } },
    compare: (a, b) => b.createdAt.localeCompare(a.createdAt),
  },
  updated: {
    label: 'Last changed',
    sort: { updatedAt: { order: 'Descending' } },
    compare: (a, b) => b.updatedAt.localeCompare(a.updatedAt),
  },
  title: { label: 'Title', sort: { title: { order: 'Ascending' } }, compare: (a, b) => a.title.localeCompare(b.title) },
  due: {
    label: 'Due date',
    sort: { dueDate: { order: 'Ascending' } },
    compare: (a, b) => (a.dueDate ?? '9').localeCompare(b.dueDate ?? '9'),
  },
};

/** Returns the order of a URL; by default, by priority. */
export const sortOf = (search: Search) =>
  (Object.hasOwn(sorts, search.sort ?? '') ? sorts[search.sort ?? ''] : undefined) ??
  (sorts.priority as (typeof sorts)[string]);

export const filterNames = ['state', 'assignee', 'label', 'project', 'cycle', 'priority'] as const;
export type FilterName = (typeof filterNames)[number];

/** The value of a filter for issues that lack the field. */
export const nobody = 'none';

/** For each filter of the URL, the API's filter and a test of an issue. */
const rules: Record<FilterName, { filter: (v: string) => object; fits: (i: Issue, v: string) => boolean }> = {
  state: {
    filter: (v) => ({ or: [{ name: { eqIgnoreCase: v } }, { type: { eq: v } }] }),
    fits: (i, v) => i.state.name.toLowerCase() === v.toLowerCase() || i.state.type === v,
  },
  assignee: {
    filter: (v) => (v === nobody ? { null: true } : { displayName: { eq: v } }),
    fits: (i, v) => (i.assignee?.displayName ?? nobody) === v,
  },
  label: { filter: (v) => ({ name: { eq: v } }), fits: (i, v) => i.labels.some((l) => l.name === v) },
  project: {
    filter: (v) => (v === nobody ? { null: true } : { name: { eq: v } }),
    fits: (i, v) => (i.project?.name ?? nobody) === v,
  },
  cycle: {
    filter: (v) => (v === nobody ? { null: true } : { number: { eq: Number(v) } }),
    fits: (i, v) => String(i.cycle?.number ?? nobody) === v,
  },
  priority: { filter: (v) => ({ eq: Number(v) }), fits: (i, v) => i.priority === Number(v) },
};

/** Returns the filters of an address, by name, in a fixed order. */
export const chosen = (search: Search): [FilterName, string][] =>
  filterNames.flatMap((n): [FilterName, string][] => (search[n] ? [[n, search[n]]] : []));

/** Returns the API's filter for a team and the filters of an address. */
export function filterOf(team: string, filters: [FilterName, string][]): object {
  const all: [string, object][] = filters.map(([n, v]) => [n === 'label' ? 'labels' : n, rules[n].filter(v)]);
  return { team: { key: { eq: team } }, ...Object.fromEntries(all) };
}

/** Reports whether an issue matches filters. */
export const fits = (i: Issue, filters: [FilterName, string][]): boolean =>
  filters.every(([n, v]) => rules[n].fits(i, v));

/** Returns the possible values of a filter, with their labels. */
export function valuesOf(name: FilterName, o: Options): { value: string; label: string }[] {
  switch (name) {
    case 'state':
      return o.states.map((s) => ({ value: s.name, label: s.name }));
    case 'assignee':
      return [{ value: nobody, label: 'Nobody' }, ...o.members.map((m) => ({ value: m.displayName, label: m.name }))];
    case 'label':
      return o.labels.map((l) => ({ value: l.name, label: l.name }));
    case 'project':
      return [{ value: nobody, label: 'No project' }, ...o.projects.map((p) => ({ value: p.name, label: p.name }))];
    case 'cycle':
      return [
        { value: nobody, label: 'No cycle' },
        ...o.cycles.map((c) => ({ value: String(c.number), label: c.name || `Cycle ${c.number}` })),
      ];
    case 'priority':
      return priorities.map((label, n) => ({ value: String(n), label }));
  }
}
