import { Button, NativeSelect } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { ProblemText } from '../ui/ProblemText';
import { ask, objects, useDefinitions } from './api';
import { refusalOf } from './refusal';
import type { CrmRecord, RecordType } from './types';
import { ValueInput } from './ValueInput';
import { isWritable } from './values';

interface Props {
  env: string;
  type: RecordType;
  close: () => void;
}

/** A dialog that creates a record and opens it. */
export function CreateRecord({ env, type, close }: Props) {
  const definitions = useDefinitions(env, type.name).data ?? [];
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [fields, setFields] = useState(type.fields);
  const [values, setValues] = useState<Record<string, string>>({});
  const [refused, setRefused] = useState<ReturnType<typeof refusalOf>>();
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    const properties = Object.fromEntries(Object.entries(values).filter(([, v]) => v !== ''));
    ask<CrmRecord>(env, objects(type.name), { body: { properties } }).then(
      (made) => {
        close();
        void queries.invalidateQueries({ queryKey: ['crm', env, 'records', type.name] });
        void navigate({ to: `/e/${encodeURIComponent(env)}/crm/${type.name}/${made.id}` });
      },
      (e: Error) => setRefused(refusalOf(e)),
    );
  };
  const named = Object.keys(refused?.fields ?? {});
  const atFields = named.length > 0 && named.every((f) => fields.includes(f));
  const others = definitions
    .filter((d) => !d.hidden && isWritable(d) && !fields.includes(d.name))
    .sort((a, b) => a.label.localeCompare(b.label));
  return (
    <Dialog title="Create record" close={close}>
      <form onSubmit={submit}>
        <ProblemText>{atFields ? 'The service refused this, see below.' : refused?.text}</ProblemText>
        {fields.map((f, n) => {
          const d = definitions.find((x) => x.name === f);
          return (
            <ValueInput
              key={f}
              focus={n === 0}
              label={d?.label ?? f}
              definition={d}
              value={values[f] ?? ''}
              error={refused?.fields[f]}
              change={(v) => setValues((old) => ({ ...old, [f]: v }))}
            />
          );
        })}
        <NativeSelect
          mt="sm"
          aria-label="Add property"
          value=""
          onChange={(e) => setFields([...fields, e.currentTarget.value])}
          data={[{ value: '', label: 'Add property…' }, ...others.map((d) => ({ value: d.name, label: d.label }))]}
        />
        <div className="buttons">
          <Button type="submit">Create record</Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
