import { Button, NativeSelect } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Dialog } from '../ui/Dialog';
import { type Filter, operators, operatorsOf } from './filters';
import type { Definition } from './types';
import { ValueInput } from './ValueInput';

interface Props {
  definitions: Definition[];
  add: (f: Filter) => void;
  close: () => void;
}

/** A dialog that adds a condition: a property, an operator and values. */
export function AddFilter({ definitions, add, close }: Props) {
  const list = definitions.filter((d) => !d.hidden).sort((a, b) => a.label.localeCompare(b.label));
  const [property, setProperty] = useState(list[0]?.name ?? '');
  const [operator, setOperator] = useState('EQ');
  const [values, setValues] = useState(['', '']);
  const d = definitions.find((x) => x.name === property);
  const needs = operators[operator]?.values ?? 1;
  const given =
    needs === 'many'
      ? (values[0] ?? '')
          .split(/[,;\n]/)
          .map((v) => v.trim())
          .filter((v) => v !== '')
      : values.slice(0, needs).map((v) => v.trim());
  const ready = needs === 0 || (given.length > 0 && given.every((v) => v !== ''));
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    add([property, operator, ...(needs === 0 ? [] : given)]);
    close();
  };
  const set = (n: number) => (v: string) => setValues((old) => old.map((x, m) => (m === n ? v : x)));
  return (
    <Dialog title="Add filter" close={close}>
      <form onSubmit={submit}>
        <NativeSelect
          data-autofocus
          label="Property"
          value={property}
          onChange={(e) => {
            const next = definitions.find((x) => x.name === e.currentTarget.value);
            setProperty(e.currentTarget.value);
            setValues(['', '']);
            if (!operatorsOf(next).includes(operator)) {
              setOperator('EQ');
            }
          }}
          data={list.map((x) => ({ value: x.name, label: `${x.label} (${x.name})` }))}
        />
        <NativeSelect
          label="Operator"
          value={operator}
          onChange={(e) => setOperator(e.currentTarget.value)}
          data={operatorsOf(d).map((o) => ({ value: o, label: operators[o]?.label ?? o }))}
        />
        {needs !== 0 && (
          <ValueInput
            label={needs === 'many' ? 'Values, separated by commas' : needs === 2 ? 'From' : 'Value'}
            definition={needs === 'many' ? undefined : d}
            value={values[0] ?? ''}
            change={set(0)}
          />
        )}
        {needs === 2 && <ValueInput label="To" definition={d} value={values[1] ?? ''} change={set(1)} />}
        <div className="buttons">
          <Button type="submit" disabled={!ready || property === ''}>
            Apply
          </Button>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
