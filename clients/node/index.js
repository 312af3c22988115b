// Worlds of Understudy for test suites. This is a thin client of the admin plane:
// each method sends one or two requests.
import { keeps, server } from './server.js';
import { Person } from './person.js';
import { assertPassed } from './verdict.js';

export { findBinary, UnderstudyError } from './server.js';
export { explain } from './verdict.js';
export { Person };

// The path that each official client needs after the service's base URL.
const API = { messaging: '/api/', crm: '/api', tracker: '/graphql', ingest: '' };

// The options that determine the environment. Worlds with equal ones are forks of one environment.
const MAKES = ['fixture', 'document', 'seed', 'clock'];

/**
 * Forks a world: from the named environment, or from one that is created with
 * these options. Further options are those of a fork.
 */
export async function fork({ environment, ...options } = {}) {
  const s = await server();
  const made = {};
  if (environment === undefined) {
    for (const name of MAKES) {
      if (options[name] !== undefined) made[name] = options[name];
      delete options[name];
    }
    environment = await s.base(made);
  } else if (options.fixture !== undefined || options.document !== undefined) {
    throw new TypeError('environment goes with neither fixture nor document: it is there already');
  }
  const credentials = await s.call('POST', `/environments/${encodeURIComponent(environment)}/fork`,
    { ephemeral: true, credentials: 'fresh', recordings: 'full', ...(!keeps() && { ttl_seconds: 3600 }), ...options });
  return new World(s, credentials);
}

export class World {
  #server;
  #path;
  #expected = [];
  #deleted = false;

  constructor(s, { id, ...credentials }) {
    this.#server = s;
    this.#path = `/environments/${id}`;
    this.id = id;
    for (const [service, behind] of Object.entries(API)) {
      credentials[service] = { ...credentials[service], api_url: credentials[service].base_url + behind };
    }
    this.credentials = credentials;
    /** URL of the world: http://HOST/e/ID. */
    this.url = credentials.messaging.base_url.replace(/\/messaging$/, '');
    if (keeps()) process.stderr.write(`understudy keeps ${this.url}\n`);
  }

  #call(method, path, body, type) {
    if (this.#deleted) throw new Error(`the world ${this.id} is deleted`);
    return this.#server.call(method, this.#path + path, body, type);
  }

  /** Returns a person of the world: `messaging/jon.abel`, by id, handle or e-mail address. */
  person(name, { tenant } = {}) {
    const slash = name.indexOf('/');
    const [service, who] = slash < 0 ? ['messaging', name] : [name.slice(0, slash), name.slice(slash + 1)];
    return new Person((method, act, body, query = {}) => {
      const q = new URLSearchParams({ ...query, ...(tenant !== undefined && { tenant }) }).toString();
      return this.#call(method, `/people/${encodeURIComponent(service)}/${encodeURIComponent(who)}${act}${q && `?${q}`}`, body);
    });
  }

  /** Waits until no request, delivery or interaction is in progress. */
  settle(options = {}) { return this.#call('POST', '/settle', options); }

  /** Adds one or several fault rules. */
  fault(rule) { return this.#call('POST', '/faults', Array.isArray(rule) ? { faults: rule } : rule); }

  /** Returns the fault rules, with the number of matches and firings of each. */
  async faults() { return (await this.#call('GET', '/faults')).faults; }

  /** Advances the clock: '5m', '90s'. */
  advance(duration) { return this.#call('POST', '/clock', { advance: duration }); }

  /** Returns the environment variables that a program needs to reach this world: SLACK_BOT_TOKEN and so on. */
  async env() {
    const text = await this.#call('GET', '/credentials?format=env', undefined, 'text');
    return Object.fromEntries(text.split('\n').filter(Boolean).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** Returns the changes since the fork. */
  diff(query = {}) {
    const q = new URLSearchParams(query).toString();
    return this.#call('GET', `/diff${q && `?${q}`}`);
  }

  /** Returns the verdict on a document, an object or YAML text. It does not throw if checks fail. */
  verdict(document) { return this.#call('POST', '/verdict', document); }

  /**
   * Throws an AssertionError with the evidence unless all checks pass. Accepts one
   * expectation or a list, with further members of the document in `more`, or a
   * whole document as YAML text.
   */
  async expect(expectation, more = {}) {
    const document = typeof expectation === 'string' ? expectation : { ...more, expect: [expectation].flat() };
    const verdict = await this.verdict(document);
    if (typeof document !== 'string') this.#expected.push(...document.expect);
    assertPassed(verdict, this.#address(), this.expect);
    return verdict;
  }

  /** Throws an AssertionError if the agent made changes that no earlier expect() of this world matched. */
  async nothingElse(options = true) {
    const verdict = await this.verdict({ expect: this.#expected, nothing_else: options });
    const checks = verdict.checks.filter((check) => check.id === 'nothing_else');
    assertPassed({ ...verdict, checks, verdict: checks.every((check) => check.passed) ? 'passed' : 'failed' }, this.#address(), this.nothingElse);
    return verdict;
  }

  /** Returns the turns of a session with the requests they caused; without a session, all requests by trace. */
  trace(session = '-') { return this.#call('GET', `/trace/${encodeURIComponent(session)}`); }

  #address() { return keeps() ? this.url : ''; }

  /** Deletes the world, unless UNDERSTUDY_KEEP is 1. Repeated calls do nothing. */
  async delete() {
    if (this.#deleted || keeps()) return;
    const gone = this.#call('DELETE', '');
    this.#deleted = true;
    await gone;
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() { await this.delete(); }
}
