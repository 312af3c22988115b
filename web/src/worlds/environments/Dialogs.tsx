import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { adminCall, type Environment } from '../../app/admin';
import { counted, formatStamp } from '../../app/locale';
import { Confirm, Dialog } from '../../ui/Dialog';
import { pathOf, type Snapshot } from '../api';
import { useChange } from './change';
import { countsOf } from './counts';

interface Props {
  of: Environment;
  close: () => void;
  done?: () => void;
}

const nameOf = (e: Environment): string => e.name || e.id;

/** A dialog that takes a snapshot of an environment. */
export function SnapshotDialog({ of, close }: Props) {
  const change = useChange();
  const [name, setName] = useState('');
  return (
    <Dialog title={`Snapshot of ${nameOf(of)}`} close={close}>
      <form
        onSubmit={(e) => {
          e.preventDefault();
          close();
          change(
            () => adminCall<Snapshot>(pathOf(of.id, '/snapshots'), { body: name ? { name } : {} }),
            `The snapshot ${name || 'without a name'} was made.`,
          );
        }}
      >
        <TextInput
          data-autofocus
          label="Snapshot name"
          description="Work in the environment goes on meanwhile."
          value={name}
          maxLength={100}
          onChange={(e) => setName(e.currentTarget.value)}
        />
        <Button type="submit" mt="sm">
          Create snapshot
        </Button>
      </form>
    </Dialog>
  );
}

/** Describes what a reset, a restore or a deletion loses. */
function Lost({ of, since }: { of: Environment; since: string }) {
  const found = useQuery({
    queryKey: ['world', of.id, 'summary', ''],
    queryFn: () =>
      adminCall<{ summary: { inserts: number; updates: number; deletes: number }[] }>(
        pathOf(of.id, '/diff?summary=true'),
      ),
  });
  const n = found.data?.summary.reduce((sum, s) => sum + s.inserts + s.updates + s.deletes, 0);
  return (
    <p>
      {n === undefined ? 'What has changed' : n === 1 ? '1 change' : `${n} changes`} since {since}, the recorded
      requests and what waits to be delivered are lost. Connected clients are cut off.
    </p>
  );
}

/** A dialog that resets an environment to its state at creation. */
export function ResetDialog({ of, close }: Props) {
  const change = useChange();
  return (
    <Confirm
      title={`Reset ${nameOf(of)}?`}
      act="Reset"
      danger
      close={close}
      confirm={() => change(() => adminCall(pathOf(of.id, '/reset'), { body: {} }), `${nameOf(of)} was reset.`)}
    >
      <Lost of={of} since={of.parent ? 'the fork' : 'its creation'} />
      <p>Snapshots stay.</p>
    </Confirm>
  );
}

/** A dialog that restores a snapshot. */
export function RestoreDialog({ of, snapshot, close }: Props & { snapshot: Snapshot }) {
  const change = useChange();
  const name = snapshot.name || snapshot.id;
  return (
    <Confirm
      title={`Restore ${name}?`}
      act="Restore"
      danger
      close={close}
      confirm={() =>
        change(
          () => adminCall(pathOf(of.id, '/restore'), { body: { snapshot: snapshot.id } }),
          `${nameOf(of)} is as it was in ${name}.`,
        )
      }
    >
      <p>
        {nameOf(of)} becomes what it was on {formatStamp(new Date(snapshot.created_at))}. What came since, the recorded
        requests and what waits to be delivered are lost. Connected clients are cut off.
      </p>
    </Confirm>
  );
}

/** A dialog that deletes a snapshot. */
export function DeleteSnapshot({ of, snapshot, close }: Props & { snapshot: Snapshot }) {
  const change = useChange();
  const name = snapshot.name || snapshot.id;
  return (
    <Confirm
      title={`Delete ${name}?`}
      act="Delete"
      danger
      close={close}
      confirm={() =>
        change(
          () => adminCall(pathOf(of.id, `/snapshots/${encodeURIComponent(snapshot.id)}`), { method: 'DELETE' }),
          `The snapshot ${name} was deleted.`,
        )
      }
    >
      <p>
        {nameOf(of)} stays as it is; the state of {formatStamp(new Date(snapshot.created_at))} is lost. Forks of it
        stay.
      </p>
    </Confirm>
  );
}

/** A dialog that deletes an environment after its name was typed. */
export function DeleteDialog({ of, close, done }: Props) {
  const change = useChange();
  const navigate = useNavigate();
  const inside = useLocation({ select: (l) => l.pathname.startsWith('/worlds/') });
  const [typed, setTyped] = useState('');
  const counts = countsOf(of.counts);
  return (
    <Confirm
      title={`Delete ${nameOf(of)}?`}
      act="Delete"
      danger
      disabled={typed !== nameOf(of)}
      close={close}
      confirm={() =>
        change(
          () => adminCall(pathOf(of.id), { method: 'DELETE' }),
          `${nameOf(of)} was deleted.`,
          () => {
            done?.();
            if (inside) {
              void navigate({ to: '/worlds' });
            }
          },
        )
      }
    >
      <p>
        The environment{counts && ` with ${counts}`}, its snapshots and all that was recorded in it are lost. Its forks
        stay.
      </p>
      <TextInput
        label={`Type ${nameOf(of)} to delete it`}
        aria-label="Name of the environment"
        value={typed}
        onChange={(e) => setTyped(e.currentTarget.value)}
        autoComplete="off"
      />
    </Confirm>
  );
}

/** A dialog that deletes several environments, one after the other. */
export function DeleteSeveral({
  several,
  close,
  done,
}: {
  several: Environment[];
  close: () => void;
  done?: () => void;
}) {
  const change = useChange();
  const [typed, setTyped] = useState('');
  const going = several.filter((e) => e.id !== 'default');
  const names = going.slice(0, 5).map(nameOf).join(', ');
  return (
    <Confirm
      title={`Delete ${counted(going.length, 'environment')}?`}
      act="Delete"
      danger
      disabled={typed !== String(going.length) || going.length === 0}
      close={close}
      confirm={() =>
        change(
          async () => {
            for (const e of going) {
              await adminCall(pathOf(e.id), { method: 'DELETE' });
            }
          },
          `${counted(going.length, 'environment')} ${going.length === 1 ? 'was' : 'were'} deleted.`,
          done,
        )
      }
    >
      <p>
        {names}
        {going.length > 5 && ` and ${going.length - 5} more`}: they, their snapshots and all that was recorded in them
        are lost. {going.length < several.length && 'default cannot be deleted and stays.'}
      </p>
      <TextInput
        label={`Type ${going.length} to delete them`}
        value={typed}
        onChange={(e) => setTyped(e.currentTarget.value)}
        autoComplete="off"
      />
    </Confirm>
  );
}
