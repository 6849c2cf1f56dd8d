/**
 * The global stores of a member: loaded before its first task runs, and followed beside its tasks until it ends. Kafka:
 * `GlobalStreamThread`, which is one for an instance as this is one for a member.
 *
 * Invariants
 *   N1  no task of the member runs before each store has all that was committed when loading began (W1 of global-follower.ts)
 *   N2  a log that is away, or a topic that is gone, leaves readers with what there was; it is tried again for as long as the member
 *       runs, with growing pauses
 *   N3  a record that the store's processor or serde cannot take ends the member, as it ends a Kafka Streams instance: a store that
 *       stands still without a word would be worse
 *   N4  what was loaded is handed to the next member in this process (KeptStores)
 */
import type { Logger } from '../host/host.js';
import { AbortedError, asStreamsError, type StreamsError } from '../model/errors.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import { GlobalFollower } from './global-follower.js';
import type { KeptStores } from './kept-stores.js';
import type { RuntimePorts } from './ports.js';
import { backoffMs } from './recovery.js';

/** Failures in a row after which the pauses grow no more. */
const GROWING_PAUSES_MAX = 8;
/** Why following ends; a reason that is given costs no `DOMException`. */
const STOPPED = 'stopped';

export interface MemberGlobalsInit {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'host'>;
  readonly logger: Logger;
  readonly kept: KeptStores;
  /** Called when all stores are loaded. */
  readonly ready: () => void;
  /** Called with what ends the member (N3). */
  readonly failed: (error: StreamsError) => void;
}

export class MemberGlobals {
  private readonly init: MemberGlobalsInit;
  private readonly followers: readonly GlobalFollower[];
  private readonly stopping = new AbortController();
  private readonly loading: Set<GlobalFollower>;
  private running: Promise<unknown> | null = null;

  constructor(init: MemberGlobalsInit) {
    const { app, ports, logger, kept } = init;
    this.init = init;
    this.followers = [...app.topology.globalStores.values()].map(
      ({ store, topic }) => new GlobalFollower({ app, ports, logger, store, topic, kept }),
    );
    this.loading = new Set(this.followers);
  }

  /** The stores as tasks read them, by name. */
  get stores(): ReadonlyMap<string, ByteStore> {
    return new Map(this.followers.map(({ store }) => [store.name, store]));
  }

  /** Whether tasks may run (N1); true where there is no global store. */
  get isReady(): boolean {
    return this.loading.size === 0;
  }

  /** Begins to load and to follow. May be called again. */
  start(): void {
    this.running ??= Promise.all(this.followers.map((follower) => this.follow(follower)));
  }

  /** Ends following and keeps the stores (N4). May be called again; never throws. */
  async stop(): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.stopping.abort(STOPPED);
    await this.running;
    for (const follower of this.followers) await follower.release();
  }

  private async follow(follower: GlobalFollower): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.bringUpToDate(follower);
        failures = 0;
        while (!signal.aborted) await follower.follow(this.init.app.settings.pollMs, signal);
      } catch (thrown) {
        failures = Math.min(failures + 1, GROWING_PAUSES_MAX);
        if (!(await this.mayTryAgain(follower, asStreamsError(thrown), failures))) return;
      }
    }
  }

  private async bringUpToDate(follower: GlobalFollower): Promise<void> {
    const { app, ready } = this.init;
    await follower.bringUpToDate({ stallTimeoutMs: app.settings.restoreStallTimeoutMs, signal: this.stopping.signal });
    if (this.loading.delete(follower) && this.isReady) ready();
  }

  /** @returns false if following is over: stopped, died, or failed for good */
  private async mayTryAgain(follower: GlobalFollower, error: StreamsError, failures: number): Promise<boolean> {
    const { ports, logger, failed } = this.init;
    const { signal } = this.stopping;
    if (signal.aborted || error instanceof AbortedError) return false; // who has died learns it from its ports
    if (error.kind !== 'transient' && error.kind !== 'corrupted') {
      failed(error);
      return false;
    }
    const { code, message } = error;
    logger.warn('global-store-failed', { store: follower.store.name, code, message, failures });
    try {
      await ports.host.clock.sleep(backoffMs(failures, ports.host.random.next()), signal);
      return true;
    } catch {
      return false; // stopped or died meanwhile
    }
  }
}
