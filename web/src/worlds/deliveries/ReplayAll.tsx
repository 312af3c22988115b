import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { adminCall } from '../../app/admin';
import { readDeliveries } from '../../app/deliveries';
import { Confirm } from '../../ui/lazy';
import { pathOf } from '../api';
import { useChange } from '../environments/change';

/** The most deliveries that one request repeats. */
const most = 1000;

/** Returns the number of matching deliveries, up to the most that one request repeats. */
async function count(env: string, query: Record<string, string>): Promise<number> {
  const list = await readDeliveries<{ status: string }>(env, query, most);
  return list.filter((d) => query.status || d.status !== 'pending').length;
}

/** Repeats all deliveries that match the filters of the list, including those not loaded. */
export function ReplayAll({ env, query }: { env: string; query: Record<string, string> }) {
  const change = useChange();
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState('');
  const counted = useQuery({
    queryKey: ['world', env, 'deliveries', 'count', query],
    queryFn: () => count(env, query),
    enabled: open,
  });
  const n = counted.data;
  const words = Object.entries(query)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Replay all matching
      </Button>
      <span role="status" className="dimmed">
        {said}
      </span>
      {open && (
        <Confirm
          title="Replay all matching?"
          act="Replay"
          disabled={!n}
          close={() => setOpen(false)}
          confirm={() =>
            change(
              () =>
                adminCall<{ replayed: number; skipped: number }>(pathOf(env, '/deliveries/replay'), {
                  body: { ...query, limit: most },
                }),
              '',
              (r) =>
                setSaid(
                  `Replayed: ${r.replayed}${r.skipped > 0 ? `; skipped, because they wait already or their destination is gone: ${r.skipped}` : ''}`,
                ),
            )
          }
        >
          <p>
            {n === undefined ? 'Counting…' : n >= most ? `The newest ${most} deliveries` : `Deliveries: ${n}`}
            {words && ` with ${words}`}
          </p>
          <p>They are sent again to where they went.</p>
        </Confirm>
      )}
    </>
  );
}
