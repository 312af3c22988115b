import { basePath } from '../api/base';
import { Live } from '../api/live';
import { accessToken, call, method } from '../app/identity';
import { Drafts } from './drafts';
import { type LiveEvent, receive } from './events';
import { Marks } from './marks';
import { Outbox } from './outbox';
import { Pages } from './pages';
import { headingOf, initial, type State, titleOf, withBoot, withEntry } from './state';
import type { Boot, Channel, User } from './types';
import { trim } from './window';

/** The interval at which live events are applied, in milliseconds. Each time renders the screen. */
const applyEvery = 40;
/** The delay before filling a gap is tried again, in milliseconds. */
const fillAgain = 3000;
/** The shortest interval between announcements to screen readers, in milliseconds. */
const announceEvery = 2000;

/** The state of messaging for one person in one environment, loaded and then updated by live events. */
export class Store {
  readonly drafts = new Drafts(this);
  readonly pages = new Pages(this, this.drafts);
  readonly outbox = new Outbox(this, this.drafts, this.pages);
  readonly marks = new Marks(this);
  private state = initial;
  private readonly listeners = new Set<() => void>();
  private live?: Live;
  private stopped = false;
  private readonly asked = new Set<string>();
  private booting: Promise<unknown> = Promise.resolve();
  private reading?: Set<string>; // conversations that changed while a boot is read
  private waiting: LiveEvent[] = [];
  private applying?: ReturnType<typeof setTimeout>;
  private filling?: ReturnType<typeof setTimeout>;
  private news = { count: 0, channel: '', timer: undefined as ReturnType<typeof setTimeout> | undefined };

  constructor(readonly env: string) {}

  subscribe = (f: () => void): (() => void) => {
    this.listeners.add(f);
    return () => this.listeners.delete(f);
  };
  snapshot = (): State => this.state;

  set(change: Partial<State>): void {
    if (change.channels && this.reading) {
      for (const [id, c] of change.channels) {
        if (this.state.channels.get(id) !== c) {
          this.reading.add(id);
        }
      }
    }
    this.state = { ...this.state, ...change };
    for (const f of this.listeners) {
      f();
    }
  }

  /** Loads the initial state, then connects for live events. */
  async start(): Promise<void> {
    this.stopped = false;
    try {
      await this.reload();
    } catch (e) {
      this.set({ failed: e as Error });
      return;
    }
    this.drafts.restore();
    if (!this.stopped && !this.live) {
      const from = {
        path: `${basePath(this.env, 'messaging')}/socket.io/`,
        token: () => accessToken(this.env),
        renew: () => call(this.env, '/api/client/boot'), // any call renews it
      };
      this.live = new Live(from, {
        event: (name, payload) => this.enqueue({ name, payload }),
        connection: (connection) => this.set({ connection }),
        begun: () => void this.catchUp(),
        again: () => {
          this.pages.noteBreak();
          this.outbox.resend();
          void this.fillGap();
        },
      });
    }
  }

  stop(): void {
    this.stopped = true;
    this.live?.stop();
    this.live = undefined;
    this.outbox.stop();
    clearTimeout(this.applying);
    clearTimeout(this.filling);
    this.applying = undefined;
    this.waiting = [];
  }

  /** Loads conversations, people and marks again after an action that changed them. */
  reload(): Promise<void> {
    // One at a time, in order, because each reply shows the state before its request.
    const reading = this.booting.then(() => this.boot());
    this.booting = reading.catch(() => undefined);
    return reading;
  }

  private async boot(): Promise<void> {
    const changed = new Set<string>();
    this.reading = changed;
    try {
      const boot = await call<Boot>(this.env, '/api/client/boot');
      this.reading = undefined;
      this.set(withBoot(this.state, boot, performance.now(), changed));
    } finally {
      this.reading = undefined;
    }
  }

  get me(): string {
    return this.state.boot?.user.id ?? '';
  }

  /** Returns the world's time. */
  now(): Date {
    const { boot, bootedAt } = this.state;
    if (!boot) {
      return new Date();
    }
    const passed = boot.clock.frozen ? 0 : performance.now() - bootedAt;
    return new Date(new Date(boot.clock.now).getTime() + passed);
  }

  titleOf(c: Channel): string {
    return titleOf(this.state, c);
  }

  /** Loads the messages that were posted between the initial load and the connection. */
  private async catchUp(): Promise<void> {
    try {
      await this.reload();
      await this.pages.fillBehind();
    } catch {
      clearTimeout(this.filling);
      this.filling = setTimeout(() => void this.catchUp(), fillAgain);
    }
  }

  /** Loads the changes of a connection break, without resetting the screen. */
  private async fillGap(): Promise<void> {
    try {
      await this.reload();
      await this.pages.fillGap();
    } catch {
      clearTimeout(this.filling);
      this.filling = setTimeout(() => void this.fillGap(), fillAgain);
    }
  }

  private enqueue(e: LiveEvent): void {
    this.waiting.push(e);
    this.applying ??= setTimeout(() => this.apply(), applyEvery);
  }

  /** Applies all waiting events as one change. */
  private apply(): void {
    const events = this.waiting;
    this.waiting = [];
    this.applying = undefined;
    let { state } = this;
    let reload = false;
    for (const e of events) {
      const received = receive(state, e, this.drafts.arrived);
      state = received.state;
      reload ||= received.reload ?? false;
      if (received.news) {
        this.announce(received.news);
      }
    }
    const windows = new Map(state.windows);
    for (const [channel, w] of windows) {
      windows.set(channel, trim(w, this.pages.isScrolledUp(channel) ? 'newest' : 'oldest'));
    }
    this.set({ ...state, windows });
    if (reload) {
      this.reload().catch(() => undefined);
    }
  }

  /** Announces new messages in a live region, at most every two seconds. */
  private announce(c: Channel): void {
    this.news.count++;
    this.news.channel = headingOf(this.state, c);
    this.news.timer ??= setTimeout(() => {
      const { count, channel } = this.news;
      this.set({ announced: `${count} new ${count === 1 ? 'message' : 'messages'} in ${channel}` });
      this.news = { count: 0, channel: '', timer: undefined };
    }, announceEvery);
  }

  /** Loads a person whom a message names and who is not in memory, once. */
  want(user: string): void {
    if (!this.state.people.has(user) && this.isNew(user)) {
      void method<{ user: User }>(this.env, 'users.info', { user }).then(
        (r) => this.set({ people: withEntry(this.state.people, user, r.user) }),
        () => undefined,
      );
    }
  }

  /** Loads the name of a channel that a message names and that the person is not a member of, once. */
  wantChannel(channel: string): void {
    if (this.isNew(channel)) {
      void method<{ channel: { name: string } }>(this.env, 'conversations.info', { channel }).then(
        (r) => this.set({ unjoined: withEntry(this.state.unjoined, channel, r.channel.name) }),
        () => undefined, // it is private, or not there any more: its id is all that is known
      );
    }
  }

  /** Reports whether an id was not asked for yet, and notes it. */
  private isNew(id: string): boolean {
    const asked = id === '' || this.asked.has(id);
    this.asked.add(id);
    return !asked;
  }

  /** Changes the caller's own profile. */
  async setProfile(profile: Record<string, unknown>): Promise<void> {
    await method(this.env, 'users.profile.set', { profile });
    await this.reload();
  }

  async setPresence(presence: 'auto' | 'away'): Promise<void> {
    await method(this.env, 'users.setPresence', { presence });
    this.set({ presence: withEntry(this.state.presence, this.me, presence === 'away' ? 'away' : 'active') });
  }
}
