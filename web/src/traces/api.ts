import { basePath } from '../api/base';
import { ApiError, send } from '../api/http';
import { adminKey } from '../app/admin';

const place = (env: string): string => `us.ingest.${env}`;

/** Returns what reads traces in an environment: the admin key, or an ingestion key that was given here. */
export const traceKey = (env: string): string | undefined =>
  adminKey() ?? sessionStorage.getItem(place(env)) ?? undefined;

/** Keeps an ingestion key for this tab, after it was tried. It throws ApiError for one that is refused. */
export async function giveKey(env: string, key: string): Promise<void> {
  await send(`${basePath(env, 'ingest')}/api/v1/sessions?limit=1`, { token: key });
  sessionStorage.setItem(place(env), key);
}

/** Reads from ingestion. It throws ApiError or Unreachable. */
export function ask<T>(env: string, path: string, signal?: AbortSignal): Promise<T> {
  const key = traceKey(env);
  if (!key) {
    throw new ApiError(401, 'no_key', 'This needs the admin key or an ingestion key.', '', 0);
  }
  return send<T>(`${basePath(env, 'ingest')}/api/v1/${path}`, { token: key, signal });
}

export interface Session {
  session_id: string;
  user_id: string | null;
  traits: Record<string, unknown>;
  client_config: string | null;
  timestamp: number;
  last_event_at: number;
  event_count: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
}

export interface Checkpoint {
  name: string;
  offset_ms: number;
}

export interface TraceEvent {
  event_id: string;
  parent_id: string | null;
  primitive_name: string;
  primitive_type: string | null;
  args: unknown;
  result: unknown;
  success: boolean | null;
  latency: number | null;
  start: number;
  metadata: Record<string, unknown>;
  input_tokens: number | null;
  output_tokens: number | null;
  model: string | null;
  checkpoints: Checkpoint[];
  children: TraceEvent[];
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
