import type { Awaitable } from '../model/awaitable.js';
import { OffsetOutOfRangeError, TopicRecreatedError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import { topicPartitionKey } from '../model/topic-partition.js';
import { changelogFacts, type LoadedStore, loadStore } from '../runtime/load-store.js';
import type { RuntimePorts } from '../runtime/ports.js';
import { type RefusalReason, refusalByPosition } from '../snapshots/usability.js';
import type { TransactionalStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { Lines } from './lines.js';

/** Store partitions kept in memory; the one asked for longest ago goes first. */
const FOLLOWERS_MAX = 64;
/** How often it is checked that a changelog was not deleted and created again. */
const TOPIC_CHECK_INTERVAL_MS = 10_000;

export interface ReachOptions {
  readonly atLeast?: Offset;
  readonly maxStalenessMs?: number;
  readonly signal?: AbortSignal;
}

interface Warm {
  readonly loaded: LoadedStore;
  /** Monotonic milliseconds just before the end was read that it has reached; */
  freshAtMs: number;
  /** and the same moment on the wall clock, which goes on while an environment stands still between two invocations. */
  atEndMs: number;
  checkedAtMs: number;
}

/** Copies of store partitions, each brought up to date when it is asked for; questions for one partition wait in line. */
export class WarmFollowers {
  private readonly app: StreamsApp;
  private readonly ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'>;
  private readonly warm = new Map<string, Warm>();
  private readonly lines = new Lines();

  constructor({ app, ports }: { app: StreamsApp; ports: Pick<RuntimePorts, 'log' | 'snapshots' | 'host'> }) {
    this.app = app;
    this.ports = ports;
  }

  /** Reads a copy that is fresh enough; `position` is what it had come to when it was read. */
  async read<T>(
    taskId: TaskId,
    changelog: TaskChangelog,
    options: ReachOptions,
    read: (store: TransactionalStore) => Awaitable<T>,
  ): Promise<{ readonly result: T; readonly position: Offset }> {
    const name = `${taskId}/${changelog.store}`;
    return this.lines.wait(name, async () => {
      const { loaded } = await this.bringUpToDate(name, taskId, changelog, options);
      return { result: await read(loaded.store), position: loaded.follower.position };
    });
  }

  clear(): void {
    this.warm.clear();
  }

  private async bringUpToDate(
    name: string,
    taskId: TaskId,
    changelog: TaskChangelog,
    options: ReachOptions,
  ): Promise<Warm> {
    const { clock } = this.ports.host;
    const known = this.warm.get(name);
    if (known !== undefined && this.isFreshEnough(known, options)) return known;
    const askedAtMs = clock.monotonic();
    const atEndMs = clock.now();
    const target = await this.target(changelog, options.atLeast);
    if (known !== undefined && (await this.follow(known, changelog, target, options))) {
      known.freshAtMs = askedAtMs;
      known.atEndMs = atEndMs;
      return this.remember(name, known);
    }
    const loaded = await this.load(taskId, changelog, target, options);
    return this.remember(name, { loaded, freshAtMs: askedAtMs, atEndMs, checkedAtMs: askedAtMs });
  }

  private isFreshEnough({ loaded, freshAtMs }: Warm, { atLeast, maxStalenessMs }: ReachOptions): boolean {
    if (maxStalenessMs === undefined || loaded.follower.position < (atLeast ?? 0)) return false;
    return this.ports.host.clock.monotonic() - freshAtMs <= maxStalenessMs;
  }

  /** The last stable offset at the time of the question, or what the caller wants at least. */
  private async target({ topic, partition }: TaskChangelog, atLeast: Offset | undefined): Promise<Offset> {
    const ends = await this.ports.log.listOffsets([{ topic, partition }], 'lastStable');
    const end = ends.get(topicPartitionKey({ topic, partition })) ?? (0 as Offset);
    return atLeast !== undefined && atLeast > end ? atLeast : end;
  }

  /** A copy is held to what any other source of a store is held to (D2 of load-store.ts), by whichever clock has gone further. */
  private refusal({ loaded, freshAtMs, atEndMs }: Warm, target: Offset): RefusalReason | null {
    const { clock } = this.ports.host;
    const ageMs = Math.max(clock.monotonic() - freshAtMs, clock.now() - atEndMs);
    const position = { nextOffset: loaded.follower.position, lastKnownEndAtMs: 0 };
    const { logStartOffset, deleteRetentionMs } = loaded;
    return refusalByPosition(position, { logStartOffset, endOffset: target, nowMs: ageMs, deleteRetentionMs });
  }

  /**
   * @returns false if the copy is of no use any more: the log ends before it, has moved on without it, may have dropped deletes
   *   that it does not know of, or is another one
   */
  private async follow(warm: Warm, changelog: TaskChangelog, target: Offset, options: ReachOptions): Promise<boolean> {
    if (this.refusal(warm, target) !== null) return false;
    const nowMs = this.ports.host.clock.monotonic();
    if (nowMs - warm.checkedAtMs >= TOPIC_CHECK_INTERVAL_MS) {
      if ((await changelogFacts(this.ports, changelog)).topicId !== warm.loaded.topicId) return false;
      warm.checkedAtMs = nowMs;
    }
    try {
      await warm.loaded.follower.followTo({ target, toTheEnd: true, ...this.patience(options) });
      return true;
    } catch (thrown) {
      if (thrown instanceof OffsetOutOfRangeError || thrown instanceof TopicRecreatedError) return false;
      throw thrown;
    }
  }

  private load(taskId: TaskId, changelog: TaskChangelog, target: Offset, options: ReachOptions): Promise<LoadedStore> {
    const { store: storeName, topic, partition } = changelog;
    return loadStore({
      app: this.app,
      ports: this.ports,
      logger: this.ports.host.logger.child({ role: 'query' }),
      taskId,
      storeName,
      changelog: { topic, partition },
      target,
      toTheEnd: true,
      ...this.patience(options),
    });
  }

  private patience({ signal }: ReachOptions) {
    const stallTimeoutMs = this.app.settings.restoreStallTimeoutMs;
    return { stallTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  }

  private remember(name: string, warm: Warm): Warm {
    this.warm.delete(name);
    this.warm.set(name, warm);
    for (const oldest of this.warm.keys()) {
      if (this.warm.size <= FOLLOWERS_MAX) break;
      this.warm.delete(oldest);
    }
    return warm;
  }
}
