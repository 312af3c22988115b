import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { adminCall, type Environment } from '../../app/admin';
import { formatFull } from '../../app/locale';
import { secondsOf } from '../../ui/duration';
import { Page, Refused } from '../../ui/Page';
import { pathOf, useEnv, useEnvironment } from '../api';
import type { Act } from '../environments/act';
import { useChange } from '../environments/change';
import { nothing, problemsOf } from '../environments/Fields';
import { EnvironmentDialog } from '../environments/lazy';

/** The settings of an environment, and its deletion. */
export function Settings() {
  const env = useEnv();
  const found = useEnvironment(env);
  const [act, setAct] = useState<Act>();
  const of = found.data;
  return (
    <Page title="Settings" env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {of && (
        <>
          <Form key={of.id} of={of} />
          <h2>Put back, or away</h2>
          <p>A reset brings the environment back to its state at creation; a deletion removes it with its snapshots.</p>
          <div className="buttons">
            <Button variant="default" onClick={() => setAct({ kind: 'fork', of })}>
              Fork
            </Button>
            <Button variant="default" onClick={() => setAct({ kind: 'reset', of })}>
              Reset
            </Button>
            <Button
              variant="default"
              disabled={of.id === 'default'}
              title={of.id === 'default' ? 'The default environment cannot be deleted.' : undefined}
              onClick={() => setAct({ kind: 'delete', of })}
            >
              Delete
            </Button>
          </div>
        </>
      )}
      {act && <EnvironmentDialog act={act} close={() => setAct(undefined)} />}
    </Page>
  );
}

function Form({ of }: { of: Environment }) {
  const change = useChange();
  const [name, setName] = useState(of.name);
  const [limits, setLimits] = useState(of.rate_limits);
  const [ttl, setTtl] = useState('');
  const [touched, setTouched] = useState(false);
  const problems = problemsOf({ ...nothing, limits, ttl });
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    change(
      () =>
        adminCall(pathOf(of.id), {
          method: 'PATCH',
          body: {
            ...(name !== of.name && { name }),
            ...(limits !== of.rate_limits && { rate_limits: limits }),
            ...(touched && { ttl_seconds: ttl === '' ? null : secondsOf(ttl) }),
          },
        }),
      'The settings were saved.',
    );
  };
  return (
    <form onSubmit={submit} className="narrow">
      <TextInput
        label="Name"
        value={name}
        maxLength={100}
        required
        withAsterisk={false}
        onChange={(e) => setName(e.currentTarget.value)}
      />
      <TextInput
        label="Rate limits"
        description="real, off, or a multiple: x10."
        value={limits}
        error={problems.limits}
        onChange={(e) => setLimits(e.currentTarget.value)}
      />
      <TextInput
        label="Time to live"
        description={`From now on, in real time, such as 2h; empty for ever. It ends: ${of.expires_at ? formatFull(new Date(of.expires_at)) : 'never'}.`}
        value={ttl}
        error={problems.ttl}
        onChange={(e) => {
          setTtl(e.currentTarget.value);
          setTouched(true);
        }}
      />
      <Button type="submit" mt="sm" disabled={Object.keys(problems).length > 0}>
        Save settings
      </Button>
    </form>
  );
}
