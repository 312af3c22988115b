import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { Search } from '../app/address';
import { useToasts } from '../app/Toasts';
import { ask, fromWire, issueFields, page, readOptions, updateIssue, type WireIssue } from './api';
import { useLive } from './context';
import { issueOf } from './events';
import { chosen, filterOf, fits, type Grouping, sortOf } from './filters';
import { append, fixedGroups, type Group, groupSorts, place, without } from './groups';
import type { Issue, Options, Page } from './types';

/** The page size of a group. */
const pageSize = 50;

/** The most issues of one query, because the cost of a query is limited. */
const mostAtOnce = 400;

type Wire = Page<WireIssue>;

const connection = `nodes { ${issueFields} } ${page}`;

/** Returns the options of a team. They are cached for a while. */
export const useOptions = (env: string, team: string) =>
  useQuery({
    queryKey: ['tracker', env, 'options', team],
    queryFn: () => readOptions(env, team),
    staleTime: 60_000,
    enabled: team !== '',
  });

/** Reads the first page of each group of a team in one call. */
async function readGroups(env: string, options: Options, by: Grouping, search: Search): Promise<Group[]> {
  const filter = filterOf(options.team.key, chosen(search));
  const sort = [sortOf(search).sort];
  const fixed = fixedGroups(by, options);
  if (!fixed) {
    const extra = groupSorts[by];
    const r = await ask<{ issues: Wire }>(
      env,
      `query ($filter: IssueFilter, $sort: [IssueSortInput!]) { issues(first: ${pageSize * 2}, filter: $filter, sort: $sort) { ${connection} } }`,
      { filter, sort: extra ? [extra, ...sort] : sort },
    );
    return append([], by, r.issues.nodes.map(fromWire), nextOf(r.issues));
  }
  const names = fixed.map((_, n) => `$f${n}: IssueFilter`).join(', ');
  const first = Math.max(1, Math.min(pageSize, Math.floor(mostAtOnce / fixed.length)));
  const fields = fixed.map((_, n) => `g${n}: issues(first: ${first}, filter: $f${n}, sort: $sort) { ${connection} }`);
  const variables = Object.fromEntries(fixed.map((g, n) => [`f${n}`, { and: [filter, g.filter] }]));
  const r = await ask<Record<string, Wire>>(
    env,
    `query ($sort: [IssueSortInput!], ${names}) { ${fields.join('\n')} }`,
    {
      sort,
      ...variables,
    },
  );
  return fixed.map((g, n) => {
    const found = r[`g${n}`] as Wire;
    return { key: g.key, title: g.title, issues: found.nodes.map(fromWire), cursor: nextOf(found) };
  });
}

const nextOf = (p: Wire): string | null => (p.pageInfo.hasNextPage ? p.pageInfo.endCursor : null);

/** Returns the loaded issues of a team, by group, updated by live events. */
export function useIssues(env: string, options: Options | undefined, by: Grouping, search: Search) {
  const queries = useQueryClient();
  const toasts = useToasts();
  const team = options?.team.key ?? '';
  const filters = chosen(search);
  const text = JSON.stringify([by, filters, search.sort ?? '']);
  const key = useMemo(() => ['tracker', env, 'issues', team, text], [env, team, text]);
  const found = useQuery({
    queryKey: key,
    queryFn: () => readGroups(env, options as Options, by, search),
    enabled: options !== undefined,
    staleTime: Number.POSITIVE_INFINITY, // updated by live events
    gcTime: 0,
  });
  const set = useCallback(
    (change: (old: Group[]) => Group[]) => queries.setQueryData<Group[]>(key, (old) => old && change(old)),
    [queries, key],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the filters
  const how = useMemo(() => ({ by, compare: sortOf(search).compare, fits: (i: Issue) => fits(i, filters) }), [text]);
  const put = useCallback((issue: Issue) => set((old) => place(old, issue, how)), [set, how]);

  useLive(
    useCallback(
      (e) => {
        if (e === 'again') {
          void queries.invalidateQueries({ queryKey: key });
        } else if (e.type === 'Issue') {
          const at = (e.data.team as { key?: string } | undefined)?.key;
          const gone =
            e.action === 'remove' || e.data.archivedAt || e.data.trashed || (at !== undefined && at !== team);
          if (gone) {
            set((old) => without(old, e.data.id));
          } else {
            put(issueOf(e.data));
          }
        }
      },
      [queries, key, team, set, put],
    ),
  );

  const reading = useRef(new Set<string>());
  useEffect(() => {
    reading.current = new Set();
    void text;
  }, [text]);
  const more = useCallback(
    async (group: Group): Promise<void> => {
      if (group.cursor === null || reading.current.has(group.key)) {
        return;
      }
      const now = reading.current;
      now.add(group.key);
      const fixed = options && fixedGroups(by, options)?.find((g) => g.key === group.key);
      const filter = filterOf(team, filters);
      const extra = groupSorts[by];
      const sort = sortOf(search).sort;
      try {
        const r = await ask<{ issues: Wire }>(
          env,
          `query ($filter: IssueFilter, $sort: [IssueSortInput!], $after: String) {
            issues(first: ${pageSize * 2}, after: $after, filter: $filter, sort: $sort) { ${connection} } }`,
          {
            filter: fixed ? { and: [filter, fixed.filter] } : filter,
            sort: extra ? [extra, sort] : [sort],
            after: group.cursor,
          },
        );
        const issues = r.issues.nodes.map(fromWire);
        const cursor = nextOf(r.issues);
        set((old) => {
          const known = new Set(old.flatMap((g) => g.issues.map((i) => i.id)));
          const fresh = issues.filter((i) => !known.has(i.id));
          return fixed
            ? old.map((g) => (g.key === group.key ? { ...g, issues: [...g.issues, ...fresh], cursor } : g))
            : append(old, by, fresh, cursor);
        });
      } catch (e) {
        toasts.failed(e, () => void more(group));
      } finally {
        now.delete(group.key);
      }
    },
    [env, options, by, team, filters, search, set, toasts],
  );

  /** Changes an issue optimistically, and reverts the change if the service refuses it. */
  const change = useCallback(
    async (issue: Issue, shown: Partial<Issue>, input: object): Promise<void> => {
      put({ ...issue, ...shown });
      try {
        put(await updateIssue(env, issue.id, input));
      } catch (e) {
        put(issue);
        toasts.failed(e);
      }
    },
    [env, put, toasts],
  );
  return { ...found, groups: found.data ?? [], more, change, put };
}
