import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ApiError, send } from '../../api/http';
import { Dialog } from '../../ui/Dialog';
import type { Problem } from '../document';
import { bodyOf, Fields, NameInput, nothing, problemsOf } from './Fields';
import { MadeDialog } from './Made';
import { useMake } from './useMake';

/** Creates an environment and shows its credentials. */
export function CreateDialog({ close }: { close: () => void }) {
  const config = useQuery({
    queryKey: ['config'],
    queryFn: () => send<{ fixtures: string[] }>('/ui/config.json'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [typed, setTyped] = useState(nothing);
  const [fixture, setFixture] = useState('');
  const [document, setDocument] = useState('');
  const { make, busy, refused, made } = useMake('/environments');
  const wrong = Object.keys(problemsOf(typed)).length > 0;
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    make({ ...bodyOf(typed), ...(fixture && { fixture }), ...(document.trim() && { document }) });
  };
  if (made) {
    return <MadeDialog all={made} close={close} />;
  }
  const problems = (refused instanceof ApiError && (refused.details.problems as Problem[] | undefined)) || [];
  return (
    <Dialog title="Create environment" close={close} size="lg">
      <form onSubmit={submit}>
        <div className="form-grid">
          <NameInput typed={typed} change={setTyped} />
          <NativeSelect
            label="Fixture"
            description="What it begins with."
            data={[{ value: '', label: 'nothing' }, ...(config.data?.fixtures ?? [])]}
            value={fixture}
            onChange={(e) => setFixture(e.currentTarget.value)}
          />
        </div>
        <Fields typed={typed} change={setTyped} />
        <Textarea
          label="Seed document"
          description="YAML or JSON; it is applied after the fixture."
          className="code-box"
          rows={5}
          spellCheck={false}
          value={document}
          onChange={(e) => setDocument(e.currentTarget.value)}
        />
        {refused && (
          <div role="alert" className="problem">
            {problems.length === 0 && refused.message}
            {problems.slice(0, 20).map((p) => (
              <div key={`${p.line} ${p.field} ${p.message}`}>
                line {p.line}, {p.field}: {p.message}
              </div>
            ))}
          </div>
        )}
        <Button type="submit" mt="sm" loading={busy} disabled={wrong}>
          Create
        </Button>
      </form>
    </Dialog>
  );
}
