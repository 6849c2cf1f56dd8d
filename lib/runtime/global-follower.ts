/**
 * Holds one global store up with its topic: the one way in which members and queries come by its content.
 *
 * Invariants
 *   F1 and F2 of follower.ts hold for each partition
 *   W1  what is shown has, for each partition, all that was committed when it was brought up to date: it was read to the last stable
 *       offset as of then, and on to the end that the last read saw (F5 of follower.ts)
 *   W2  readers see one image at a time, whole: one that has to be built anew is built beside the old one (a topic that was created
 *       again, a log that has moved on without us, deletes that may have been missed)
 *   W3  no wait is endless: without progress for the stall time-out it ends with an error
 */
import type { Logger } from '../host/host.js';
import type { FetchResult, TopicDescription } from '../log/log.js';
import {
  OffsetOutOfRangeError,
  RestoreStalledError,
  StreamsError,
  TopicRecreatedError,
  UnknownTopicError,
} from '../model/errors.js';
import type { Offset } from '../model/offset.js';
import { type TopicPartition, topicPartitionKey } from '../model/topic-partition.js';
import type { ByteStore } from '../state/byte-store.js';
import type { StreamsApp } from '../topology/app.js';
import { CHASES_MAX, FOLLOW_WAIT_MS } from './follower.js';
import { GlobalImage, type GlobalTopicFacts, isUsable } from './global-image.js';
import type { KeptStores } from './kept-stores.js';
import { deleteRetentionMs, emptyStore, storeSpec } from './load-store.js';
import type { RuntimePorts } from './ports.js';
import { ShownStore } from './shown-store.js';

/** Times that a store is begun anew in a row: a topic that goes away under so many cannot be loaded. */
const LOADS_MAX = 8;
/** How often it is checked that the topic was not deleted and created again, and whether it has more partitions. */
const TOPIC_CHECK_INTERVAL_MS = 10_000;

export interface GlobalFollowerInit {
  readonly app: StreamsApp;
  readonly ports: Pick<RuntimePorts, 'log' | 'host'>;
  readonly logger: Logger;
  /** Name of the global store. */
  readonly store: string;
  /** Name of its topic. */
  readonly topic: string;
  /** Where it may find the store, and leaves it. */
  readonly kept: KeptStores;
}

export interface Patience {
  /** Longest time without progress. */
  readonly stallTimeoutMs: number;
  readonly signal?: AbortSignal;
  /** What has to be reached whatever the log's end is now. */
  readonly atLeast?: OffsetGoal;
}

/** An offset in one partition of a topic, chosen by how many there are. */
export interface OffsetGoal {
  partitionAmong(count: number): number;
  readonly offset: Offset;
}

export class GlobalFollower {
  private readonly init: GlobalFollowerInit;
  private readonly shown: ShownStore;
  /** What is shown. */
  private image: GlobalImage | null = null;
  /** What is being built, as far as it has come. */
  private pending: GlobalImage | null = null;
  private description: { readonly of: TopicDescription; readonly atMs: number } | null = null;

  constructor(init: GlobalFollowerInit) {
    this.init = init;
    this.shown = new ShownStore(init.store);
  }

  /** The store for readers; legal once it was brought up to date. */
  get store(): ByteStore {
    return this.shown;
  }

  /** Where what is shown stands, by partition: the first offset that it does not know of. */
  get positions(): readonly (TopicPartition & { readonly nextOffset: Offset })[] {
    const { image } = this;
    const { topic } = this.init;
    return (image?.partitions ?? []).map((partition) => ({
      topic,
      partition,
      nextOffset: image?.position(partition) ?? (0 as Offset),
    }));
  }

