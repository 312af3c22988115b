// biome-ignore-all lint/a11y/useSemanticElements: the rows are those of a treegrid
// biome-ignore-all lint/a11y/useFocusableInteractive: the treegrid holds the focus
import { memo } from 'react';
import { Go } from '../ui/Go';
import { useTracker } from './context';
import { Priority, StateMark } from './marks';
import { type Issue, titleOfCycle } from './types';

/** The cells of an issue in a list. */
export const IssueRow = memo(function IssueRow({ issue }: { issue: Issue }) {
  return (
    <>
      <span role="gridcell" className="issue-marks">
        <Priority value={issue.priority} />
        <StateMark state={issue.state} />
      </span>
      <span role="gridcell" className="issue-title">
        <IssueLink issue={issue} tabIndex={-1} />
      </span>
      <span role="gridcell" className="issue-labels">
        <Labels issue={issue} />
      </span>
      <span role="gridcell" className="issue-aside">
        {issue.cycle && <span className="dimmed">{titleOfCycle(issue.cycle)}</span>}
        {issue.dueDate && <span className="dimmed">due {issue.dueDate}</span>}
      </span>
      <span role="gridcell" className="issue-who" title={issue.assignee?.name}>
        {issue.assignee?.name ?? <span className="dimmed">Nobody</span>}
      </span>
    </>
  );
});

/** A link to an issue, named by its identifier and title. */
export function IssueLink({ issue, tabIndex }: { issue: Pick<Issue, 'identifier' | 'title'>; tabIndex?: number }) {
  const { env } = useTracker();
  return (
    <Go
      href={`/e/${encodeURIComponent(env)}/tracker/issue/${issue.identifier}`}
      tabIndex={tabIndex}
      className="issue-link"
    >
      <span className="identifier">{issue.identifier}</span> <bdi>{issue.title}</bdi>
    </Go>
  );
}

export function Labels({ issue }: { issue: Pick<Issue, 'labels'> }) {
  return issue.labels.map((l) => (
    <span key={l.id} className="issue-label" title={l.name}>
      <i style={{ background: l.color }} /> <span>{l.name}</span>
    </span>
  ));
}
