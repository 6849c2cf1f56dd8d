import type { Awaitable } from '../model/awaitable.js';
import type { Offset } from '../model/offset.js';
import type { TopicPartition } from '../model/topic-partition.js';
import { GlobalFollower, type OffsetGoal } from '../runtime/global-follower.js';
import { KeptStores } from '../runtime/kept-stores.js';
import type { RuntimePorts } from '../runtime/ports.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { GlobalStore } from '../topology/topology.js';
import { Lines } from './lines.js';

/** How fresh a global store has to be. */
export interface GlobalReach {
  /** Offset that has to be reached in one partition of the topic, chosen by how many there are. */
  readonly atLeast?: OffsetGoal;
  readonly maxStalenessMs?: number;
  readonly signal?: AbortSignal;
}

export interface GlobalRead<T> {
  readonly result: T;
  /** Where the store stood in each partition when it was read. */
  readonly positions: readonly (TopicPartition & { readonly nextOffset: Offset })[];
}

interface WarmGlobal {
  readonly follower: GlobalFollower;
  /** Monotonic milliseconds just before the end was read that it has reached; null until then. */
  freshAtMs: number | null;
}

/** The global stores of an application, each brought up to date when it is asked for; questions for one wait in line. */
export class WarmGlobals {
  private readonly app: StreamsApp;
  private readonly ports: Pick<RuntimePorts, 'log' | 'host'>;
  private readonly warm = new Map<string, WarmGlobal>();
  private readonly lines = new Lines();

  constructor({ app, ports }: { app: StreamsApp; ports: Pick<RuntimePorts, 'log' | 'host'> }) {
    this.app = app;
    this.ports = ports;
  }

  /** Reads a store that is fresh enough. */
  read<T>(global: GlobalStore, reach: GlobalReach, read: (store: ByteStore) => Awaitable<T>): Promise<GlobalRead<T>> {
    return this.lines.wait(global.store, async () => {
      const warm = this.warmOf(global);
      if (!this.isFreshEnough(warm, reach)) await this.bringUpToDate(warm, reach);
      return { result: await read(warm.follower.store), positions: warm.follower.positions };
    });
  }

  clear(): void {
    this.warm.clear();
  }

  private warmOf({ store, topic }: GlobalStore): WarmGlobal {
    const known = this.warm.get(store);
    if (known !== undefined) return known;
    const { app, ports } = this;
    const logger = ports.host.logger.child({ role: 'query' });
    const follower = new GlobalFollower({ app, ports, logger, store, topic, kept: new KeptStores() });
    const warm = { follower, freshAtMs: null };
    this.warm.set(store, warm);
    return warm;
  }

  private isFreshEnough({ follower, freshAtMs }: WarmGlobal, { atLeast, maxStalenessMs }: GlobalReach): boolean {
    if (maxStalenessMs === undefined || freshAtMs === null) return false;
    if (this.ports.host.clock.monotonic() - freshAtMs > maxStalenessMs) return false;
    if (atLeast === undefined) return true;
    const { positions } = follower;
    return (positions[atLeast.partitionAmong(positions.length)]?.nextOffset ?? 0) >= atLeast.offset;
  }

  private async bringUpToDate(warm: WarmGlobal, { atLeast, signal }: GlobalReach): Promise<void> {
    const askedAtMs = this.ports.host.clock.monotonic();
    await warm.follower.bringUpToDate({
      stallTimeoutMs: this.app.settings.restoreStallTimeoutMs,
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(signal === undefined ? {} : { signal }),
    });
    warm.freshAtMs = askedAtMs;
  }
}
