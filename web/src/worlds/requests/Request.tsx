import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { adminCall } from '../../app/admin';
import { Copy } from '../../ui/Copy';
import { formatDuration } from '../../ui/duration';
import { Page, Refused } from '../../ui/Page';
import { Stamp } from '../../ui/Stamp';
import { type Effects, type EventDelivery, pathOf, placeOf, type Recorded, useDelivery, useEnv } from '../api';
import { Body, FaultNote, nameOf, ops, Service, Status, Thing } from '../parts';
import { curlOf } from './curl';

/** One request: its bodies, changes, events and deliveries. */
export function RequestPage() {
  const env = useEnv();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const found = useQuery({
    queryKey: ['world', env, 'requests', id],
    queryFn: () => adminCall<Recorded & { effects: Effects }>(pathOf(env, `/requests/${encodeURIComponent(id)}`)),
  });
  const r = found.data;
  return (
    <Page title={`Request ${id}`} env={env}>
      {found.error && <Refused error={found.error} again={() => void found.refetch()} />}
      {found.isPending && <Skeleton className="late" h={200} />}
      {r && (
        <div className="effects">
          <What env={env} r={r} />
          <Changes env={env} effects={r.effects} service={r.service} />
          <Events env={env} effects={r.effects} />
          <Deliveries env={env} list={r.effects.events.flatMap((e) => e.deliveries)} />
        </div>
      )}
    </Page>
  );
}

function Step({ title, count, children }: { title: string; count?: number; children: ReactNode }) {
  return (
    <section aria-label={title} className="step">
      <div className="step-head">
        <h2>{title}</h2>
        {count !== undefined && <span className="dimmed">{count}</span>}
      </div>
      {children}
    </section>
  );
}

function What({ env, r }: { env: string; r: Recorded & { effects: Effects } }) {
  return (
    <Step title="Request">
      <p className="line">
        <strong>{r.method}</strong> <code>{r.path + (r.query ? `?${r.query}` : '')}</code>
      </p>
      <FaultNote env={env} fault={r.fault} />
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          <Status code={r.status} /> in {formatDuration(r.duration_ms)}
        </dd>
        <dt>Time</dt>
        <dd>
          <Stamp at={r.at} seconds />
        </dd>
        <dt>Service</dt>
        <dd>
          <Service name={r.service} />
        </dd>
        <dt>Operation</dt>
        <dd>{r.operations.join(', ') || '–'}</dd>
        <dt>Principal</dt>
        <dd>
          {nameOf(r.actor)} <span className="dimmed">{r.actor.kind}</span>
          {r.via && <span> by tool {r.via.tool}</span>}
        </dd>
        {r.client && (
          <>
            <dt>Client</dt>
            <dd>{r.client}</dd>
          </>
        )}
        {r.parent_seq !== null && (
          <>
            <dt>Caused by</dt>
            <dd>
              <Link to={placeOf(env, `requests/${r.parent_seq}`)}>request {r.parent_seq}</Link>
            </dd>
          </>
        )}
        {r.effects.calls.length > 0 && (
          <>
            <dt>Calls</dt>
            <dd>
              {r.effects.calls.map((c) => (
                <div key={c.seq}>
                  <Link to={placeOf(env, `requests/${c.seq}`)}>{c.operations.join(', ') || `request ${c.seq}`}</Link>{' '}
                  <Status code={c.status} />
                </div>
              ))}
            </dd>
          </>
        )}
        <dt>Request id</dt>
        <dd>
          <code>{r.id}</code>
        </dd>
      </dl>
      <div className="buttons">
        <Copy text={() => curlOf(env, r, location.origin)}>Copy as curl</Copy>
      </div>
      {r.bodies === 'dropped' ? (
        <p className="dimmed">The bodies are not kept any more: newer ones took their place.</p>
      ) : (
        <>
          <h3>Body</h3>
          <Body text={r.request_body} label="Body of the request" />
          <h3>Reply</h3>
          <Body text={r.response_body} label="Body of the reply" />
        </>
      )}
    </Step>
  );
}

function Changes({ env, effects, service }: { env: string; effects: Effects; service: string }) {
  return (
    <Step title="Changes" count={effects.changes.length}>
      {effects.changes.length === 0 && (
        <p className="dimmed">
          {service === 'ingest' ? 'What it reported stands in the traces.' : 'It changed nothing.'}
        </p>
      )}
      <ul className="plain">
        {effects.changes.map((c) => (
          <li key={`${c.service} ${c.entity} ${c.key} ${c.op}`}>
            <span className={`badge-op ${c.op}`}>{ops[c.op]}</span> <Service name={c.service} /> {c.entity}
            <div className="long">
              <Thing env={env} service={c.service} entity={c.entity} id={c.key} />
            </div>
          </li>
        ))}
      </ul>
      {effects.changes.length > 0 && <Link to={placeOf(env, 'diff')}>Diff</Link>}
    </Step>
  );
}

function Events({ env, effects }: { env: string; effects: Effects }) {
  return (
    <Step title="Events" count={effects.events.length}>
      {effects.events.length === 0 && <p className="dimmed">No event was published.</p>}
      <ul className="plain">
        {effects.events.map((e) => (
          <li key={e.seq}>
            <Service name={e.service} />{' '}
            <Link to={placeOf(env, 'events')} search={{ type: e.type, service: e.service } as never}>
              {e.type}
            </Link>
            <div className="dimmed long">{e.key}</div>
            <div className="dimmed">
              {e.deliveries.length === 0
                ? 'nobody subscribes'
                : e.deliveries.length === 1
                  ? '1 delivery'
                  : `${e.deliveries.length} deliveries`}
            </div>
          </li>
        ))}
      </ul>
    </Step>
  );
}

const shown = 20;

function Deliveries({ env, list }: { env: string; list: EventDelivery[] }) {
  return (
    <Step title="Deliveries" count={list.length}>
      {list.length === 0 && <p className="dimmed">Nothing was sent.</p>}
      <ul className="plain">
        {list.slice(0, shown).map((d) => (
          <OneDelivery key={d.id} env={env} delivery={d} />
        ))}
      </ul>
      {list.length > shown && (
        <p className="dimmed">
          {list.length - shown} more; <Link to={placeOf(env, 'deliveries')}>Deliveries</Link> has all.
        </p>
      )}
    </Step>
  );
}

/** A delivery with its attempts, which are loaded separately. */
function OneDelivery({ env, delivery }: { env: string; delivery: EventDelivery }) {
  const d = useDelivery(env, delivery.id).data;
  return (
    <li>
      <Link to={placeOf(env, `deliveries/${delivery.id}`)}>{d?.event ?? delivery.id}</Link>{' '}
      <span className={`state ${d?.status ?? delivery.status}`}>{d?.status ?? delivery.status}</span>
      <div className="dimmed long">{d?.url ?? delivery.destination}</div>
      <ol className="attempts">
        {d?.attempts.map((a) => (
          <li key={a.number}>
            attempt {a.number}: {a.status ?? a.outcome} in {formatDuration(a.duration_ms)}
            {a.error && <div className="problem long">{a.error}</div>}
          </li>
        ))}
      </ol>
    </li>
  );
}
