/// <reference lib="esnext.disposable" />

/** What a field has to be: a value, or an object whose members all have to hold. */
export type Matcher = string | number | boolean | null | {
  is?: unknown; not?: unknown; any_of?: unknown; none_of?: unknown[];
  contains?: string; not_contains?: string; starts_with?: string; ends_with?: string; matches?: string;
  above?: number | string; below?: number | string; at_least?: number | string; at_most?: number | string;
  present?: boolean; length?: Matcher; json?: Matcher; includes?: unknown; includes_all?: unknown[];
  ignoring?: ('case' | 'space' | 'markup')[];
};

export type Count = number | { at_least?: number; at_most?: number };

/** A sentence about the world: one of inserted, updated, deleted, state and answered, and what goes with it. */
export interface Expectation {
  name?: string;
  inserted?: string;
  updated?: string;
  deleted?: string;
  state?: string;
  answered?: Matcher;
  where?: Record<string, Matcher>;
  change?: Record<string, { from?: Matcher; to?: Matcher } | null>;
  only?: boolean;
  count?: Count;
  by?: 'agent' | 'person' | 'admin' | 'system' | 'anyone' | `@${string}` | { app: string };
  shared?: boolean;
  as?: string;
  weight?: number;
  gate?: boolean;
}

export type NothingElse = boolean | {
  services?: string[];
  except?: Expectation[];
  consequences?: 'allowed' | 'listed';
  came_and_went?: 'refused';
};

export interface Selector {
  service?: string; operation?: string; status?: Matcher; code?: Matcher; by?: Expectation['by']; tool?: string; body?: Record<string, Matcher>;
}

export type Rule = { name?: string; weight?: number; gate?: boolean } & (
  | { never: Selector } | { called: Selector; count?: Count } | { before: Selector[] } | { at_most: number }
  | { no_repeats: { within: number; operation?: string } });

export interface SettleOptions { quiet_ms?: number; timeout_ms?: number }

export interface VerdictDocument {
  from?: string | null;
  to?: string | null;
  settle?: SettleOptions;
  bind?: Record<string, object>;
  answer?: string;
  expect?: Expectation[];
  nothing_else?: NothingElse;
  trajectory?: Rule[];
}

export interface Cause { seq: number; operation?: string }

export interface ChangeEvidence { op: 'insert' | 'update' | 'delete'; service: string; entity: string; key: string; cause?: Cause[] }

export interface Check {
  id: string;
  name?: string;
  /** null: it could not be decided. */
  passed: boolean | null;
  weight: number;
  gate: boolean;
  message?: string;
  evidence: {
    matched?: ChangeEvidence[];
    near?: { key: string; failed: { field: string; wanted: unknown; found: unknown }[]; cause?: Cause[] }[];
    left?: ChangeEvidence[];
    requests?: { seq: number; operation: string; status: number }[];
  };
}

export interface Verdict {
  verdict: 'passed' | 'failed' | 'unknown';
  score: number;
  settled?: boolean;
  recording: { complete: boolean; requests: number };
  counts: Record<string, number>;
  checks: Check[];
}

/** An app of a seed document, under its name there. */
export interface App {
  name: string; app_id: string; bot_id: string; bot_user_id: string; bot_token: string; signing_secret: string; verification_token: string; user_token?: string;
}

/** The credentials of a world, as credentials.json has them; `api_url` is what the service's official client is given. */
export interface Credentials {
  environment: string;
  fixture_password?: string;
  messaging: {
    base_url: string; api_url: string; workspace_id: string; admin_user_id: string; admin_email: string; admin_password: string;
    app_id: string; bot_id: string; bot_user_id: string; bot_token: string; user_token: string; signing_secret: string; verification_token: string; apps?: App[];
  };
  crm: {
    base_url: string; api_url: string; portal_id: number; access_token: string; user_email: string; user_password: string; client_id: string; client_secret: string;
  };
  tracker: {
    base_url: string; api_url: string; organization_id: string; url_key: string; user_id: string; user_email: string; user_password: string; api_key: string;
  };
  ingest: { base_url: string; api_url: string; organization_id: string; api_key: string };
}

export interface ForkOptions {
  /** Id or name of an environment to fork; left out: one is made of fixture, document, seed and clock, once for equal ones. */
  environment?: string;
  fixture?: string;
  /** A seed document: an object, or YAML text. */
  document?: object | string;
  seed?: number;
  /** RFC 3339: the clock stands there; `run` makes it run. */
  clock?: string;
  id?: string;
  if_exists?: 'error' | 'replace';
  name?: string;
  snapshot?: string;
  deliveries?: 'on' | 'off';
  ttl_seconds?: number;
  ephemeral?: boolean;
  /** `real` to have those of upstream; off in environments that are made here. */
  rate_limits?: string;
  credentials?: 'fresh' | 'inherited';
  destinations?: Record<string, string>;
  faults?: 'inherit' | 'none' | FaultRule[];
  recordings?: 'recent' | 'full';
}

export interface FaultRule {
  id?: string;
  on: 'request' | 'delivery';
  enabled?: boolean;
  match?: Record<string, unknown>;
  when?: { nth?: number[]; every?: number; after?: number; times?: number; between?: [string, string]; probability?: number };
  do: Record<string, unknown>;
}

export interface Fault extends FaultRule { id: string; matched: number; fired: number }

/** Makes a world of one's own. It is deleted by `delete()`, by `await using`, and after an hour. */
export function fork(options?: ForkOptions): Promise<World>;

