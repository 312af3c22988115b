import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { ProblemText } from '../ui/ProblemText';
import { createIssue } from './api';
import { useTracker } from './context';
import { useOptions } from './issues';
import { priorities } from './types';

interface Props {
  preset: { team?: string; stateId?: string; parentId?: string };
  close: () => void;
}

/** A dialog that creates an issue and opens it. */
export function CreateIssue({ preset, close }: Props) {
  const { env, overview } = useTracker();
  const here = useParams({ strict: false }) as { team?: string };
  const navigate = useNavigate();
  const teams = overview.teams.nodes;
  const [team, setTeam] = useState(preset.team ?? here.team ?? teams[0]?.key ?? '');
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [stateId, setState] = useState(preset.stateId ?? '');
  const [priority, setPriority] = useState('0');
  const [assigneeId, setAssignee] = useState('');
  const [problem, setProblem] = useState('');
  const options = useOptions(env, team).data;
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    const teamId = teams.find((t) => t.key === team)?.id;
    const input = {
      teamId,
      title,
      description: description || undefined,
      stateId: stateId || undefined,
      priority: Number(priority),
      assigneeId: assigneeId || undefined,
      parentId: preset.parentId,
    };
    createIssue(env, input).then(
      (made) => {
        close();
        void navigate({ to: `/e/${encodeURIComponent(env)}/tracker/issue/${made.identifier}` });
      },
      (e: Error) => setProblem(e.message),
    );
  };
  return (
    <Dialog title={preset.parentId ? 'Add sub-issue' : 'Create issue'} close={close} size="lg">
      <form onSubmit={submit}>
        <ProblemText>{problem}</ProblemText>
        <TextInput data-autofocus label="Title" value={title} onChange={(e) => setTitle(e.currentTarget.value)} />
        <Textarea
          label="Description (Markdown)"
          rows={5}
          value={description}
          onChange={(e) => setDescription(e.currentTarget.value)}
        />
        <NativeSelect
          label="Team"
          value={team}
          onChange={(e) => {
            setTeam(e.currentTarget.value);
            setState('');
            setAssignee('');
          }}
          data={teams.map((t) => ({ value: t.key, label: t.name }))}
        />
        <NativeSelect
          label="State"
          value={stateId}
          onChange={(e) => setState(e.currentTarget.value)}
          data={[
            { value: '', label: 'The first of the team' },
            ...(options?.states ?? []).map((s) => ({ value: s.id, label: s.name })),
          ]}
        />
        <NativeSelect
          label="Priority"
          value={priority}
          onChange={(e) => setPriority(e.currentTarget.value)}
          data={priorities.map((label, n) => ({ value: String(n), label }))}
        />
        <NativeSelect
          label="Assignee"
          value={assigneeId}
          onChange={(e) => setAssignee(e.currentTarget.value)}
          data={[
            { value: '', label: 'Nobody' },
            ...(options?.members ?? []).map((m) => ({ value: m.id, label: m.name })),
          ]}
        />
        <div className="buttons">
          <Button type="submit" disabled={title.trim() === ''}>
            Create issue
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
