import { Button, Skeleton } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { ShowCause } from '../app/ShowCause';
import { useToasts } from '../app/Toasts';
import { useTitle } from '../app/title';
import { Page, Refused } from '../ui/Page';
import { Stamp } from '../ui/Stamp';
import { isMissing, updateIssue } from './api';
import { Comments } from './Comments';
import { useLive, useTracker } from './context';
import { EditIssue } from './EditIssue';
import { issueOf } from './events';
import { Facts } from './Facts';
import { IssueLink } from './IssueRow';
import { type Comment, readIssue, type WholeIssue, withComment } from './issue';
import { useOptions } from './issues';
import { StateMark } from './marks';
import type { Issue } from './types';

const Markdown = lazy(() => import('../ui/Markdown'));

/** One issue: description, fields, sub-issues and comments. */
export function IssuePage() {
  const { env } = useTracker();
  const { identifier = '' } = useParams({ strict: false }) as { identifier?: string };
  const queries = useQueryClient();
  const key = useMemo(() => ['tracker', env, 'issue', identifier.toUpperCase()], [env, identifier]);
  const found = useQuery({ queryKey: key, queryFn: () => readIssue(env, identifier) });
  const set = useCallback(
    (change: (old: WholeIssue) => WholeIssue) => queries.setQueryData<WholeIssue>(key, (old) => old && change(old)),
    [queries, key],
  );
  const id = found.data?.id;
  useLive(
    useCallback(
      (e) => {
        if (e === 'again') {
          void queries.invalidateQueries({ queryKey: key });
        } else if (e.type === 'Issue' && (e.data.id === id || e.data.parentId === id)) {
          void queries.invalidateQueries({ queryKey: key });
        } else if (e.type === 'Issue') {
          const changed = issueOf(e.data);
          set((old) => ({ ...old, children: old.children.map((c) => (c.id === changed.id ? changed : c)) }));
        } else if (e.type === 'Comment' && e.data.issueId === id) {
          if (e.action === 'remove') {
            set((old) => ({ ...old, comments: old.comments.filter((c) => c.id !== e.data.id) }));
          } else {
            const d = e.data as unknown as Comment & { parentId?: string };
            set((old) =>
              withComment(old, {
                ...d,
                editedAt: d.editedAt ?? null,
                user: d.user ?? null,
                parent: d.parentId ? { id: d.parentId } : null,
              }),
            );
          }
        }
      },
      [queries, key, id, set],
    ),
  );
  if (found.error) {
    return (
      <Page title={isMissing(found.error) ? `There is no issue ${identifier}` : 'Issue'} env={env}>
        <Refused error={found.error} again={() => void found.refetch()} />
      </Page>
    );
  }
  if (!found.data) {
    return (
      <main id="main" className="page">
        <Skeleton h={200} />
      </main>
    );
  }
  return <Shown issue={found.data} set={set} reload={() => void found.refetch()} />;
}

interface ShownProps {
  issue: WholeIssue;
  set: (change: (old: WholeIssue) => WholeIssue) => void;
  reload: () => void;
}

function Shown({ issue, set, reload }: ShownProps) {
  const { env, create } = useTracker();
  const toasts = useToasts();
  const options = useOptions(env, issue.team.key);
  const [editing, setEditing] = useState(false);
  useTitle(`${issue.identifier} ${issue.title}`, env);
  const latest = useRef(0); // number of the last change
  const change = async (shown: Partial<Issue>, input: object): Promise<void> => {
    const own = ++latest.current;
    set((old) => ({ ...old, ...shown }));
    try {
      const now = await updateIssue(env, issue.id, input);
      // The reply to an earlier change does not contain the last one.
      if (own === latest.current) {
        set((old) => ({ ...old, ...now }));
      }
    } catch (e) {
      reload();
      toasts.failed(e);
    }
  };
  const done = issue.children.filter((c) => c.state.type === 'completed' || c.state.type === 'canceled').length;
  return (
    <main id="main" className="page issue" tabIndex={-1} aria-labelledby="heading" data-region>
      <p className="way">
        <Link to={`/e/${encodeURIComponent(env)}/tracker/${issue.team.key}/list`}>{issue.team.name}</Link>
        {issue.parent && (
          <>
            {' '}
            › part of <IssueLink issue={issue.parent} />
          </>
        )}
      </p>
      {editing ? (
        <EditIssue
          issue={issue}
          close={() => setEditing(false)}
          saved={(now, description) => {
            set((old) => ({ ...old, ...now, description }));
            setEditing(false);
          }}
        />
      ) : (
        <div className="issue-head">
          <h1 id="heading">
            <span className="identifier">{issue.identifier}</span> <bdi>{issue.title}</bdi>
          </h1>
          <div className="buttons">
            <Button size="compact-sm" variant="default" onClick={() => setEditing(true)}>
              Edit
            </Button>
            <ShowCause env={env} service="tracker" entity="issue" id={issue.id} />
          </div>
        </div>
      )}
      {issue.archivedAt && (
        <p className="dimmed">
          Archived on <Stamp at={issue.archivedAt} />.
        </p>
      )}
      <div className="issue-columns">
        <div className="issue-main">
          {!editing &&
            (issue.description ? (
              <Suspense fallback={<Skeleton h={60} />}>
                <Markdown text={issue.description} />
              </Suspense>
            ) : (
              <p className="dimmed">No description.</p>
            ))}
          <section aria-label="Sub-issues">
            <h2>
              Sub-issues
              {issue.children.length > 0 && (
                <span className="dimmed">
                  {' '}
                  {done} of {issue.children.length}
                  {issue.moreChildren && '+'} closed
                </span>
              )}
            </h2>
            <ul className="sub-issues">
              {issue.children.map((c) => (
                <li key={c.id}>
                  <StateMark state={c.state} /> <IssueLink issue={c} />
                </li>
              ))}
            </ul>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => create({ team: issue.team.key, parentId: issue.id })}
            >
              Add sub-issue
            </Button>
          </section>
          <Comments issue={issue} set={set} />
        </div>
        <Facts issue={issue} options={options.data} change={change} />
      </div>
    </main>
  );
}
