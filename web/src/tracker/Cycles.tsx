import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Found, Page } from '../ui/Page';
import { Stamp } from '../ui/Stamp';
import { type Column, Table } from '../ui/Table';
import { ask, page } from './api';
import { useTracker } from './context';
import { type Page as Pages, titleOfCycle } from './types';

interface Cycle {
  id: string;
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
  progress: number;
  isActive: boolean;
  isPast: boolean;
}

/** The cycles of a team, newest first, each with a link to its issues. */
export function Cycles() {
  const { env, overview } = useTracker();
  const { team = '' } = useParams({ strict: false }) as { team?: string };
  const navigate = useNavigate();
  const found = useInfiniteQuery({
    queryKey: ['tracker', env, 'cycles', team],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      ask<{ team: { cycles: Pages<Cycle> } }>(
        env,
        `query ($team: String!, $after: String) { team(id: $team) { cycles(first: 100, after: $after) {
          nodes { id number name startsAt endsAt progress isActive isPast } ${page} } } }`,
        { team, after: pageParam },
      ).then((r) => r.team.cycles),
    getNextPageParam: (last) => (last.pageInfo.hasNextPage ? last.pageInfo.endCursor : undefined),
  });
  const rows = found.data?.pages.flatMap((p) => p.nodes).sort((a, b) => b.number - a.number);
  const to = `/e/${encodeURIComponent(env)}/tracker/${team}/list`;
  const columns: Column<Cycle>[] = [
    {
      key: 'name',
      title: 'Cycle',
      width: 160,
      grow: 1,
      cell: (c) => (
        <Link to={to} search={{ cycle: String(c.number) } as never} tabIndex={-1} className="cut">
          {titleOfCycle(c)}
        </Link>
      ),
    },
    { key: 'when', title: 'State', width: 90, cell: (c) => (c.isActive ? 'running' : c.isPast ? 'over' : 'planned') },
    { key: 'progress', title: 'Done', width: 70, number: true, cell: (c) => `${Math.round(c.progress * 100)} %` },
    { key: 'start', title: 'Start', width: 130, cell: (c) => <Stamp at={c.startsAt} /> },
    { key: 'end', title: 'End', width: 130, cell: (c) => <Stamp at={c.endsAt} /> },
  ];
  const name = overview.teams.nodes.find((t) => t.key === team)?.name ?? team;
  return (
    <Page title={`${name}: cycles`} env={env}>
      <Found found={found}>
        <Table
          label="Cycles"
          columns={columns}
          rows={rows}
          id={(c) => c.id}
          open={(c) => void navigate({ to, search: { cycle: String(c.number) } as never })}
          more={found.hasNextPage && !found.isFetchingNextPage ? () => void found.fetchNextPage() : undefined}
          empty={<p className="dimmed">This team plans no cycles. Its setting cyclesEnabled makes them.</p>}
        />
      </Found>
    </Page>
  );
}
