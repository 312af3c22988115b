import { NativeSelect } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page, Refused } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { type Column, Table } from '../../ui/Table';
import { pathOf, placeOf, services, useEnv, type WorldEvent } from '../api';
import { chosenOf, useFilters, useList } from '../paging';
import { CausedBy, Service, Stamp } from '../parts';

/** What services have told others, newest first. */
export function Events() {
  const env = useEnv();
  const [search, patch] = useFilters();
  const query = chosenOf(search, ['service', 'type']);
  const found = useList<WorldEvent>(['world', env, 'events'], pathOf(env, '/events'), 'events', query);
  const columns: Column<WorldEvent>[] = [
    { key: 'at', title: 'Time', width: 130, cell: (e) => <Stamp at={e.at} seconds /> },
    { key: 'service', title: 'Service', width: 90, cell: (e) => <Service name={e.service} /> },
    { key: 'type', title: 'Type', width: 170, grow: 1, cell: (e) => e.type },
    { key: 'key', title: 'Key', width: 150, grow: 1, cell: (e) => <span title={e.key}>{e.key}</span> },
    {
      key: 'request',
      title: 'Caused by',
      width: 240,
      grow: 2,
      cell: (e) => (
        <span>
          <CausedBy env={env} cause={e.cause} />
        </span>
      ),
    },
    {
      key: 'deliveries',
      title: 'Deliveries',
      width: 150,
      grow: 1,
      cell: (e) =>
        e.deliveries.length === 0 ? (
          <span className="dimmed">none</span>
        ) : (
          e.deliveries.slice(0, 3).map((d) => (
            <Link key={d.id} to={placeOf(env, `deliveries/${d.id}`)} className={`state ${d.status}`}>
              {d.status}
            </Link>
          ))
        ),
    },
  ];
  return (
    <Page title="Events" env={env}>
      <div className="filters">
        <NativeSelect
          aria-label="Service"
          data={[{ value: '', label: 'all services' }, ...services]}
          value={search.service ?? ''}
          onChange={(e) => patch({ service: e.currentTarget.value || undefined })}
        />
        <SearchBox label="Type" value={search.type ?? ''} change={(v) => patch({ type: v || undefined })} />
      </div>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {!(found.error && !found.rows) && (
        <Table
          label="Events"
          columns={columns}
          rows={found.rows}
          id={(e) => String(e.seq)}
          name={(e) => `${e.type} ${e.key}`}
          more={found.more}
          empty={
            <p className="dimmed">
              {Object.keys(query).length > 0
                ? 'No event matches these filters.'
                : 'No service has told anything yet: a message, a changed record or an issue makes an event.'}
            </p>
          }
        />
      )}
    </Page>
  );
}
