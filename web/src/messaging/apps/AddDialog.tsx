import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../app/identity';
import { Dialog } from '../../ui/Dialog';
import { ProblemText } from '../../ui/ProblemText';
import { useMessaging } from '../context';
import type { Item, Kind } from './kinds';

interface Props {
  kind: Kind;
  added: (made: Item) => void;
  close: () => void;
}

/** A dialog that adds a webhook, a subscription or a command. */
export function AddDialog({ kind, added, close }: Props) {
  const { env } = useMessaging();
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    setBusy(true);
    setProblem('');
    const body: Record<string, unknown> = {};
    for (const f of kind.fields) {
      const text = (values[f.name] ?? '').trim();
      if (text !== '') {
        body[f.name] = f.list ? text.split(/[\s,]+/) : text;
      }
    }
    call<Item>(env, kind.create, { body })
      .then(added, (e: Error) => setProblem(e.message))
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={kind.add} close={close}>
      <form onSubmit={submit}>
        {kind.fields.map((f, n) => (
          <TextInput
            key={f.name}
            mt="xs"
            label={f.label}
            description={f.hint}
            required={f.required}
            withAsterisk={false}
            data-autofocus={n === 0 || undefined}
            value={values[f.name] ?? ''}
            onChange={(e) => setValues({ ...values, [f.name]: e.currentTarget.value })}
          />
        ))}
        <ProblemText>{problem}</ProblemText>
        <Button type="submit" mt="md" loading={busy}>
          {kind.add}
        </Button>
      </form>
    </Dialog>
  );
}
