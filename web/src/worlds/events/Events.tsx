import { Go } from '../../ui/Go';
import { Page } from '../../ui/Page';
import { SearchBox } from '../../ui/SearchBox';
import { Stamp } from '../../ui/Stamp';
import type { Column } from '../../ui/Table';
import { pathOf, placeOf, services, useEnv, type WorldEvent } from '../api';
import { Choose, List } from '../list';
import { chosenOf, useFilters, useList } from '../paging';
import { CausedBy, Service } from '../parts';

/** The events of the services, newest first. */
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
            <Go key={d.id} href={placeOf(env, `deliveries/${d.id}`)} className={`state ${d.status}`}>
              {d.status}
            </Go>
          ))
        ),
    },
  ];
  return (
    <Page title="Events" env={env}>
      <div className="filters">
        <Choose name="service" label="Service" none="all services" values={services} search={search} patch={patch} />
        <SearchBox label="Type" value={search.type ?? ''} change={(v) => patch({ type: v || undefined })} />
      </div>
      <List
        label="Events"
        found={found}
        columns={columns}
        id={(e) => String(e.seq)}
        name={(e) => `${e.type} ${e.key}`}
        narrowed={Object.keys(query).length > 0}
        unmatched="No event matches these filters."
        none="No service has told anything yet: a message, a changed record or an issue makes an event."
      />
    </Page>
  );
}
