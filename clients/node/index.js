// Worlds of Understudy for test suites. What is here is a thin client of the
// admin plane: every method is one or two of its requests.
import { keeps, server } from './server.js';
import { Person } from './person.js';
import { assertPassed } from './verdict.js';

export { findBinary, UnderstudyError } from './server.js';
export { explain } from './verdict.js';
export { Person };

// What stands behind the base URL of a service for its official client.
const API = { messaging: '/api/', crm: '/api', tracker: '/graphql', ingest: '' };

// Options that say what the world is. Worlds with equal ones are forks of one environment.
const MAKES = ['fixture', 'document', 'seed', 'clock'];

/**
 * Makes a world of one's own: a fork of the environment that is named, or of one
 * that is made for these options. Further options are those of a fork.
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
    /** Address of the world: http://HOST/e/ID. */
    this.url = credentials.messaging.base_url.replace(/\/messaging$/, '');
    if (keeps()) process.stderr.write(`understudy keeps ${this.url}\n`);
  }

  #call(method, path, body, type) {
    if (this.#deleted) throw new Error(`the world ${this.id} is deleted`);
    return this.#server.call(method, this.#path + path, body, type);
  }

  /** Somebody of the world: `messaging/jon.abel`; by id, handle or e-mail address. */
  person(name, { tenant } = {}) {
    const slash = name.indexOf('/');
    const [service, who] = slash < 0 ? ['messaging', name] : [name.slice(0, slash), name.slice(slash + 1)];
    return new Person((method, act, body, query = {}) => {
      const q = new URLSearchParams({ ...query, ...(tenant !== undefined && { tenant }) }).toString();
      return this.#call(method, `/people/${encodeURIComponent(service)}/${encodeURIComponent(who)}${act}${q && `?${q}`}`, body);
    });
  }

  /** Waits until nothing is under way. */
  settle(options = {}) { return this.#call('POST', '/settle', options); }

  /** Adds a fault rule, or several. */
  fault(rule) { return this.#call('POST', '/faults', Array.isArray(rule) ? { faults: rule } : rule); }

  /** The fault rules, with how often each matched and fired. */
  async faults() { return (await this.#call('GET', '/faults')).faults; }

  /** Moves the clock forward: '5m', '90s'. */
  advance(duration) { return this.#call('POST', '/clock', { advance: duration }); }

  /** The variables that a program needs to reach this world, and nothing else: SLACK_BOT_TOKEN and so on. */
  async env() {
    const text = await this.#call('GET', '/credentials?format=env', undefined, 'text');
    return Object.fromEntries(text.split('\n').filter(Boolean).map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  /** What changed since the fork. */
  diff(query = {}) {
    const q = new URLSearchParams(query).toString();
    return this.#call('GET', `/diff${q && `?${q}`}`);
  }

  /** Compares the world with a document, an object or YAML text: the verdict, whatever it is. */
  verdict(document) { return this.#call('POST', '/verdict', document); }

  /**
   * Throws an AssertionError with the evidence unless all of it holds: one
   * expectation or a list, further members of the document beside them; or a
   * whole document as YAML text.
   */
  async expect(expectation, more = {}) {
    const document = typeof expectation === 'string' ? expectation : { ...more, expect: [expectation].flat() };
    const verdict = await this.verdict(document);
    if (typeof document !== 'string') this.#expected.push(...document.expect);
    assertPassed(verdict, this.#address(), this.expect);
    return verdict;
  }

  /** Throws an AssertionError when the agent changed what no expectation of this world so far has named. */
  async nothingElse(options = true) {
    const verdict = await this.verdict({ expect: this.#expected, nothing_else: options });
    const checks = verdict.checks.filter((check) => check.id === 'nothing_else');
    assertPassed({ ...verdict, checks, verdict: checks.every((check) => check.passed) ? 'passed' : 'failed' }, this.#address(), this.nothingElse);
    return verdict;
  }

  /** What an agent did and what it caused, turn by turn; without a session all requests, by trace. */
  trace(session = '-') { return this.#call('GET', `/trace/${encodeURIComponent(session)}`); }

  #address() { return keeps() ? this.url : ''; }

  /** Deletes the world, unless UNDERSTUDY_KEEP is 1. Doing it twice is once. */
  async delete() {
    if (this.#deleted || keeps()) return;
    const gone = this.#call('DELETE', '');
    this.#deleted = true;
    await gone;
  }

  async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() { await this.delete(); }
}
