import { noteEnvironment } from './gone';

/** An error reply, with the service's own message. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string,
    readonly retryAfter: number,
    /** All members of the error, such as a list of problems with line numbers. */
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

/** Thrown when no reply arrives: the server or the network is down. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer.');
  }
}

export interface Call {
  method?: string;
  body?: unknown;
  raw?: { type: string; text: string }; // an unmodified body
  as?: 'text'; // returns the reply as text
  token?: string;
  signal?: AbortSignal;
  patience?: number; // timeout in milliseconds; by default the browser's
}

interface Refusal {
  error?: string | { code?: string; message?: string };
  code?: string; // for ingestion, whose error is a sentence
  message?: string;
  errors?: GraphQLProblem[];
}

/** One of the errors of a GraphQL reply. */
export interface GraphQLProblem {
  message?: string;
  extensions?: { code?: string; userPresentableMessage?: string };
}

/** Converts the errors of a GraphQL reply into an ApiError. */
export function graphqlRefusal(status: number, problems: GraphQLProblem[], requestId = '', wait = 0): ApiError {
  const first = problems[0];
  const message = first?.extensions?.userPresentableMessage ?? first?.message ?? inWords('unknown');
  return new ApiError(status, first?.extensions?.code ?? 'unknown', message, requestId, wait);
}

/** Sends a request and returns the decoded reply. It throws ApiError or Unreachable. */
export async function send<T>(url: string, call: Call = {}): Promise<T> {
  const headers: Record<string, string> = { Accept: call.as ? '*/*' : 'application/json', 'Understudy-Client': 'web' };
  if (call.body !== undefined) {
    headers['Content-Type'] = 'application/json; charset=utf-8';
  } else if (call.raw) {
    headers['Content-Type'] = call.raw.type;
  }
  if (call.token) {
    headers.Authorization = `Bearer ${call.token}`;
  }
  const { signal, patience } = call;
  const limit = patience === undefined ? undefined : AbortSignal.timeout(patience);
  let reply: Response;
  let text = '';
  try {
    reply = await fetch(url, {
      method: call.method ?? (call.body === undefined && !call.raw ? 'GET' : 'POST'),
      headers,
      body: call.body === undefined ? call.raw?.text : JSON.stringify(call.body),
      signal: limit && signal ? AbortSignal.any([limit, signal]) : (limit ?? signal),
      credentials: 'omit',
      cache: 'no-store',
    });
    text = await reply.text(); // the connection may break in the middle
  } catch (e) {
    if (signal?.aborted) {
      throw e;
    }
    throw new Unreachable();
  }
  if (reply.status === 204) {
    return undefined as T;
  }
  if (call.as === 'text' && reply.ok) {
    return text as T;
  }
  let value: unknown;
  try {
    value = text === '' ? {} : JSON.parse(text);
  } catch {
    if (reply.ok && reply.headers.get('Content-Type')?.includes('json')) {
      throw new Unreachable(); // it was cut
    }
    value = {};
  }
  if (!reply.ok) {
    const refused = refusal(reply, value as Refusal);
    if (refused.code === 'environment_not_found') {
      noteEnvironment(url, false);
    }
    throw refused;
  }
  noteEnvironment(url, true);
  const envelope = value as { ok?: boolean; error?: string };
  if (envelope.ok === false) {
    throw refusal(reply, { error: envelope.error, message: inWords(envelope.error ?? '') });
  }
  return value as T;
}

function refusal(reply: Response, value: Refusal): ApiError {
  if (value.errors?.[0]?.extensions) {
    const wait = Number(reply.headers.get('Retry-After') ?? 0);
    return graphqlRefusal(reply.status, value.errors, reply.headers.get('X-Request-Id') ?? '', wait);
  }
  const sentence = typeof value.error === 'string' && value.code ? value.error : undefined;
  const code =
    value.code ?? (typeof value.error === 'string' ? value.error : (value.error?.code ?? `http_${reply.status}`));
  const message =
    sentence ?? value.message ?? (typeof value.error === 'object' ? value.error.message : undefined) ?? inWords(code);
  return new ApiError(
    reply.status,
    code,
    message,
    reply.headers.get('X-Request-Id') ?? '',
    Number(reply.headers.get('Retry-After') ?? 0),
    typeof value.error === 'object' ? value.error : {},
  );
}

/** Converts a code such as channel_not_found to words. */
function inWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return `The service refused this: ${words}.`;
}
