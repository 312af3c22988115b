import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { adminCall, adminKey } from '../../app/admin';
import { Refused } from '../../ui/Page';
import { type EffectRequest, type Effects, requestsByEvent } from './effects';

/** Reads the requests that the events of a session caused. Only the admin plane knows them. */
export function useEffectsOf(env: string, session: string, size: number, on: boolean) {
  return useQuery({
    queryKey: ['traces', env, 'effects', session, size],
    queryFn: async ({ signal }) => {
      const found = await adminCall<Effects>(
        `/environments/${encodeURIComponent(env)}/trace/${encodeURIComponent(session)}`,
        { signal },
      );
      return { byEvent: requestsByEvent(found), unjoined: found.unjoined ?? [] };
    },
    enabled: on && adminKey() !== undefined,
  });
}

interface Props {
  env: string;
  session: string;
  size: number;
  event: string;
}

/** The requests that an event caused, with their changes and deliveries. */
export function EffectsOf({ env, session, size, event }: Props) {
  const found = useEffectsOf(env, session, size, true);
  if (!adminKey()) {
    return <p>What an event changed in the world is known to the admin plane. Sign in with the admin key to see it.</p>;
  }
  if (found.error) {
    return <Refused error={found.error} again={() => void found.refetch()} />;
  }
  if (!found.data) {
    return <Skeleton h={80} className="late" />;
  }
  const requests = found.data.byEvent.get(event) ?? [];
  const { unjoined } = found.data;
  return (
    <>
      {requests.length === 0 && (
        <p className="dimmed">
          No request of this world belongs to this event. Requests join by <code>traceparent</code>, by{' '}
          <code>request_id</code> in the metadata, or by time.
        </p>
      )}
      <ul className="effects" aria-label="Effects">
        {requests.map((r) => (
          <RequestOf key={r.seq} env={env} of={r} />
        ))}
      </ul>
      {unjoined.length > 0 && (
        <p className="dimmed">Requests of this world that belong to no event of this session: {unjoined.length}.</p>
      )}
    </>
  );
}

/** How a request was attributed to an event. */
const joins: Record<string, string> = {
  request: 'by its request id',
  span: 'by its span',
  trace: 'by its trace and time',
  order: 'by order of time',
};

function RequestOf({ env, of: r }: { env: string; of: EffectRequest }) {
  const failed = (r.status ?? 0) >= 400;
  return (
    <li>
      <p>
        <Link to="/worlds/$env/requests/$id" params={{ env, id: String(r.seq) } as never}>
          Request {r.seq}
        </Link>{' '}
        <strong>{r.operations?.join(', ') || 'call'}</strong>{' '}
        <span className={failed ? 'problem' : 'dimmed'}>
          {r.status}
          {r.join && ` joined ${joins[r.join] ?? r.join}`}
        </span>
      </p>
      {Boolean(r.fault) && <p className="problem">A fault rule broke this request.</p>}
      {(r.changes?.length ?? 0) === 0 && <p className="dimmed">It changed nothing.</p>}
      <ul>
        {r.changes?.map((c) => (
          <li key={`${c.service} ${c.entity} ${c.key} ${c.op}`} className={`effect ${c.service}`}>
            <span className="tag">{words[c.op] ?? c.op}</span> {c.service} {c.entity} <code>{c.key}</code>
          </li>
        ))}
      </ul>
      {r.events?.map((e) => (
        <p key={`${e.type} ${e.deliveries?.map((d) => d.id).join()}`}>
          Event <code>{e.type}</code>
          {e.deliveries?.map((d) => (
            <span key={d.id}>
              {', '}
              <Link to="/worlds/$env/deliveries/$id" params={{ env, id: d.id } as never}>
                delivery
              </Link>{' '}
              {d.status} ({d.attempts} {d.attempts === 1 ? 'attempt' : 'attempts'})
            </span>
          ))}
        </p>
      ))}
    </li>
  );
}

const words: Record<string, string> = { insert: 'added', update: 'changed', delete: 'removed' };
