import { describe, expect, it } from 'vitest';
import { chosen, filterOf, fits, sortOf } from './filters';
import { append, fixedGroups, type Group, place, rowsOf, without } from './groups';
import type { Issue, Options, State } from './types';

const todo: State = { id: 's1', name: 'Todo', type: 'unstarted', color: '#000000', position: 1 };
const done: State = { id: 's2', name: 'Done', type: 'completed', color: '#000000', position: 2 };

const issue = (id: string, more: Partial<Issue> = {}): Issue => ({
  id,
  identifier: `ENG-${id}`,
  title: `Issue ${id}`,
  priority: 2,
  state: todo,
  assignee: null,
  labels: [],
  project: null,
  cycle: null,
  estimate: null,
  dueDate: null,
  createdAt: '2026-01-01',
  updatedAt: '2026-01-01',
  ...more,
});

const how = { by: 'state' as const, compare: sortOf({}).compare, fits: () => true };
const ids = (g: Group[]): string[] => g.map((x) => `${x.title}: ${x.issues.map((i) => i.id).join(' ')}`);

describe('placing an issue', () => {
  const groups: Group[] = [
    { key: 's1', title: 'Todo', issues: [issue('1', { priority: 1 }), issue('2'), issue('3')], cursor: null },
    { key: 's2', title: 'Done', issues: [], cursor: null },
  ];
  it.each([
    ['changed in place', issue('2', { title: 'New' }), ['Todo: 1 2 3', 'Done: ']],
    ['moved to another state', issue('2', { state: done }), ['Todo: 1 3', 'Done: 2']],
    ['moved up', issue('3', { priority: 1 }), ['Todo: 1 3 2', 'Done: ']],
    ['without priority last', issue('1', { priority: 0 }), ['Todo: 2 3 1', 'Done: ']],
    ['new', issue('4'), ['Todo: 1 2 3 4', 'Done: ']],
  ])('%s', (_, changed, want) => {
    expect(ids(place(groups, changed, how))).toEqual(want);
  });
  it('takes away what does not fit any more', () => {
    expect(ids(place(groups, issue('2'), { ...how, fits: () => false }))).toEqual(['Todo: 1 3', 'Done: ']);
    expect(ids(without(groups, '1'))).toEqual(['Todo: 2 3', 'Done: ']);
  });
  it('leaves what belongs behind the last page to that page', () => {
    const part = groups.map((g) => ({ ...g, cursor: 'more' }));
    expect(ids(place(part, issue('9', { priority: 4 }), how))).toEqual(['Todo: 1 2 3', 'Done: ']);
    expect(ids(place(part, issue('9', { priority: 1 }), how))).toEqual(['Todo: 1 9 2 3', 'Done: ']);
  });
  it('makes a group that is new', () => {
    const by = { ...how, by: 'assignee' as const };
    const lena = { id: 'u1', name: 'Lena Park', displayName: 'lena.park' };
    expect(ids(place([], issue('1', { assignee: lena }), by))).toEqual(['Lena Park: 1']);
  });
});

it('groups pages of a list that is in the order of its groups', () => {
  const first = append([], 'state', [issue('1'), issue('2', { state: done })], 'next');
  const all = append(first, 'state', [issue('3', { state: done })], null);
  expect(ids(all)).toEqual(['Todo: 1', 'Done: 2 3']);
  expect(first.map((g) => g.cursor)).toEqual([null, 'next']);
});

it('draws headings, issues and the place where more is read', () => {
  const groups = append([], 'state', [issue('1'), issue('2', { state: done })], 'next');
  expect(rowsOf(groups, new Set()).map((r) => r.kind)).toEqual(['group', 'issue', 'group', 'issue', 'more']);
  expect(rowsOf(groups, new Set(['s2'])).map((r) => r.kind)).toEqual(['group', 'issue', 'group']);
});

it('asks the API and an issue the same', () => {
  const search = { assignee: 'none', priority: '2', unknown: 'x' };
  expect(filterOf('ENG', chosen(search))).toEqual({
    team: { key: { eq: 'ENG' } },
    assignee: { null: true },
    priority: { eq: 2 },
  });
  expect(fits(issue('1'), chosen(search))).toBe(true);
  expect(fits(issue('1', { priority: 3 }), chosen(search))).toBe(false);
  expect(fixedGroups('project', {} as Options)).toBeUndefined();
});
