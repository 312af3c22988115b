import { Link } from '@tanstack/react-router';
import { Go } from '../ui/Go';
import { type Actor, areaOf, type Cause, type Fired, placeOf } from './api';

/** The kinds of changes, as shown. */
export const ops: Record<string, string> = { insert: 'added', update: 'changed', delete: 'removed' };

/** The name of a service, with its colour. */
export const Service = ({ name }: { name: string }) => <span className={`service ${name}`}>{name}</span>;

/** The status code of a reply. Errors are red. */
export function Status({ code }: { code: number }) {
  return <span className={code >= 400 || code === 0 ? 'state failed' : 'state'}>{code || 'no answer'}</span>;
}

/** Returns the name of an actor. */
export const nameOf = (a: Actor): string => a.name || a.id || a.kind;

/** A link to the request that caused a change. */
export function CausedBy({ env, cause }: { env: string; cause: Cause | null }) {
  if (!cause) {
    return <span className="dimmed">work in the background</span>;
  }
  if (cause.seq === null) {
    return <span className="dimmed">{cause.actor.kind === 'admin' ? 'the admin plane' : cause.actor.kind}</span>;
  }
  return (
    <>
      <Go href={placeOf(env, `requests/${cause.seq}`)}>{cause.operation || `request ${cause.seq}`}</Go>
      <span className="dimmed"> by {nameOf(cause.actor)}</span>
    </>
  );
}

/** Describes the fault that a rule injected. */
export function FaultNote({ env, fault }: { env: string; fault: Fired | null }) {
  return (
    fault && (
      <p className="fault">
        Fault <Link to={placeOf(env, 'faults')}>{fault.id}</Link>: {fault.do}
        {fault.committed ? ', after the work was done' : ', before anything was done'}
      </p>
    )
  );
}

/** A link to the page of a changed object, or its name if it has no page. */
export function Thing({
  env,
  service,
  entity,
  id,
}: {
  env: string;
  service: string;
  entity: string;
  id: string | null;
}) {
  const label = id === null ? `a ${entity} that is gone` : id;
  const to = id === null ? undefined : addressOf(env, service, entity, id);
  return to ? <Link to={to}>{label}</Link> : <span>{label}</span>;
}

const types: Record<string, string> = { contact: 'contacts', company: 'companies', deal: 'deals', ticket: 'tickets' };

/** Returns the URL of an object's page, undefined if it has none. */
export function addressOf(env: string, service: string, entity: string, id: string): string | undefined {
  const area = `/e/${encodeURIComponent(env)}/${areaOf[service] ?? ''}`;
  switch (`${service}.${entity}`) {
    case 'crm.contact':
    case 'crm.company':
    case 'crm.deal':
    case 'crm.ticket':
      return `${area}/${types[entity]}/${encodeURIComponent(id)}`;
    case 'tracker.issue':
      return `${area}/issue/${encodeURIComponent(id)}`;
    case 'ingest.session':
      return `${area}/sessions/${encodeURIComponent(id)}`;
  }
  return undefined;
}

/** A request or reply body: JSON is formatted unless it is plain, other text is shown as it is. */
export function Body({ text, label, plain }: { text: string; label: string; plain?: boolean }) {
  if (text === '') {
    return <p className="dimmed">empty</p>;
  }
  return (
    <section aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions are reachable by keyboard */}
      <pre className="json body" tabIndex={0}>
        {plain ? text : readable(text)}
      </pre>
    </section>
  );
}

/** Formats JSON on several lines, and returns other text unchanged. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