  /**
   * Loads the store, or goes on from where it is, until it has all that is committed now (W1).
   *
   * @throws {RestoreStalledError} STREAMS_RESTORE_STALLED · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC · {AbortedError}
   *   STREAMS_ABORTED · {DeserializationError} STREAMS_DESERIALIZATION_FAILED · {ProcessingError} STREAMS_PROCESSING_FAILED
   */
  async bringUpToDate(patience: Patience): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        const facts = await this.facts();
        const image = await this.usableImage(facts);
        await this.catchUp(image, facts, patience);
        this.show(image);
        return;
      } catch (thrown) {
        if (isGone(thrown)) this.description = null;
        if (isGone(thrown) || !isPassing(thrown)) await this.dropPending();
        if (!isGone(thrown) || tried >= LOADS_MAX) throw thrown;
        this.init.logger.warn('global-store-lost', {
          store: this.init.store,
          code: thrown.code,
          message: thrown.message,
        });
      }
    }
  }

  /**
   * Applies what comes, waiting for it up to `maxWaitMs`. Call it again and again after {@link bringUpToDate}.
   *
   * @throws {OffsetOutOfRangeError} STREAMS_OFFSET_OUT_OF_RANGE · {TopicRecreatedError} STREAMS_TOPIC_RECREATED: it has to be brought
   *   up to date again. Others as there; after an error of user code what is shown stays, and nothing is followed any more
   */
  async follow(maxWaitMs: number, signal: AbortSignal): Promise<void> {
    const { image } = this;
    if (image === null) return;
    if (this.isCheckDue) await this.checkTopic(image);
    const before = image.recordsApplied;
    await this.read(image, image.partitions, maxWaitMs, signal);
    const isNews = image.recordsApplied > before && image.partitions.every((partition) => image.isAtEnd(partition));
    if (isNews) this.init.logger.debug('global-store-at-end', this.standing(image));
  }

  /** Hands the store back for the next user in this process. */
  async release(): Promise<void> {
    const best = this.image ?? this.pending;
    if (best !== this.pending) await this.dropPending();
    this.image = null;
    this.pending = null;
    if (best === null) return;
    await best.close();
    this.init.kept.keepGlobal(best.kept);
  }

  private async facts(): Promise<GlobalTopicFacts> {
    const { log } = this.init.ports;
    const { topic } = this.init;
    const { topicId, config, partitions } = await this.describe();
    const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
    const [starts, ends] = await Promise.all([log.listOffsets(all, 'earliest'), log.listOffsets(all, 'lastStable')]);
    const bounds = all.map((at) => {
      const key = topicPartitionKey(at);
      const offsets = { startOffset: starts.get(key) ?? (0 as Offset), endOffset: ends.get(key) ?? (0 as Offset) };
      return [at.partition, offsets] as const;
    });
    return { topicId, deleteRetentionMs: deleteRetentionMs(config), partitions: new Map(bounds) };
  }

  private get isCheckDue(): boolean {
    const { clock } = this.init.ports.host;
    return this.description === null || clock.monotonic() - this.description.atMs >= TOPIC_CHECK_INTERVAL_MS;
  }

  private async describe(): Promise<TopicDescription> {
    if (this.description !== null && !this.isCheckDue) return this.description.of;
    const { log, host } = this.init.ports;
    const { topic, store } = this.init;
    const atMs = host.clock.monotonic();
    const found = (await log.describeTopics([topic])).get(topic);
    if (found === undefined)
      throw new UnknownTopicError(`topic ${topic} of global store ${store} does not exist`, {
        details: { topic, store },
      });
    this.description = { of: found, atMs };
    return found;
  }

  private async checkTopic(image: GlobalImage): Promise<void> {
    const facts = await this.facts();
    if (facts.topicId !== image.topicId)
      throw new TopicRecreatedError(`topic ${this.init.topic} was deleted and created again`, {
        details: { topic: this.init.topic, wantedTopicId: image.topicId, topicId: facts.topicId },
      });
    image.addPartitions(facts);
  }

  /** What is shown, what was being built, what was kept, or a new one. */
  private async usableImage(facts: GlobalTopicFacts): Promise<GlobalImage> {
    const { app, ports, logger, kept, store: name } = this.init;
    const { clock, metrics } = ports.host;
    for (const image of [this.image, this.pending]) {
      if (image === null || !isUsable(image.kept, facts, clock.now())) continue;
      image.addPartitions(facts);
      return image;
    }
    await this.dropPending();
    const found = this.image === null ? kept.takeGlobal(name) : null;
    const usable = found !== null && isUsable(found, facts, clock.now()) ? found : null;
    logger.info('global-store-loading', {
      store: name,
      topic: this.init.topic,
      mode: usable === null ? 'log' : 'memory',
    });
    const store = usable?.store ?? emptyStore(storeSpec(app, name));
    this.pending = await GlobalImage.open({ app, clock, logger, metrics, store, facts, kept: usable });
    return this.pending;
  }

  private async catchUp(image: GlobalImage, facts: GlobalTopicFacts, patience: Patience): Promise<void> {
    const { clock } = this.init.ports.host;
    const { stallTimeoutMs, signal, atLeast } = patience;
    const goal = atLeast?.partitionAmong(facts.partitions.size);
    const targetOf = (partition: number) =>
      Math.max(facts.partitions.get(partition)?.endOffset ?? 0, partition === goal ? (atLeast?.offset ?? 0) : 0);
    let progressAtMs = clock.monotonic();
    for (let chases = 0; ; ) {
      const behind = image.partitions.filter((partition) => image.position(partition) < targetOf(partition));
      const restless = image.partitions.filter((partition) => !image.isAtEnd(partition));
      if (behind.length === 0 && (restless.length === 0 || chases >= CHASES_MAX)) return;
      if (behind.length === 0) chases += 1;
      const wanted = behind.length === 0 ? restless : behind;
      const moved = await this.read(image, wanted, behind.length === 0 ? 0 : FOLLOW_WAIT_MS, signal);
      const nowMs = clock.monotonic();
      if (moved) progressAtMs = nowMs;
      else if (behind.length > 0 && nowMs - progressAtMs >= stallTimeoutMs) throw this.stalled(image, behind, targetOf);
    }
  }

  /** One fetch of these partitions, applied. @returns whether any position moved */
  private async read(
    image: GlobalImage,
    partitions: readonly number[],
    maxWaitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { app, ports, topic } = this.init;
    const askedAtMs = ports.host.clock.now();
    const requests = partitions.map((partition) => ({
      topic,
      partition,
      topicId: image.topicId,
      fromOffset: image.position(partition),
    }));
    const results = await ports.log.fetch(requests, {
      isolation: 'readCommitted',
      maxWaitMs,
      maxBytes: app.settings.fetchMaxBytes,
      ...(signal === undefined ? {} : { signal }),
    });
    const answered = new Map<number, FetchResult>(results.map((result) => [result.partition, result]));
    let moved = false;
    for (const partition of partitions) {
      const result = answered.get(partition);
      if (result === undefined) {
        if (maxWaitMs === 0) image.nothingNew(partition);
        continue;
      }
      moved = result.nextOffset > image.position(partition) || moved;
      await image.apply(partition, result, askedAtMs);
    }
    this.reportLag(results);
    return moved;
  }

  /** How many offsets of what the log had were still to be read after a fetch. */
  private reportLag(results: readonly FetchResult[]): void {
    const lag = results.reduce(
      (sum, { lastStableOffset, nextOffset }) => sum + Math.max(0, lastStableOffset - nextOffset),
      0,
    );
    if (results.length > 0)
      this.init.ports.host.metrics.gauge('global-store-lag-records', lag, { store: this.init.store });
  }

  private show(image: GlobalImage): void {
    const before = this.image;
    if (before === image) return;
    this.image = image;
    this.pending = null;
    this.shown.show(image.store);
    this.init.logger.info('global-store-loaded', { ...this.standing(image), records: image.recordsApplied });
    void before?.close(); // it logs what goes wrong, and nobody reads the image any more
  }

  /** What it was built from is gone, or user code failed on it. */
  private async dropPending(): Promise<void> {
    const { pending } = this;
    this.pending = null;
    await pending?.close();
  }

  private standing(image: GlobalImage) {
    const positions = Object.fromEntries(image.partitions.map((partition) => [partition, image.position(partition)]));
    return { store: this.init.store, topic: this.init.topic, positions };
  }

  private stalled(
    image: GlobalImage,
    behind: readonly number[],
    targetOf: (partition: number) => number,
  ): RestoreStalledError {
    const { topic, store } = this.init;
    const stuck = behind.map((partition) => ({
      partition,
      position: image.position(partition),
      targetOffset: targetOf(partition),
    }));
    return new RestoreStalledError(`global store ${store} got no further in ${behind.length} partitions of ${topic}`, {
      details: { topic, store, stuck },
    });
  }
}

/** Whether what an image was built from is not there any more. */
function isGone(thrown: unknown): thrown is OffsetOutOfRangeError | TopicRecreatedError {
  return thrown instanceof OffsetOutOfRangeError || thrown instanceof TopicRecreatedError;
}

function isPassing(thrown: unknown): boolean {
  return thrown instanceof StreamsError && thrown.kind === 'transient';
}
