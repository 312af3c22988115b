import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { adminCall } from '../../app/admin';
import { Go } from '../../ui/Go';
import { Page } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import type { Column } from '../../ui/Table';
import { type Delivery, pathOf, placeOf, services, useEnv } from '../api';
import { useChange } from '../environments/change';
import { Choose, List } from '../list';
import { chosenOf, useFilters, useList } from '../paging';
import { Service } from '../parts';
import { ReplayAll } from './ReplayAll';

const states = ['pending', 'delivered', 'failed', 'cancelled'];

/** Deliveries to webhooks and subscriptions. */
export function Deliveries() {
  const env = useEnv();
  const navigate = useNavigate();
  const change = useChange();
  const [search, patch] = useFilters();
  const query = chosenOf(search, ['status', 'service', 'destination']);
  const found = useList<Delivery>(['world', env, 'deliveries'], pathOf(env, '/deliveries'), 'deliveries', query);
  const place = (d: Delivery): string => placeOf(env, `deliveries/${d.id}`);
  const columns: Column<Delivery>[] = [
    { key: 'status', title: 'Status', width: 80, cell: (d) => <span className={`state ${d.status}`}>{d.status}</span> },
    { key: 'event', title: 'Event', width: 110, grow: 1, cell: (d) => <Go href={place(d)}>{d.event}</Go> },
    {
      key: 'service',
      title: 'Service',
      width: 90,
      cell: (d) => <Service name={d.service} />,
    },
    { key: 'destination', title: 'Destination', width: 150, grow: 2, cell: (d) => d.url || d.destination },
    { key: 'attempts', title: 'Attempts', width: 62, number: true, cell: (d) => d.attempts.length },
    {
      key: 'created',
      title: 'Created',
      width: 112,
      cell: (d) => <Stamp at={d.created_at} />,
    },
    {
      key: 'next',
      title: 'Next attempt',
      width: 112,
      cell: (d) => (d.next_attempt_at ? <Stamp at={d.next_attempt_at} /> : '–'),
    },
    {
      key: 'replay',
      title: 'Actions',
      width: 76,
      cell: (d) => (
        <Button
          className="keep"
          size="compact-sm"
          variant="default"
          onClick={() =>
            change(() => adminCall(pathOf(env, `/deliveries/${d.id}/replay`), { body: {} }), 'It is delivered again.')
          }
        >
          Replay
        </Button>
      ),
    },
  ];
  return (
    <Page title="Deliveries" env={env}>
      <div className="filters">
        <Choose name="status" label="Status" none="any status" values={states} search={search} patch={patch} />
        <Choose name="service" label="Service" none="all services" values={services} search={search} patch={patch} />
        <SearchBox
          label="Destination id"
          value={search.destination ?? ''}
          change={(text) => patch({ destination: text || undefined })}
        />
        <ReplayAll env={env} query={query} />
      </div>
      <List
        label="Deliveries"
        found={found}
        columns={columns}
        id={(d) => d.id}
        name={(d) => `${d.event}, ${d.status}`}
        open={(d) => void navigate({ href: place(d) })}
        narrowed={Object.keys(query).length > 0}
        unmatched="Nothing that was sent matches these filters."
        none="Nothing was sent yet. Events go to the webhooks and subscriptions of apps, portals and workspaces."
      />
    </Page>
  );
}
