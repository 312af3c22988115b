import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { adminCall, type Environment } from '../../app/admin';
import { counted, formatBytes, formatNumber } from '../../app/locale';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import {
  areaOf,
  type Delivery,
  pathOf,
  placeOf,
  type Recorded,
  type Snapshot,
  services,
  useEnv,
  useEnvironment,
} from '../api';
import type { Act } from '../environments/act';
import { EnvironmentDialog } from '../environments/lazy';
import { Service, Status } from '../parts';

const few = 5;

/** The start page of an environment: its contents and latest activity. */
export function Home() {
  const env = useEnv();
  const found = useEnvironment(env);
  const [act, setAct] = useState<Act>();
  const of = found.data;
  return (
    <Page title={of?.name || env} env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="late" h={200} />}
      {of && (
        <>
          <Facts of={of} />
          <div className="buttons">
            <Button variant="default" onClick={() => setAct({ kind: 'fork', of })}>
              Fork
            </Button>
            <Button variant="default" onClick={() => setAct({ kind: 'snapshot', of })}>
              Snapshot
            </Button>
            <Button variant="default" onClick={() => setAct({ kind: 'reset', of })}>
              Reset
            </Button>
          </div>
          <div className="service-tiles">
            {services.map((service) => (
              <Tile key={service} env={env} service={service} counts={of.counts?.[service] ?? {}} />
            ))}
          </div>
          <div className="figures three">
            <Latest env={env} />
            <Failed env={env} />
            <Kept env={env} />
          </div>
        </>
      )}
      {act && <EnvironmentDialog act={act} close={() => setAct(undefined)} />}
    </Page>
  );
}

function Facts({ of }: { of: Environment }) {
  return (
    <dl className="facts">
      <dt>Id</dt>
      <dd>
        <code>{of.id}</code> {of.ephemeral && <span className="tag">ephemeral</span>}
      </dd>
      {of.parent && (
        <>
          <dt>Parent</dt>
          <dd>
            <Parent id={of.parent} />
          </dd>
        </>
      )}
      <dt>Clock</dt>
      <dd>
        {of.clock?.frozen ? (
          <>
            frozen at <Stamp at={of.clock.now} />
          </>
        ) : (
          'running'
        )}
      </dd>
      <dt>Rate limits</dt>
      <dd>{of.rate_limits}</dd>
      <dt>Size</dt>
      <dd>{formatBytes(of.size_bytes ?? 0)}</dd>
      <dt>Created</dt>
      <dd>
        <Stamp at={of.created_at} />
      </dd>
      <dt>Expires</dt>
      <dd>{of.expires_at ? <Stamp at={of.expires_at} /> : 'never'}</dd>
    </dl>
  );
}

/** A link to the environment that one was forked from: by its name, or by its id once it is gone. */
function Parent({ id }: { id: string }) {
  const found = useQuery({
    queryKey: ['environments', 'parent', id],
    queryFn: () =>
      adminCall<{ environments: Environment[] }>(`/environments?${new URLSearchParams({ ids: id, counts: 'false' })}`),
  });
  return <Link to={placeOf(id)}>{found.data?.environments[0]?.name || id}</Link>;
}

const names: Record<string, string> = { messaging: 'Messaging', crm: 'CRM', tracker: 'Tracker', ingest: 'Traces' };

function Tile({ env, service, counts }: { env: string; service: string; counts: Record<string, number> }) {
  return (
    <section className="tile" aria-label={names[service]}>
      <h2>
        <Link className={`service ${service}`} to={`/e/${encodeURIComponent(env)}/${areaOf[service]}`}>
          {names[service]}
        </Link>
      </h2>
      <dl>
        {Object.entries(counts).map(([name, n]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd className="number">{formatNumber(n)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Latest({ env }: { env: string }) {
  const found = useQuery({
    queryKey: ['world', env, 'requests', 'latest'],
    queryFn: () =>
      adminCall<{ requests: Recorded[] }>(
        pathOf(env, `/requests?${new URLSearchParams({ limit: String(few), client: '!web' })}`),
      ),
  });
  return (
    <section aria-labelledby="latest">
      <h2 id="latest">
        <Link to={placeOf(env, 'requests')}>Latest requests</Link>
      </h2>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.data?.requests.length === 0 && <p className="dimmed">Nothing was asked yet.</p>}
      <ul className="plain">
        {found.data?.requests.map((r) => (
          <li key={r.seq} className="long">
            <Status code={r.status} />{' '}
            <Link to={placeOf(env, `requests/${r.seq}`)}>{r.operations.join(', ') || `${r.method} ${r.path}`}</Link>{' '}
            <span className="dimmed">
              <Stamp at={r.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Failed({ env }: { env: string }) {
  const found = useQuery({
    queryKey: ['world', env, 'deliveries', 'failed'],
    queryFn: () => adminCall<{ deliveries: Delivery[] }>(pathOf(env, `/deliveries?status=failed&limit=${few}`)),
  });
  return (
    <section aria-labelledby="failed">
      <h2 id="failed">
        <Link to={placeOf(env, 'deliveries')} search={{ status: 'failed' } as never}>
          Failed deliveries
        </Link>
      </h2>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.data?.deliveries.length === 0 && <p className="dimmed">None has failed.</p>}
      <ul className="plain">
        {found.data?.deliveries.map((d) => (
          <li key={d.id} className="long">
            <Service name={d.service} /> <Link to={placeOf(env, `deliveries/${d.id}`)}>{d.event}</Link>{' '}
            <span className="dimmed">
              {counted(d.attempts.length, 'attempt')}, <Stamp at={d.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Kept({ env }: { env: string }) {
  const found = useQuery({
    queryKey: ['world', env, 'snapshots', 'latest'],
    queryFn: () => adminCall<{ snapshots: Snapshot[] }>(pathOf(env, `/snapshots?limit=${few}`)),
  });
  return (
    <section aria-labelledby="kept">
      <h2 id="kept">
        <Link to={placeOf(env, 'snapshots')}>Snapshots</Link>
      </h2>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.data?.snapshots.length === 0 && <p className="dimmed">There is none.</p>}
      <ul className="plain">
        {found.data?.snapshots.map((s) => (
          <li key={s.id} className="long">
            <Link to={placeOf(env, 'diff')} search={{ from: s.id } as never}>
              {s.name || s.id}
            </Link>{' '}
            <span className="dimmed">
              <Stamp at={s.created_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
