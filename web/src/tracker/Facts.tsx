import { Button, NativeSelect, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Stamp } from '../ui/Stamp';
import { useTracker } from './context';
import { Labels } from './IssueRow';
import type { WholeIssue } from './issue';
import { type Issue, type Options, priorities, titleOfCycle } from './types';

interface Props {
  issue: WholeIssue;
  options?: Options;
  change: (shown: Partial<Issue>, input: object) => Promise<void>;
}

interface Choice<T> {
  value: string;
  label: string;
  of: T;
}

/** Returns the options of a field, including its current value if it is not among them. */
function choices<T extends { id: string }>(list: T[] | undefined, has: T | null, label: (x: T) => string): Choice<T>[] {
  const all = list ?? [];
  const missing = has && !all.some((x) => x.id === has.id) ? [has] : [];
  return [...missing, ...all].map((of) => ({ value: of.id, label: label(of), of }));
}

/** The fields of an issue. A selection is saved immediately. */
export function Facts({ issue, options, change }: Props) {
  const { env } = useTracker();
  const states = choices(options?.states, issue.state as Options['states'][number], (s) => s.name);
  const members = choices(options?.members, issue.assignee, (m) => m.name);
  const projects = choices(options?.projects, issue.project, (p) => p.name);
  const cycles = choices(options?.cycles, issue.cycle, titleOfCycle);
  const find = <T,>(list: Choice<T>[], value: string): T | null => list.find((c) => c.value === value)?.of ?? null;
  const others = (options?.labels ?? []).filter((l) => !issue.labels.some((x) => x.id === l.id));
  return (
    <section aria-label="Fields" className="issue-facts">
      <NativeSelect
        label="State"
        data={states.map(({ value, label }) => ({ value, label }))}
        value={issue.state.id}
        onChange={(e) => {
          const state = find(states, e.currentTarget.value);
          if (state) {
            void change({ state }, { stateId: state.id });
          }
        }}
      />
      <NativeSelect
        label="Priority"
        data={priorities.map((label, n) => ({ value: String(n), label }))}
        value={String(issue.priority)}
        onChange={(e) => {
          const priority = Number(e.currentTarget.value);
          void change({ priority }, { priority });
        }}
      />
      <NativeSelect
        label="Assignee"
        data={[{ value: '', label: 'Nobody' }, ...members.map(({ value, label }) => ({ value, label }))]}
        value={issue.assignee?.id ?? ''}
        onChange={(e) => {
          const assignee = find(members, e.currentTarget.value);
          void change({ assignee }, { assigneeId: assignee?.id ?? null });
        }}
      />
      <fieldset>
        <legend className="field-name">Labels</legend>
        <div className="chips">
          {issue.labels.length === 0 && <span className="dimmed">None</span>}
          {issue.labels.map((l) => (
            <Button
              key={l.id}
              size="compact-sm"
              variant="default"
              aria-label={`Remove label ${l.name}`}
              onClick={() =>
                void change({ labels: issue.labels.filter((x) => x.id !== l.id) }, { removedLabelIds: [l.id] })
              }
            >
              <Labels issue={{ labels: [l] }} /> <X size={12} />
            </Button>
          ))}
        </div>
        <NativeSelect
          aria-label="Add label"
          value=""
          data={[{ value: '', label: 'Add label…' }, ...others.map((l) => ({ value: l.id, label: l.name }))]}
          onChange={(e) => {
            const label = others.find((l) => l.id === e.currentTarget.value);
            if (label) {
              void change({ labels: [...issue.labels, label] }, { addedLabelIds: [label.id] });
            }
          }}
        />
      </fieldset>
      <NativeSelect
        label="Project"
        data={[{ value: '', label: 'No project' }, ...projects.map(({ value, label }) => ({ value, label }))]}
        value={issue.project?.id ?? ''}
        onChange={(e) => {
          const project = find(projects, e.currentTarget.value);
          void change({ project }, { projectId: project?.id ?? null });
        }}
      />
      {issue.project && (
        <Link to={`/e/${encodeURIComponent(env)}/tracker/projects/${issue.project.id}`}>Open the project</Link>
      )}
      <NativeSelect
        label="Cycle"
        data={[{ value: '', label: 'No cycle' }, ...cycles.map(({ value, label }) => ({ value, label }))]}
        value={issue.cycle?.id ?? ''}
        onChange={(e) => {
          const cycle = find(cycles, e.currentTarget.value);
          void change({ cycle }, { cycleId: cycle?.id ?? null });
        }}
      />
      <TextInput
        label="Due date"
        type="date"
        value={issue.dueDate ?? ''}
        onChange={(e) => {
          const dueDate = e.currentTarget.value || null;
          void change({ dueDate }, { dueDate });
        }}
      />
      <dl className="facts">
        <dt>Estimate</dt>
        <dd>{issue.estimate ?? '–'}</dd>
        <dt>Created</dt>
        <dd>
          <Stamp at={issue.createdAt} />
          {issue.creator && ` by ${issue.creator.name}`}
        </dd>
        <dt>Changed</dt>
        <dd>
          <Stamp at={issue.updatedAt} />
        </dd>
      </dl>
    </section>
  );
}
