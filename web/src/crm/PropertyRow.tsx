import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { History, Pencil } from 'lucide-react';
import { type FormEvent, memo, useState } from 'react';
import { Refused } from '../ui/Page';
import { ProblemText } from '../ui/ProblemText';
import { Stamp } from '../ui/Stamp';
import { ask, useOwners } from './api';
import { refusalOf } from './refusal';
import type { CrmRecord, Definition } from './types';
import { ValueInput } from './ValueInput';
import { isWritable, shown } from './values';

interface Props {
  env: string;
  path: string; // of the record
  definition: Definition;
  value: string | null;
  saved: (now: CrmRecord) => void;
}

/** A property of a record: its label and name, its formatted and its stored value. */
export const PropertyRow = memo(function PropertyRow({ env, path, definition: d, value, saved }: Props) {
  const owners = useOwners(env).data;
  const [open, setOpen] = useState<'edit' | 'history' | ''>('');
  const text = shown(value, d, owners);
  const long = text.length > 1000;
  return (
    <div className="property">
      <dt>
        {d.label} <code>{d.name}</code>
      </dt>
      <dd>
        {open === 'edit' ? (
          <EditValue env={env} path={path} definition={d} value={value ?? ''} close={() => setOpen('')} saved={saved} />
        ) : (
          <>
            <span className={long ? 'value long' : 'value'} tabIndex={long ? 0 : undefined}>
              {text === '' ? <span className="dimmed">–</span> : <bdi>{text}</bdi>}{' '}
              {value !== null && value !== text && value !== '' && <code title="As it is stored">{value}</code>}
            </span>
            <span className="property-acts">
              {isWritable(d) && (
                <button
                  type="button"
                  className="link"
                  aria-label={`Edit ${d.label}`}
                  title="Edit"
                  onClick={() => setOpen('edit')}
                >
                  <Pencil size={14} />
                </button>
              )}
              <button
                type="button"
                className="link"
                aria-label={`History of ${d.label}`}
                title="History"
                aria-expanded={open === 'history'}
                onClick={() => setOpen(open === 'history' ? '' : 'history')}
              >
                <History size={14} />
              </button>
            </span>
          </>
        )}
        {open === 'history' && <Versions env={env} path={path} definition={d} />}
      </dd>
    </div>
  );
});

function EditValue({ env, path, definition: d, value, close, saved }: Props & { value: string; close: () => void }) {
  const [text, setText] = useState(value);
  const [problem, setProblem] = useState('');
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    if (text === value) {
      close();
      return;
    }
    ask<CrmRecord>(env, path, { method: 'PATCH', body: { properties: { [d.name]: text } } }).then(
      (now) => {
        saved(now);
        close();
      },
      (e: Error) => {
        const refused = refusalOf(e);
        setProblem(refused.fields[d.name] ?? refused.text);
      },
    );
  };
  return (
    <form onSubmit={submit} onKeyDown={(e) => e.key === 'Escape' && close()}>
      <ValueInput focus label={d.label} definition={d} value={text} change={setText} />
      <ProblemText>{problem}</ProblemText>
      <div className="buttons">
        <Button size="compact-sm" type="submit">
          Save
        </Button>
        <Button size="compact-sm" variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** The history of a property's values, newest first. */
function Versions({ env, path, definition: d }: Pick<Props, 'env' | 'path' | 'definition'>) {
  const owners = useOwners(env).data;
  const found = useQuery({
    queryKey: ['crm', env, 'history', path, d.name],
    queryFn: () =>
      ask<CrmRecord>(env, `${path}?${new URLSearchParams({ propertiesWithHistory: d.name })}`).then(
        (r) => r.propertiesWithHistory?.[d.name] ?? [],
      ),
    staleTime: 0,
  });
  if (found.error) {
    return <Refused error={found.error} again={() => void found.refetch()} />;
  }
  return (
    <ol className="versions" aria-label={`History of ${d.label}`}>
      {found.data?.map((v) => (
        <li key={`${v.timestamp} ${v.value}`}>
          <time dateTime={v.timestamp}>
            <Stamp at={v.timestamp} />
          </time>{' '}
          <bdi>{shown(v.value, d, owners) || '–'}</bdi> <span className="dimmed">{v.sourceType.toLowerCase()}</span>
        </li>
      ))}
      {found.data?.length === 0 && <li className="dimmed">It has never had a value.</li>}
    </ol>
  );
}
