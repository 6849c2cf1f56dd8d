/** The content of one global store, and how far it has come in each partition of its topic. */

import type { Clock, Logger, Metrics } from '../host/host.js';
import { isPromise } from '../model/awaitable.js';
import { InternalError } from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import type { RecordSet } from '../model/record-set.js';
import { messageOf } from '../model/thrown.js';
import { refusalByPosition } from '../snapshots/usability.js';
import type { TransactionalStore } from '../state/byte-store.js';
import { createGlobalTask, type GlobalTask } from '../task/global-task.js';
import type { StreamsApp } from '../topology/app.js';
import { Breather } from './breather.js';
import type { KeptGlobalStore } from './kept-stores.js';

/** What is known of the topic of a global store before it is read. */
export interface GlobalTopicFacts {
  readonly topicId: string;
  /** Infinity where the cleaner drops no tombstones. */
  readonly deleteRetentionMs: number;
  /** Of each partition: where its log starts, and the last stable offset. */
  readonly partitions: ReadonlyMap<number, { readonly startOffset: Offset; readonly endOffset: Offset }>;
}

/** Where an image stands in one partition. */
interface Standing {
  /** First offset not applied. */
  position: Offset;
  /** Whether the last read came to the end as it was then. */
  isAtEnd: boolean;
  /** Wall clock at which `position` was last known to be the end, or at which reading began. */
  atEndMs: number;
}

export interface GlobalImageInit {
  readonly app: StreamsApp;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly store: TransactionalStore;
  readonly facts: GlobalTopicFacts;
  /** Where it goes on; null: it is empty, and read from the log's start. */
  readonly kept: KeptGlobalStore | null;
}

/**
 * Whether what was kept can be read on from (D2 of load-store.ts, for every partition): else the whole store is built anew, since
 * what one partition has deleted cannot be told apart in it.
 */
export function isUsable(kept: KeptGlobalStore, facts: GlobalTopicFacts, nowMs: number): boolean {
  const { topicId, deleteRetentionMs, partitions } = facts;
  if (kept.topicId !== topicId) return false;
  return [...kept.partitions].every(([partition, { nextOffset, atEndMs }]) => {
    const found = partitions.get(partition);
    if (found === undefined) return false;
    const bounds = { logStartOffset: found.startOffset, endOffset: found.endOffset, nowMs, deleteRetentionMs };
    return refusalByPosition({ nextOffset, lastKnownEndAtMs: atEndMs }, bounds) === null;
  });
}

export class GlobalImage {
  readonly store: TransactionalStore;
  readonly topicId: string;
  recordsApplied = 0;
  private readonly init: GlobalImageInit;
  private readonly task: GlobalTask;
  private readonly standings = new Map<number, Standing>();
  private readonly breather: Breather;

  /** @throws {ProcessingError} STREAMS_PROCESSING_FAILED if the processor's supplier or its `init` throws */
  static async open(init: GlobalImageInit): Promise<GlobalImage> {
    const image = new GlobalImage(init);
    const ready = image.task.init();
    if (isPromise(ready)) await ready;
    return image;
  }

  private constructor(init: GlobalImageInit) {
    const { app, clock, store, facts, kept } = init;
    this.init = init;
    this.store = store;
    this.topicId = facts.topicId;
    this.breather = new Breather(clock);
    this.task = createGlobalTask({ app, storeName: store.name, store, nowMs: clock.now() });
    for (const [partition, { nextOffset, atEndMs }] of kept?.partitions ?? [])
      this.standings.set(partition, { position: nextOffset, isAtEnd: false, atEndMs });
    this.addPartitions(facts);
  }

  /** Takes partitions in that the topic has gained; what is there already stands as it does. */
  addPartitions({ partitions }: GlobalTopicFacts): void {
    const nowMs = this.init.clock.now();
    for (const [partition, { startOffset }] of partitions) {
      if (this.standings.has(partition)) continue;
      this.standings.set(partition, { position: startOffset, isAtEnd: false, atEndMs: nowMs });
    }
  }

  get partitions(): readonly number[] {
    return [...this.standings.keys()];
  }

  position(partition: number): Offset {
    return this.standing(partition).position;
  }

  isAtEnd(partition: number): boolean {
    return this.standing(partition).isAtEnd;
  }

  /** There was nothing to answer for the partition. */
  nothingNew(partition: number): void {
    this.standing(partition).isAtEnd = true;
  }

  /**
   * Applies what was read of a partition; the position moves on with each slice that is in the image.
   *
   * @param askedAtMs wall clock before the read
   */
  async apply(
    partition: number,
    read: { readonly records: RecordSet; readonly nextOffset: Offset; readonly lastStableOffset: Offset },
    askedAtMs: number,
  ): Promise<void> {
    const { records, nextOffset, lastStableOffset } = read;
    const standing = this.standing(partition);
    const { clock } = this.init;
    for (let index = 0; index < records.size; ) {
      const applied = this.task.apply({ partition, records }, index, clock.now());
      const next = isPromise(applied) ? await applied : applied;
      this.recordsApplied += next - index;
      index = next;
      if (index < records.size) standing.position = records.offsets[index] as Offset;
      await this.breather.turn();
    }
    standing.position = nextOffset;
    standing.isAtEnd = nextOffset >= lastStableOffset;
    if (standing.isAtEnd) standing.atEndMs = askedAtMs;
    this.reportDropped();
  }

  /** As it can be kept and read on from. */
  get kept(): KeptGlobalStore {
    const partitions = [...this.standings].map(
      ([partition, { position, atEndMs }]) => [partition, { nextOffset: position, atEndMs }] as const,
    );
    return { store: this.store, topicId: this.topicId, partitions: new Map(partitions) };
  }

  /** Closes the processor; what its `close` throws can not undo what the store holds, and is logged. */
  async close(): Promise<void> {
    try {
      await this.task.close();
    } catch (thrown) {
      const message = messageOf(thrown);
      this.init.logger.warn('close-failed', { store: this.store.name, message });
    }
  }

  private standing(partition: number): Standing {
    const known = this.standings.get(partition);
    if (known !== undefined) return known;
    throw new InternalError(`store ${this.store.name} does not read partition ${partition}`, {
      details: { partition },
    });
  }

  private reportDropped(): void {
    const { logger, metrics, store } = this.init;
    for (const { reason, count, last } of this.task.takeDropped()) {
      logger.warn('records-dropped', { store: store.name, reason, count, ...last });
      metrics.count('dropped-records', count, { store: store.name, reason });
    }
  }
}
