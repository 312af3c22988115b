import { Button, NativeSelect, Skeleton } from '@mantine/core';
import { type FormEvent, lazy, Suspense, useState } from 'react';
import { adminCall } from '../../app/admin';
import { Dialog } from '../../ui/Dialog';
import { ProblemText } from '../../ui/ProblemText';
import { pathOf } from '../api';
import { useChange } from '../environments/change';
import { examples } from './words';

const Editor = lazy(() => import('../../ui/Editor'));

const begin = (name: string): string => JSON.stringify(examples[name], null, 2);

/** A dialog that adds a fault rule. */
export function AddFault({ env, close }: { env: string; close: () => void }) {
  const change = useChange();
  const [text, setText] = useState(begin(Object.keys(examples)[0] ?? ''));
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    let rule: unknown;
    try {
      rule = JSON.parse(text);
    } catch (wrong) {
      setProblem((wrong as Error).message);
      return;
    }
    adminCall<{ id?: string }>(pathOf(env, '/faults'), { body: rule }).then(
      (made) => {
        close();
        change(async () => undefined, made.id ? `${made.id} was added.` : 'The rules were added.');
      },
      (refused: Error) => setProblem(refused.message),
    );
  };
  return (
    <Dialog title="Add fault" close={close} size="lg">
      <form onSubmit={submit}>
        <NativeSelect
          label="Begin with"
          data={Object.keys(examples)}
          onChange={(e) => setText(begin(e.currentTarget.value))}
        />
        <p className="field-name">
          Rule <span className="dimmed">JSON; several as {'{"faults": […]}'}</span>
        </p>
        <Suspense fallback={<Skeleton h={240} />}>
          <Editor label="Rule" language="json" value={text} change={setText} />
        </Suspense>
        <ProblemText>{problem}</ProblemText>
        <Button type="submit" mt="sm">
          Add
        </Button>
      </form>
    </Dialog>
  );
}
