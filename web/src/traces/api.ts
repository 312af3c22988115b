import { basePath } from '../api/base';
import { ApiError, type Call, send } from '../api/http';
import { adminChanged, adminKey, refuseKey } from '../app/admin';

const place = (env: string): string => `us.ingest.${env}`;

/** Returns the key to read traces of an environment: the admin key, or an ingestion key that was entered. */
export const traceKey = (env: string): string | undefined =>
  adminKey() ?? sessionStorage.getItem(place(env)) ?? undefined;

/** Checks an ingestion key and stores it for this tab. It throws ApiError if the key is refused. */
export async function giveKey(env: string, key: string): Promise<void> {
  await send(`${basePath(env, 'ingest')}/api/v1/sessions?limit=1`, { token: key });
  sessionStorage.setItem(place(env), key);
}

/** Returns the address of a route of ingestion. */
export const addressOf = (env: string, path: string): string => `${basePath(env, 'ingest')}/api/v1/${path}`;

/** Calls ingestion. It throws ApiError or Unreachable. */
export async function ask<T>(env: string, path: string, signal?: AbortSignal, call: Call = {}): Promise<T> {
  const key = traceKey(env);
  if (!key) {
    throw new ApiError(401, 'no_key', 'This needs the admin key or an ingestion key.', '', 0);
  }
  try {
    return await send<T>(addressOf(env, path), { ...call, token: key, signal });
  } catch (e) {
    if (e instanceof ApiError && e.status === 401) {
      sessionStorage.removeItem(place(env));
      refuseKey(key);
      adminChanged(); // the area asks for a valid key
    }
    throw e;
  }
}

export interface Session {
  session_id: string;
  user_id: string | null;
  traits: Record<string, unknown>;
  client_config: string | null;
  timestamp: number;
  last_event_at: number | null;
  event_count: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
}

export interface Checkpoint {
  name: string;
  offset_ms: number;
  metadata?: unknown;
  beyond_latency?: boolean;
}

/** An event. In a summary its texts are previews, with their full lengths. */
export interface EventSummary {
  event_id: string;
  session_id: string;
  parent_id: string | null;
  primitive_name: string | null;
  primitive_type: string | null;
  args: string | null;
  result: string | null;
  success: boolean;
  latency: number | null;
  timestamp: number;
  start: number;
  received_at: number;
  metadata: Record<string, unknown>;
  customer_id: string | null;
  user_id: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  model: string | null;
  checkpoints: Checkpoint[];
  args_bytes?: number;
  result_bytes?: number;
  metadata_bytes?: number;
}

/** An event in the tree of its session, with anomalies of its position. */
export interface TraceEvent extends EventSummary {
  children: TraceEvent[];
  matches?: boolean;
  parent_missing?: boolean;
  cycle?: boolean;
  clock_skew?: boolean;
  folded?: boolean;
}

export interface Sums {
  count: number;
  errors: number;
  error_rate: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  input_tokens: number;
  output_tokens: number;
}

export interface Point extends Sums {
  time: number;
}

export interface Totals extends Omit<Sums, 'count'> {
  sessions: number;
  events: number;
  users: number;
}

export interface Failure {
  fingerprint: string;
  message: string;
  tool: string;
  count: number;
  sessions: number;
  last_seen: number;
  samples: string[];
}

export interface User {
  user_id: string;
  traits: Record<string, unknown>;
  first_seen: number;
  last_seen: number;
  sessions?: number;
  events?: number;
  errors?: number;
  input_tokens?: number;
  output_tokens?: number;
}

export const statusOf = (e: EventSummary): string => (e.success ? 'succeeded' : 'failed');

export const nameOf = (e: EventSummary): string => e.primitive_name ?? '(no name)';

export const tokensOf = (e: { input_tokens: number | null; output_tokens: number | null }): number =>
  (e.input_tokens ?? 0) + (e.output_tokens ?? 0);
