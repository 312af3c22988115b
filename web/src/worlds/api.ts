import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { adminCall, type Environment } from '../app/admin';

/** Returns the environment in the URL. */
export const useEnv = (): string => (useParams({ strict: false }) as { env?: string }).env ?? 'default';

/** Returns the admin plane's path of an environment, or of a resource below it. */
export const pathOf = (env: string, rest = ''): string => `/environments/${encodeURIComponent(env)}${rest}`;

/** Returns the address of a page of an environment. */
export const placeOf = (env: string, page = ''): string => `/worlds/${encodeURIComponent(env)}${page && `/${page}`}`;

export const environmentKey = (env: string): string[] => ['world', env];

/** Reads one environment. */
export const useEnvironment = (env: string) =>
  useQuery({ queryKey: environmentKey(env), queryFn: () => adminCall<Environment>(pathOf(env)) });

export interface Snapshot {
  id: string;
  name: string;
  created_at: string;
  size_bytes: number;
}

export interface Actor {
  kind: string;
  service: string;
  id: string;
  name: string;
}

/** The request that caused a change. */
export interface Cause {
  seq: number | null;
  request_id: string;
  operation: string;
  actor: Actor;
  via: { kind: string; tool: string } | null;
  trace_id: string | null;
}

export interface Fired {
  id: string;
  do: string;
  committed: boolean;
}

export interface Recorded {
  seq: number;
  id: string;
  at: string;
  service: string;
  method: string;
  path: string;
  query: string;
  operations: string[];
  actor: Actor;
  principal: string;
  client: string;
  via: { kind: string; tool: string } | null;
  parent_seq: number | null;
  trace_id: string | null;
  status: number;
  duration_ms: number;
  fault: Fired | null;
  bodies: 'kept' | 'dropped';
  request_body: string;
  response_body: string;
  counts?: { changes: number; events: number; deliveries: number };
}

export interface EventDelivery {
  id: string;
  destination: string;
  status: string;
  attempts: number;
}

export interface Effects {
  changes: { op: string; service: string; entity: string; key: string | null }[];
  events: { seq: number; service: string; type: string; key: string; deliveries: EventDelivery[] }[];
  calls: { seq: number; operations: string[]; status: number }[];
}

export interface WorldEvent {
  seq: number;
  service: string;
  type: string;
  key: string;
  at: string;
  cause: Cause | null;
  deliveries: EventDelivery[];
}

export interface Attempt {
  number: number;
  at: string;
  url: string;
  outcome: string;
  status: number | null;
  duration_ms: number;
  error: string;
  response_body: string;
}

export interface Delivery {
  id: string;
  service: string;
  destination: string;
  tenant: string;
  event: string;
  url: string;
  status: string;
  created_at: string;
  next_attempt_at: string | null;
  request_id: string;
  event_seq: number;
  cause: Cause | null;
  fault: Fired | null;
  attempts: Attempt[];
  body?: unknown;
}

export const services = ['messaging', 'crm', 'tracker', 'ingest'];

/** Returns the area of the UI that shows a service. */
export const areaOf: Record<string, string> = {
  messaging: 'messaging',
  crm: 'crm',
  tracker: 'tracker',
  ingest: 'traces',
};

/** Reads one delivery, and polls it while it is pending. */
export const useDelivery = (env: string, id: string) =>
  useQuery({
    queryKey: ['world', env, 'deliveries', id],
    queryFn: () => adminCall<Delivery>(pathOf(env, `/deliveries/${encodeURIComponent(id)}`)),
    refetchInterval: (q) => (q.state.data?.status === 'pending' ? 2000 : false),
  });
