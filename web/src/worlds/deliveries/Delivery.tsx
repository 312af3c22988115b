import { Button, Skeleton } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { adminCall } from '../../app/admin';
import { formatDuration } from '../../ui/duration';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { type Attempt, pathOf, placeOf, useDelivery, useEnv, useEnvironment } from '../api';
import { useChange } from '../environments/change';
import { Body, CausedBy, FaultNote, Service } from '../parts';

/** One delivery: its body, and each attempt. */
export function DeliveryPage() {
  const env = useEnv();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const change = useChange();
  const world = useEnvironment(env);
  const found = useDelivery(env, id);
  const d = found.data;
  const clock = world.data?.clock;
  const due = clock?.frozen && d?.next_attempt_at ? Date.parse(d.next_attempt_at) - Date.parse(clock.now) : undefined;
  return (
    <Page title={d ? `Delivery of ${d.event}` : 'Delivery'} env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="late" h={200} />}
      {d && (
        <>
          <FaultNote env={env} fault={d.fault} />
          <dl className="facts">
            <dt>Status</dt>
            <dd>
              <span className={`state ${d.status}`}>{d.status}</span>
            </dd>
            <dt>Caused by</dt>
            <dd>
              <CausedBy env={env} cause={d.cause} />
            </dd>
            <dt>Service</dt>
            <dd>
              <Service name={d.service} />
            </dd>
            <dt>Destination</dt>
            <dd>
              {d.url || '–'}{' '}
              <Link to={placeOf(env, 'deliveries')} search={{ destination: d.destination } as never}>
                {d.destination}
              </Link>
            </dd>
            <dt>Created</dt>
            <dd>
              <Stamp at={d.created_at} seconds />
            </dd>
            {d.next_attempt_at && (
              <>
                <dt>Next attempt</dt>
                <dd>
                  <Stamp at={d.next_attempt_at} seconds />
                </dd>
              </>
            )}
          </dl>
          <div className="buttons">
            <Button
              variant="default"
              onClick={() =>
                change(
                  () => adminCall(pathOf(env, `/deliveries/${d.id}/replay`), { body: {} }),
                  'It is delivered again.',
                )
              }
            >
              Replay
            </Button>
            {due !== undefined && (
              <Button
                variant="default"
                onClick={() =>
                  change(
                    () => adminCall(pathOf(env, '/clock'), { body: { advance: `${Math.max(0, Math.ceil(due))}ms` } }),
                    'The clock was advanced.',
                  )
                }
              >
                Advance clock to next attempt
              </Button>
            )}
          </div>
          <h2>Attempts</h2>
          {d.attempts.length === 0 && <p className="dimmed">It was not tried yet.</p>}
          <ol className="plain">
            {d.attempts.map((a) => (
              <One key={a.number} attempt={a} />
            ))}
          </ol>
          <h2>Body</h2>
          {d.body === undefined ? (
            <p className="dimmed">Its destination is gone, and with it the form of its body.</p>
          ) : (
            <Body text={JSON.stringify(d.body)} label="Body of the delivery" />
          )}
        </>
      )}
    </Page>
  );
}

function One({ attempt: a }: { attempt: Attempt }) {
  const good = a.status !== null && a.status < 300;
  return (
    <li className="attempt">
      <p>
        <strong>Attempt {a.number}</strong> <Stamp at={a.at} seconds />{' '}
        <span className={good ? 'state delivered' : 'state failed'}>{a.status ?? a.outcome.replaceAll('_', ' ')}</span>{' '}
        in {formatDuration(a.duration_ms)}
      </p>
      <p className="dimmed long">{a.url}</p>
      {a.error && <p className="problem long">{a.error}</p>}
      {a.response_body && <Body text={a.response_body} label={`Reply to attempt ${a.number}`} />}
    </li>
  );
}
