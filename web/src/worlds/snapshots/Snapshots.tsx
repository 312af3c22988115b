import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { formatBytes } from '../../app/locale';
import { later } from '../../ui/later';
import { Found, Page } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { type Column, Table } from '../../ui/Table';
import { pathOf, placeOf, type Snapshot, useEnv, useEnvironment } from '../api';
import type { Act } from '../environments/act';
import { EnvironmentDialog } from '../environments/lazy';
import { useList } from '../paging';

const RestoreDialog = later(() => import('../environments/Dialogs'), 'RestoreDialog');
const DeleteSnapshot = later(() => import('../environments/Dialogs'), 'DeleteSnapshot');

type Open = { kind: 'restore' | 'delete'; snapshot: Snapshot } | { kind: 'act'; act: Act };

/** The snapshots of an environment. */
export function Snapshots() {
  const env = useEnv();
  const navigate = useNavigate();
  const world = useEnvironment(env);
  const found = useList<Snapshot>(['world', env, 'snapshots'], pathOf(env, '/snapshots'), 'snapshots', {});
  const [open, setOpen] = useState<Open>();
  const of = world.data;
  const nameOf = (s: Snapshot): string => s.name || s.id;
  const compare = (s: Snapshot): void =>
    void navigate({ href: `${placeOf(env, 'diff')}?from=${encodeURIComponent(s.id)}` });
  const columns: Column<Snapshot>[] = [
    { key: 'name', title: 'Name', width: 160, grow: 2, cell: (s) => <span title={s.id}>{nameOf(s)}</span> },
    { key: 'created', title: 'Created', width: 112, cell: (s) => <Stamp at={s.created_at} /> },
    { key: 'size', title: 'Size', width: 70, number: true, cell: (s) => formatBytes(s.size_bytes) },
    {
      key: 'acts',
      title: 'Actions',
      width: 300,
      cell: (s) => (
        <>
          <Small name={`Restore ${nameOf(s)}`} act={() => setOpen({ kind: 'restore', snapshot: s })}>
            Restore
          </Small>
          <Small
            name={`Fork from ${nameOf(s)}`}
            act={() => of && setOpen({ kind: 'act', act: { kind: 'fork', of, snapshot: s } })}
          >
            Fork
          </Small>
          <Small name={`Compare ${nameOf(s)}`} act={() => compare(s)}>
            Compare
          </Small>
          <Small name={`Delete ${nameOf(s)}`} act={() => setOpen({ kind: 'delete', snapshot: s })}>
            Delete
          </Small>
        </>
      ),
    },
  ];
  const close = (): void => setOpen(undefined);
  return (
    <Page title="Snapshots" env={env}>
      <div className="filters">
        <Button disabled={!of} onClick={() => of && setOpen({ kind: 'act', act: { kind: 'snapshot', of } })}>
          Create snapshot
        </Button>
      </div>
      <Found found={found}>
        <Table
          label="Snapshots"
          columns={columns}
          rows={found.rows}
          id={(s) => s.id}
          name={nameOf}
          open={compare}
          more={found.more}
          empty={
            <p className="dimmed">
              There is no snapshot. Create snapshot keeps the environment as it is now; so does understudy env snapshot.
            </p>
          }
        />
      </Found>
      {of && open?.kind === 'restore' && <RestoreDialog of={of} snapshot={open.snapshot} close={close} />}
      {of && open?.kind === 'delete' && <DeleteSnapshot of={of} snapshot={open.snapshot} close={close} />}
      {open?.kind === 'act' && <EnvironmentDialog act={open.act} close={close} />}
    </Page>
  );
}

function Small({ name, act, children }: { name: string; act: () => void; children: string }) {
  return (
    <Button className="keep" size="compact-sm" variant="default" aria-label={name} onClick={act}>
      {children}
    </Button>
  );
}
