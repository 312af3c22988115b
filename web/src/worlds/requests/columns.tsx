import { formatDuration } from '../../ui/duration';
import { Go } from '../../ui/Go';
import { Stamp } from '../../ui/Stamp';
import type { Column } from '../../ui/Table';
import { placeOf, type Recorded } from '../api';
import { nameOf, Service, Status } from '../parts';

/** The columns of recorded requests. */
export function columnsOf(env: string): Column<Recorded>[] {
  return [
    { key: 'at', title: 'Time', width: 122, cell: (r) => <Stamp at={r.at} seconds /> },
    { key: 'method', title: 'Method', width: 52, cell: (r) => r.method },
    {
      key: 'path',
      title: 'Path',
      width: 150,
      grow: 3,
      cell: (r) => (
        <Go href={placeOf(env, `requests/${r.seq}`)} title={r.operations.join(', ')}>
          {r.path}
        </Go>
      ),
    },
    { key: 'service', title: 'Service', width: 84, cell: (r) => <Service name={r.service} /> },
    {
      key: 'principal',
      title: 'Principal',
      width: 90,
      grow: 1,
      cell: (r) => <span title={r.principal}>{`${nameOf(r.actor)}${r.via ? `, by ${r.via.tool}` : ''}`}</span>,
    },
    {
      key: 'status',
      title: 'Status',
      width: 44,
      cell: (r) => (
        <>
          <Status code={r.status} />
          {r.fault && <span className="tag keep">fault</span>}
        </>
      ),
    },
    { key: 'took', title: 'Duration', width: 60, number: true, cell: (r) => formatDuration(r.duration_ms) },
    { key: 'changes', title: 'Changes', width: 56, number: true, cell: (r) => r.counts?.changes || '–' },
    { key: 'events', title: 'Events', width: 44, number: true, cell: (r) => r.counts?.events || '–' },
    { key: 'deliveries', title: 'Deliveries', width: 66, number: true, cell: (r) => r.counts?.deliveries || '–' },
  ];
}
