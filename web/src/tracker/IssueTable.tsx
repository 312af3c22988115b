import { useNavigate } from '@tanstack/react-router';
import { type Column, Table } from '../ui/Table';
import { useTracker } from './context';
import { IssueLink } from './IssueRow';
import { Priority, StateMark } from './marks';
import type { Issue } from './types';

const columns: Column<Issue>[] = [
  { key: 'priority', title: 'Priority', width: 60, cell: (i) => <Priority value={i.priority} /> },
  {
    key: 'title',
    title: 'Issue',
    width: 200,
    grow: 1,
    cell: (i) => (
      <span className="cut">
        <IssueLink issue={i} tabIndex={-1} />
      </span>
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 130,
    cell: (i) => (
      <>
        <StateMark state={i.state} /> {i.state.name}
      </>
    ),
  },
  {
    key: 'who',
    title: 'Assignee',
    width: 130,
    cell: (i) => <span className="cut">{i.assignee?.name ?? 'Nobody'}</span>,
  },
];

/** The issues of a project or a cycle. */
export function IssueTable({ issues }: { issues: Issue[] | undefined }) {
  const { env } = useTracker();
  const navigate = useNavigate();
  return (
    <Table
      label="Issues"
      columns={columns}
      rows={issues}
      id={(i) => i.id}
      open={(i) => void navigate({ to: `/e/${encodeURIComponent(env)}/tracker/issue/${i.identifier}` })}
      empty={<p className="dimmed">No issues are here.</p>}
    />
  );
}
