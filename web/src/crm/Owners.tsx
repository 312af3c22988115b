import { useParams } from '@tanstack/react-router';
import { Found, Page } from '../ui/Page';
import { type Column, Table } from '../ui/Table';
import { ownerName, useOwners } from './api';
import type { Owner } from './types';

const columns: Column<Owner>[] = [
  { key: 'name', title: 'Name', width: 160, grow: 1, cell: (o) => <bdi className="cut">{ownerName(o)}</bdi> },
  { key: 'email', title: 'E-mail', width: 200, grow: 1, cell: (o) => <span className="cut">{o.email}</span> },
  { key: 'id', title: 'Owner id', width: 100, number: true, cell: (o) => o.id },
  { key: 'user', title: 'User id', width: 100, number: true, cell: (o) => o.userId },
];

/** The owners that records can be assigned to. */
export function Owners() {
  const { env = 'default' } = useParams({ strict: false }) as { env?: string };
  const found = useOwners(env);
  return (
    <Page title="Owners" env={env}>
      <Found found={found}>
        <Table
          label="Owners"
          columns={columns}
          rows={found.data}
          id={(o) => o.id}
          empty={<p className="dimmed">This portal has no owners. A seed document makes them.</p>}
        />
      </Found>
      {found.data?.length === 500 && <p className="dimmed">The first 500 owners are shown.</p>}
    </Page>
  );
}
