import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { ownerName, useOwners } from './api';
import type { Definition } from './types';

interface Props {
  label: string;
  definition?: Definition;
  value: string;
  change: (value: string) => void;
  focus?: boolean;
  error?: string;
}

/** An input for a property's value: a list of options if it has some. */
export function ValueInput({ label, definition: d, value, change, focus, error }: Props) {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const owners = useOwners(env).data ?? [];
  const shared = { label, value, error, autoFocus: focus, 'data-autofocus': focus || undefined };
  const choices =
    d?.name === 'hubspot_owner_id'
      ? owners.map((o) => ({ value: o.id, label: ownerName(o) }))
      : d?.type === 'bool'
        ? [
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]
        : d?.type === 'enumeration' && d.fieldType !== 'checkbox'
          ? d.options.filter((o) => !o.hidden || o.value === value).map((o) => ({ value: o.value, label: o.label }))
          : [];
  if (choices.length > 0) {
    const known = value === '' || choices.some((c) => c.value === value);
    return (
      <NativeSelect
        {...shared}
        onChange={(e) => change(e.currentTarget.value)}
        data={[{ value: '', label: '–' }, ...choices, ...(known ? [] : [{ value, label: value }])]}
      />
    );
  }
  if (d?.fieldType === 'textarea' || d?.fieldType === 'html') {
    return <Textarea {...shared} rows={4} onChange={(e) => change(e.currentTarget.value)} />;
  }
  const date = d?.type === 'date' || d?.type === 'datetime';
  return (
    <TextInput
      {...shared}
      type={date ? 'date' : 'text'}
      inputMode={d?.type === 'number' ? 'decimal' : undefined}
      value={date ? dayOf(value) : value}
      onChange={(e) => change(e.currentTarget.value)}
    />
  );
}

/** Converts a stored date to the value of a date input. */
function dayOf(value: string): string {
  const at = new Date(/^-?\d+$/.test(value) ? Number(value) : value);
  return value === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 10);
}
