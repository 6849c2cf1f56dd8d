/**
 * Reads ranges of partitions (L1, L2, L7).
 *
 * One request for each leader, of at most MAX_FETCH_BYTES: larger ones were measured to cost memory and bring no speed. The
 * broker is asked by the topics' ids where it knows them, so that none is answered from another life of a topic (L8). The
 * order of partitions turns from fetch to fetch, since a broker fills its answer in the order of the request.
 */
import type { Clock } from '../../../host/host.js';
import { OffsetOutOfRangeError } from '../../../model/errors.js';
import { type Offset, offset } from '../../../model/offset.js';
import { type TopicPartition, topicPartitionKey } from '../../../model/topic-partition.js';
import type { FetchOptions, FetchRequest, FetchResult } from '../../log.js';
import type { Cluster } from '../cluster/cluster.js';
import { BrokerError, failOn, failOnLeader, UNKNOWN_TOPIC_ID } from '../failures.js';
import { throwIfAborted, untilAborted } from '../log-errors.js';
import type { Address } from '../net/transport.js';
import { type ReadBatchesOptions, readBatches } from '../records/read-batches.js';
import type { FetchedPartition, FetchPartition } from '../requests/fetch.js';
import { NO_TOPIC_ID } from '../requests/metadata.js';
import type { Retrier } from '../retrier.js';
import { bringsSomething, type LeaderPoll, LeaderPolls } from './leader-polls.js';
import type { OffsetLister } from './offset-lister.js';

/** Bytes of one request's answer, however many are asked for. */
export const MAX_FETCH_BYTES = 1024 * 1024;
/** The least that a partition is offered where many share a request: a batch of Kafka's default size many times over. */
const LEAST_PARTITION_BYTES = 128 * 1024;

const WHAT = 'fetch';

export interface FetcherOptions {
  readonly cluster: Cluster;
  readonly retrier: Retrier;
  readonly offsets: OffsetLister;
  readonly clock: Clock;
  /** How batches are read. */
  readonly reading: Pick<ReadBatchesOptions, 'digest' | 'codecs'>;
}

export class Fetcher {
  private readonly options: FetcherOptions;
  private readonly polls: LeaderPolls;
  private turn = 0;

  constructor(options: FetcherOptions) {
    this.options = options;
    this.polls = new LeaderPolls(options.cluster, options.clock);
  }

  /** See `LogReader.fetch`. */
  async fetch(requests: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]> {
    const { signal } = options;
    throwIfAborted(signal);
    if (requests.length === 0) return [];
    const { cluster, retrier, clock } = this.options;
    const untilMs = clock.monotonic() + options.maxWaitMs;
    const topics = requests.map(({ topic }) => topic);
    const work = retrier.run({
      what: WHAT,
      signal,
      attempt: ({ failures }) => {
        // The first attempt asks with the wait as given: asked again, the same question finds the poll under way.
        const maxWaitMs = failures === 0 ? options.maxWaitMs : Math.max(0, Math.round(untilMs - clock.monotonic()));
        return this.attempt(requests, { ...options, maxWaitMs });
      },
      forget: (failure) => cluster.forget(failure, topics),
    });
    try {
      return await untilAborted(work, signal);
    } catch (error) {
      if (error instanceof OffsetOutOfRangeError) throw await this.withRange(error, requests);
      throw error;
    }
  }

  private async attempt(requests: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]> {
    const leaders = await untilAborted(this.options.cluster.byLeader(WHAT, this.turned(requests)), options.signal);
    throwIfAborted(options.signal);
    const polls = [...leaders].map(([leader, wanted]) => this.join(leader, wanted, requests.length, options));
    try {
      await untilAborted(firstAnswer(polls), options.signal);
      return polls.flatMap((poll) => this.resultsOf(poll, requests, options));
    } finally {
      this.polls.leave(polls);
    }
  }

  private join(leader: Address, wanted: readonly FetchRequest[], all: number, options: FetchOptions): LeaderPoll {
    const { isolation, maxWaitMs } = options;
    const maxBytes = Math.ceil((Math.min(options.maxBytes, MAX_FETCH_BYTES) * wanted.length) / all);
    const partitionBytes = Math.min(maxBytes, Math.max(Math.ceil(maxBytes / wanted.length), LEAST_PARTITION_BYTES));
    const partitions: FetchPartition[] = wanted.map((request) => ({
      ...request,
      topicId: this.topicIdOf(request),
      maxBytes: partitionBytes,
    }));
    return this.polls.join(leader, { partitions, isolation, maxWaitMs, maxBytes });
  }