/** A message: by its ts, or the newest of a channel that matches. */
export type MessageRef = { channel: string; ts: string } | { channel: string; from?: string; text: Matcher };

export interface Said { channel: string; ts: string; thread_ts: string | null; request_seq: number[] }
export interface Done { ts: string; request_seq: number[] }
export interface Clicked { app_id: string; action: Record<string, unknown>; response: Record<string, unknown> | null; request_seq: number[] }
export interface Ran { response: Record<string, unknown> | null; request_seq: number[] }
export interface Item {
  id: string; kind: 'message' | 'ephemeral' | 'response' | 'mention' | 'direct'; channel: string; ts: string; thread_ts?: string | null; from: string; text: string;
  blocks?: object[]; seq: number;
}
export interface Wanted { kind?: Item['kind']; channel?: string; from?: string; thread?: string; text?: Matcher }
export interface Session { service: string; user: { id: string; name: string; email: string }; kind: string; token: string; base_url: string; expires_at: string }

/** Somebody of a world. Refusals are UnderstudyErrors with the service's own code. */
export class Person {
  /** channel: `#support`, an id, or `@handle`; left out in a thread. */
  say(channel: string | undefined, text: string | undefined, more?: { thread?: MessageRef; blocks?: object[] }): Promise<Said>;
  edit(message: MessageRef, text: string, more?: { blocks?: object[] }): Promise<Done>;
  delete(message: MessageRef): Promise<Done>;
  react(message: MessageRef, emoji: string, more?: { remove?: boolean }): Promise<Done>;
  click(message: MessageRef, actionId: string, more?: { block_id?: string }): Promise<Clicked>;
  choose(message: MessageRef, actionId: string, values: string | string[], more?: { block_id?: string }): Promise<Clicked>;
  shortcut(callbackId: string, more?: { message?: MessageRef; app?: string }): Promise<Clicked>;
  /** A slash command: `/approve 42`. */
  run(command: string, more: { channel: string }): Promise<Ran>;
  join(channel: string): Promise<{ channel: string; request_seq: number[] }>;
  leave(channel: string): Promise<{ channel: string; request_seq: number[] }>;
  read(channel: string, more?: { up_to?: string }): Promise<{ channel: string; last_read: string; request_seq: number[] }>;
  act(name: string, body?: object): Promise<any>;
  /** What popped up, newest first. */
  inbox(options?: { after?: string; limit?: number }): Promise<Item[]>;
  /** The first that fits of what came after the person's last act. */
  wait(wanted?: Wanted, options?: { after?: string; timeout_ms?: number }): Promise<Item>;
  /** A token to act as this person with an official client. */
  session(options?: { kind?: string; expires_seconds?: number; scopes?: string[] }): Promise<Session>;
}

export class World {
  readonly id: string;
  /** http://HOST/e/ID */
  readonly url: string;
  readonly credentials: Credentials;
  person(name: string, options?: { tenant?: string }): Person;
  settle(options?: SettleOptions): Promise<{ settled: boolean; waited_ms: number; in_flight: number; pending_deliveries: number }>;
  fault(rule: FaultRule): Promise<Fault>;
  fault(rules: FaultRule[]): Promise<{ faults: Fault[] }>;
  faults(): Promise<Fault[]>;
  /** `5m`, `90s` */
  advance(duration: string): Promise<{ clock: { now: string; frozen: boolean } }>;
  /** SLACK_BOT_TOKEN, HUBSPOT_BASE_PATH and so on, for a program under test. */
  env(): Promise<Record<string, string>>;
  diff(query?: Record<string, string>): Promise<{ inserts: object[]; updates: object[]; deletes: object[]; next_cursor: string }>;
  /** Never fails for what it finds. */
  verdict(document: VerdictDocument | string): Promise<Verdict>;
  /** Throws an AssertionError with the evidence, and the verdict as its member `verdict`, unless all of it holds. */
  expect(expectation: Expectation | Expectation[], more?: Omit<VerdictDocument, 'expect'>): Promise<Verdict>;
  expect(yaml: string): Promise<Verdict>;
  /** Throws when the agent changed what no expectation of this world so far has named. */
  nothingElse(options?: NothingElse): Promise<Verdict>;
  trace(session?: string): Promise<Trace>;
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TracedRequest {
  seq: number; service: string; operations: string[]; status: number; join: 'request' | 'span' | 'trace' | 'order'; actor: string;
  via: object | null; parent_seq: number | null; received_at: string; duration_ms: number; fault: object | null;
  changes: { op: string; service: string; entity: string; key: string }[];
  events: { seq: number; service: string; type: string; key: string; deliveries: { id: string; destination: string; status: string; attempts: number }[] }[];
}
/** A turn of an agent, or a tool that it used; without a session, all requests of one trace. */
export interface Turn { event: { event_id: string; name: string; type: string; [member: string]: unknown } | null; trace_id?: string; tools: Turn[]; requests: TracedRequest[] }
export interface Trace {
  session: { session_id: string; user_id: string } | null;
  turns: Turn[];
  unjoined: { seq: number; operations: string[]; status: number }[];
  joined: { request: number; span: number; trace: number; order: number };
}

/** A refusal by the server. */
export class UnderstudyError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: any;
}

/** A verdict in lines: each check, and the evidence under one that did not pass. */
export function explain(verdict: Verdict): string;

/** Path of the binary, from UNDERSTUDY_BIN or PATH. */
export function findBinary(): string;
