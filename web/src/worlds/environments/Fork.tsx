import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { adminCall, type Environment } from '../../app/admin';
import { Dialog } from '../../ui/Dialog';
import { ProblemText } from '../../ui/ProblemText';
import { pathOf, type Snapshot } from '../api';
import { bodyOf, Fields, NameInput, nothing, problemsOf } from './Fields';
import { MadeDialog } from './Made';
import { useMake } from './useMake';

interface Props {
  of: Environment;
  snapshot?: Snapshot;
  close: () => void;
}

/** A dialog that forks an environment and shows the fork's credentials. */
export function ForkDialog({ of, snapshot, close }: Props) {
  const snapshots = useQuery({
    queryKey: ['world', of.id, 'snapshots'],
    queryFn: () => adminCall<{ snapshots: Snapshot[] }>(pathOf(of.id, '/snapshots?limit=200')),
  });
  const [typed, setTyped] = useState(nothing);
  const [from, setFrom] = useState(snapshot?.id ?? '');
  const [off, setOff] = useState(false);
  const [fresh, setFresh] = useState(false);
  const [calm, setCalm] = useState(false);
  const { make, busy, refused, made } = useMake(pathOf(of.id, '/fork'));
  const submit = (e: FormEvent): void => {
    e.preventDefault();
    make({
      ...bodyOf(typed),
      ...(from && { snapshot: from }),
      ...(off && { deliveries: 'off' }),
      ...(fresh && { credentials: 'fresh' }),
      ...(calm && { faults: 'none' }),
    });
  };
  if (made) {
    return <MadeDialog all={made} close={close} />;
  }
  return (
    <Dialog title={`Fork ${of.name || of.id}`} close={close} size="lg">
      <form onSubmit={submit}>
        <div className="form-grid">
          <NameInput typed={typed} change={setTyped} />
          <NativeSelect
            label="From snapshot"
            description="What the copy begins as."
            data={[
              { value: '', label: 'as it is now' },
              ...(snapshots.data?.snapshots ?? (snapshot ? [snapshot] : [])).map((s) => ({
                value: s.id,
                label: s.name || s.id,
              })),
            ]}
            value={from}
            onChange={(e) => setFrom(e.currentTarget.value)}
          />
        </div>
        <Fields typed={typed} change={setTyped} fork />
        <div className="form-grid">
          <Checkbox
            label="Deliveries off"
            description="Nothing is sent to anybody outside."
            checked={off}
            onChange={(e) => setOff(e.currentTarget.checked)}
          />
          <Checkbox
            label="Fresh credentials"
            description="None of the parent's works in it."
            checked={fresh}
            onChange={(e) => setFresh(e.currentTarget.checked)}
          />
          <Checkbox
            label="Without faults"
            description="The parent's fault rules are left behind."
            checked={calm}
            onChange={(e) => setCalm(e.currentTarget.checked)}
          />
        </div>
        <ProblemText>{refused?.message}</ProblemText>
        <Button type="submit" mt="sm" loading={busy} disabled={Object.keys(problemsOf(typed)).length > 0}>
          Fork
        </Button>
      </form>
    </Dialog>
  );
}