  /** What a caller's own id does not agree with may be old, here or at the broker that told it: it is asked for again, for a while. */
  private topicIdOf({ topic, partition, topicId: wantedTopicId }: FetchRequest): string {
    const topicId = this.options.cluster.topicId(topic);
    if (wantedTopicId === undefined || wantedTopicId === topicId || topicId === NO_TOPIC_ID) return topicId;
    const details = { topic, partition, wantedTopicId, topicId };
    throw new BrokerError(`${WHAT} ${topic}-${partition}`, UNKNOWN_TOPIC_ID, details, {
      words: 'the topic was deleted and created again',
      action: 'other-topic',
    });
  }

  private resultsOf(
    { outcome }: LeaderPoll,
    requests: readonly FetchRequest[],
    options: FetchOptions,
  ): readonly FetchResult[] {
    if (outcome === undefined) return [];
    if ('thrown' in outcome) throw outcome.thrown;
    const { errorCode, partitions } = outcome.answer;
    failOn(WHAT, errorCode);
    return partitions.map((partition) => this.result(partition, requests, options));
  }

  private result(
    fetched: FetchedPartition,
    requests: readonly FetchRequest[],
    { isolation }: FetchOptions,
  ): FetchResult {
    const { topic, partition, errorCode, records, aborted, highWatermark, lastStableOffset, logStartOffset } = fetched;
    const request = requests.find((each) => each.topic === topic && each.partition === partition);
    if (request === undefined)
      throw new BrokerError('fetch: an answer that nobody asked for', -1, { topic, partition });
    const { fromOffset } = request;
    failOnLeader(`fetch ${topic}-${partition} from ${fromOffset}`, errorCode, { topic, partition, fromOffset });
    return {
      topic,
      partition,
      ...readBatches(records, { ...this.options.reading, fromOffset, isolation, abortedTransactions: aborted }),
      logStartOffset: atLeast(logStartOffset, 0),
      highWatermark: atLeast(highWatermark, 0),
      // Where records were deleted up into an open transaction, brokers still name its first.
      lastStableOffset: atLeast(lastStableOffset < 0 ? highWatermark : lastStableOffset, Math.max(logStartOffset, 0)),
    };
  }

  /** Says with the error what the log has: the reader decides by it whether to begin again or to stop. */
  private async withRange(error: OffsetOutOfRangeError, requests: readonly FetchRequest[]): Promise<Error> {
    const { topic, partition } = error.details;
    const request = requests.find((each) => each.topic === topic && each.partition === partition);
    if (request === undefined) return error;
    const range = await this.rangeOf(request).catch(() => ({}));
    return new OffsetOutOfRangeError(error.message, {
      cause: error.cause,
      details: { topic, partition, requestedOffset: request.fromOffset, ...range },
    });
  }

  private async rangeOf(at: TopicPartition): Promise<{ logStartOffset?: Offset; endOffset?: Offset }> {
    const key = topicPartitionKey(at);
    const [start, end] = await Promise.all([
      this.options.offsets.list([at], 'earliest'),
      this.options.offsets.list([at], 'highWatermark'),
    ]);
    const [logStartOffset, endOffset] = [start.get(key), end.get(key)];
    return { ...(logStartOffset !== undefined && { logStartOffset }), ...(endOffset !== undefined && { endOffset }) };
  }

  private turned<T>(items: readonly T[]): readonly T[] {
    this.turn = (this.turn + 1) % items.length;
    return [...items.slice(this.turn), ...items.slice(0, this.turn)];
  }
}

/** Waits until a poll brings something, or all have ended. */
async function firstAnswer(polls: readonly LeaderPoll[]): Promise<void> {
  const waiting = new Set(polls);
  while (waiting.size > 0) {
    await Promise.race([...waiting].map(({ settled }) => settled));
    for (const poll of waiting) if (poll.outcome !== undefined) waiting.delete(poll);
    if (polls.some(bringsSomething)) return;
  }
}

function atLeast(value: number, least: number): Offset {
  return offset(Math.max(value, least));
}
