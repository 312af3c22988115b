import { Skeleton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { Found, Page, Refused } from '../ui/Page';
import { type Column, Table } from '../ui/Table';
import { ask, fromWire, isMissing, issueFields, page, type WireIssue } from './api';
import { useTracker } from './context';
import { IssueTable } from './IssueTable';
import type { Page as Pages, Team, User } from './types';

const Markdown = lazy(() => import('../ui/Markdown'));

interface Project {
  id: string;
  name: string;
  description: string;
  progress: number;
  status: { name: string };
  lead: User | null;
  startDate: string | null;
  targetDate: string | null;
  teams: { nodes: Pick<Team, 'key' | 'name'>[] };
}

const fields = `id name description progress status { name } lead { id name displayName } startDate targetDate
  teams(first: 10) { nodes { key name } }`;

const percent = (n: number): string => `${Math.round(n * 100)} %`;

/** All projects of the organization. */
export function Projects() {
  const { env } = useTracker();
  const navigate = useNavigate();
  const found = useInfiniteQuery({
    queryKey: ['tracker', env, 'projects'],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      ask<{ projects: Pages<Project> }>(
        env,
        `query ($after: String) { projects(first: 100, after: $after) { nodes { ${fields} } ${page} } }`,
        { after: pageParam },
      ).then((r) => r.projects),
    getNextPageParam: (last) => (last.pageInfo.hasNextPage ? last.pageInfo.endCursor : undefined),
  });
  const hrefOf = (p: Project): string => `/e/${encodeURIComponent(env)}/tracker/projects/${p.id}`;
  const columns: Column<Project>[] = [
    {
      key: 'name',
      title: 'Name',
      width: 200,
      grow: 2,
      cell: (p) => (
        <Link to={hrefOf(p)} tabIndex={-1} className="cut">
          <bdi>{p.name}</bdi>
        </Link>
      ),
    },
    { key: 'status', title: 'Status', width: 110, cell: (p) => <span className="cut">{p.status.name}</span> },
    { key: 'progress', title: 'Done', width: 60, number: true, cell: (p) => percent(p.progress) },
    { key: 'lead', title: 'Lead', width: 130, cell: (p) => <span className="cut">{p.lead?.name ?? '–'}</span> },
    {
      key: 'teams',
      title: 'Teams',
      width: 140,
      grow: 1,
      cell: (p) => <span className="cut">{p.teams.nodes.map((t) => t.name).join(', ')}</span>,
    },
    { key: 'start', title: 'Start', width: 90, cell: (p) => p.startDate ?? '–' },
    { key: 'target', title: 'Target', width: 90, cell: (p) => p.targetDate ?? '–' },
  ];
  return (
    <Page title="Projects" env={env}>
      <Found found={found}>
        <Table
          label="Projects"
          columns={columns}
          rows={found.data?.pages.flatMap((p) => p.nodes)}
          id={(p) => p.id}
          open={(p) => void navigate({ to: hrefOf(p) })}
          more={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : undefined}
          empty={
            <p className="dimmed">
              There are no projects. The mutation projectCreate of the GraphQL console makes one.
            </p>
          }
        />
      </Found>
    </Page>
  );
}

/** A project: its description and issues. */
export function ProjectPage() {
  const { env } = useTracker();
  const { project: id = '' } = useParams({ strict: false }) as { project?: string };
  const found = useQuery({
    queryKey: ['tracker', env, 'project', id],
    queryFn: () =>
      ask<{ project: Project & { content: string | null; issues: Pages<WireIssue> } }>(
        env,
        `query ($id: String!) { project(id: $id) { ${fields} content
          issues(first: 100) { nodes { ${issueFields} } ${page} } } }`,
        { id },
      ).then((r) => r.project),
  });
  const p = found.data;
  const issues = useMemo(() => p?.issues.nodes.map(fromWire), [p]);
  if (found.error || !p) {
    return (
      <Page title={isMissing(found.error) ? 'There is no such project' : 'Project'} env={env}>
        {found.error ? <Refused error={found.error} again={() => void found.refetch()} /> : <Skeleton h={200} />}
      </Page>
    );
  }
  return (
    <Page title={p.name} env={env}>
      <p className="way">
        <Link to={`/e/${encodeURIComponent(env)}/tracker/projects`}>Projects</Link>{' '}
        <span className="dimmed">
          {p.status.name}, {percent(p.progress)} done{p.lead && `, led by ${p.lead.name}`}
          {p.targetDate && `, due ${p.targetDate}`}
        </span>
      </p>
      <Suspense>{(p.content || p.description) && <Markdown text={p.content || p.description} />}</Suspense>
      <h2>Issues</h2>
      <IssueTable issues={issues} />
      {p.issues.pageInfo.hasNextPage && (
        <p>
          The first 100 are shown. All of a team:{' '}
          {p.teams.nodes.map((t) => (
            <Link
              key={t.key}
              to={`/e/${encodeURIComponent(env)}/tracker/${t.key}/list`}
              search={{ project: p.name } as never}
            >
              {t.name}{' '}
            </Link>
          ))}
        </p>
      )}
    </Page>
  );
}
