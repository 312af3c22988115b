import { Button, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ProblemText } from '../ui/ProblemText';
import { updateIssue } from './api';
import { useTracker } from './context';
import type { WholeIssue } from './issue';
import type { Issue } from './types';

interface Props {
  issue: WholeIssue;
  close: () => void;
  saved: (now: Issue, description: string) => void;
}

/** A dialog that changes the title and the description of an issue. */
export function EditIssue({ issue, close, saved }: Props) {
  const { env } = useTracker();
  const [title, setTitle] = useState(issue.title);
  const [description, setDescription] = useState(issue.description ?? '');
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    updateIssue(env, issue.id, { title, description }).then(
      (now) => saved(now, description),
      (e: Error) => setProblem(e.message),
    );
  };
  return (
    <form onSubmit={submit} className="edit-issue">
      <h1 id="heading">{issue.identifier}</h1>
      <ProblemText>{problem}</ProblemText>
      <TextInput autoFocus label="Title" value={title} onChange={(e) => setTitle(e.currentTarget.value)} />
      <Textarea
        label="Description (Markdown)"
        rows={10}
        value={description}
        onChange={(e) => setDescription(e.currentTarget.value)}
      />
      <div className="buttons">
        <Button type="submit" disabled={title.trim() === ''}>
          Save changes
        </Button>
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
