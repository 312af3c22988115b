/// <reference lib="esnext.disposable" />

/** A test of a field: a value to equal, or an object whose members must all hold. */
export type Matcher = string | number | boolean | null | {
  is?: unknown; not?: unknown; any_of?: unknown; none_of?: unknown[];
  contains?: string; not_contains?: string; starts_with?: string; ends_with?: string; matches?: string;
  above?: number | string; below?: number | string; at_least?: number | string; at_most?: number | string;
  present?: boolean; length?: Matcher; json?: Matcher; includes?: unknown; includes_all?: unknown[];
  ignoring?: ('case' | 'space' | 'markup')[];
};

export type Count = number | { at_least?: number; at_most?: number };

/** An expectation: exactly one of inserted, updated, deleted, state or answered, with its conditions. */
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
  /** null if the check could not be decided. */
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

/** An app of a seed document, by its name in the document. */
export interface App {
  name: string; app_id: string; bot_id: string; bot_user_id: string; bot_token: string; signing_secret: string; verification_token: string; user_token?: string;
}

/** The credentials of a world, as in credentials.json. `api_url` is the base URL for the official client of a service. */
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
  /** Id or name of the environment to fork. By default, one is created from fixture, document, seed and clock, and shared by forks with equal ones. */
  environment?: string;
  fixture?: string;
  /** A seed document: an object, or YAML text. */
  document?: object | string;
  seed?: number;
  /** The time at which the clock is frozen, RFC 3339; `run` for a running clock. */
  clock?: string;
  id?: string;
  if_exists?: 'error' | 'replace';
  name?: string;
  snapshot?: string;
  deliveries?: 'on' | 'off';
  ttl_seconds?: number;
  ephemeral?: boolean;
  /** `real` for the rate limits of upstream. They are off in environments that this helper creates. */
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

/** Forks a world. It is deleted by `delete()`, at the end of `await using`, or after an hour. */
export function fork(options?: ForkOptions): Promise<World>;

/** Refers to a message: by its ts, or the newest message of a channel that matches. */
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

/** A person of a world. Methods throw UnderstudyError with the service's own error code. */
export class Person {
  /** Posts a message. channel is `#support`, an id or `@handle`; undefined in a thread. */
  say(channel: string | undefined, text: string | undefined, more?: { thread?: MessageRef; blocks?: object[] }): Promise<Said>;
  edit(message: MessageRef, text: string, more?: { blocks?: object[] }): Promise<Done>;
  delete(message: MessageRef): Promise<Done>;
  react(message: MessageRef, emoji: string, more?: { remove?: boolean }): Promise<Done>;
  click(message: MessageRef, actionId: string, more?: { block_id?: string }): Promise<Clicked>;
  choose(message: MessageRef, actionId: string, values: string | string[], more?: { block_id?: string }): Promise<Clicked>;
  shortcut(callbackId: string, more?: { message?: MessageRef; app?: string }): Promise<Clicked>;
  /** Runs a slash command, for example `/approve 42`. */
  run(command: string, more: { channel: string }): Promise<Ran>;
  join(channel: string): Promise<{ channel: string; request_seq: number[] }>;
  leave(channel: string): Promise<{ channel: string; request_seq: number[] }>;
  read(channel: string, more?: { up_to?: string }): Promise<{ channel: string; last_read: string; request_seq: number[] }>;
  /** Performs any act by its name and returns the reply. */
  act(name: string, body?: object): Promise<any>;
  /** Returns the messages, mentions and answers that the person would be notified of, newest first. */
  inbox(options?: { after?: string; limit?: number }): Promise<Item[]>;
  /** Waits for an item that matches, and returns it. Items since the person's last act count. */
  wait(wanted?: Wanted, options?: { after?: string; timeout_ms?: number }): Promise<Item>;
  /** Creates a token for an official client that acts as this person. */
  session(options?: { kind?: string; expires_seconds?: number; scopes?: string[] }): Promise<Session>;
}

/** A fork, for one test. */
export class World {
  readonly id: string;
  /** http://HOST/e/ID */
  readonly url: string;
  readonly credentials: Credentials;
  /** Returns a person: `messaging/jon.abel`, by id, handle or e-mail address. */
  person(name: string, options?: { tenant?: string }): Person;
  /** Waits until no request, delivery or interaction is in progress. */
  settle(options?: SettleOptions): Promise<{ settled: boolean; waited_ms: number; in_flight: number; pending_deliveries: number }>;
  /** Adds one or several fault rules. */
  fault(rule: FaultRule): Promise<Fault>;
  fault(rules: FaultRule[]): Promise<{ faults: Fault[] }>;
  /** Returns the fault rules, with the number of matches and firings of each. */
  faults(): Promise<Fault[]>;
  /** Advances the clock: `5m`, `90s`. */
  advance(duration: string): Promise<{ clock: { now: string; frozen: boolean } }>;
  /** Returns environment variables for a program under test: SLACK_BOT_TOKEN, HUBSPOT_BASE_PATH and so on. */
  env(): Promise<Record<string, string>>;
  /** Returns the changes since the fork. */
  diff(query?: Record<string, string>): Promise<{ inserts: object[]; updates: object[]; deletes: object[]; next_cursor: string }>;
  /** Returns a verdict. It does not throw if checks fail. */
  verdict(document: VerdictDocument | string): Promise<Verdict>;
  /** Throws an AssertionError with the evidence, and the verdict as its member `verdict`, unless all checks pass. */
  expect(expectation: Expectation | Expectation[], more?: Omit<VerdictDocument, 'expect'>): Promise<Verdict>;
  expect(yaml: string): Promise<Verdict>;
  /** Throws if the agent made changes that no earlier `expect` of this world matched. */
  nothingElse(options?: NothingElse): Promise<Verdict>;
  /** Returns the turns of a session with the requests they caused; without a session, all requests by trace. */
  trace(session?: string): Promise<Trace>;
  /** Deletes the world. Repeated calls do nothing. */
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TracedRequest {
  seq: number; service: string; operations: string[]; status: number; join: 'request' | 'span' | 'trace' | 'order'; actor: string;
  via: object | null; parent_seq: number | null; received_at: string; duration_ms: number; fault: object | null;
  changes: { op: string; service: string; entity: string; key: string }[];
  events: { seq: number; service: string; type: string; key: string; deliveries: { id: string; destination: string; status: string; attempts: number }[] }[];
}
/** A turn of an agent, or a tool call within it; without a session, all requests of one trace. */
export interface Turn { event: { event_id: string; name: string; type: string; [member: string]: unknown } | null; trace_id?: string; tools: Turn[]; requests: TracedRequest[] }
export interface Trace {
  session: { session_id: string; user_id: string } | null;
  turns: Turn[];
  unjoined: { seq: number; operations: string[]; status: number }[];
  joined: { request: number; span: number; trace: number; order: number };
}

/** An error reply of the server. */
export class UnderstudyError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: any;
}

/** Formats a verdict: a line for each check, with the evidence below those that did not pass. */
export function explain(verdict: Verdict): string;

/** Returns the path of the binary, from UNDERSTUDY_BIN or PATH. */
export function findBinary(): string;
