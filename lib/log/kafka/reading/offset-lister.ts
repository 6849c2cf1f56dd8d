import { type Offset, offset } from '../../../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import type { IsolationLevel, OffsetSpec } from '../../log.js';
import type { Cluster } from '../cluster/cluster.js';
import { failOnLeader } from '../failures.js';
import { EARLIEST, LATEST, listOffsetsRequest } from '../requests/list-offsets.js';
import type { Retrier } from '../retrier.js';

const WHAT = 'list offsets';

/** Asks leaders for the ends of partitions, and for offsets by time. */
export class OffsetLister {
  private readonly cluster: Cluster;
  private readonly retrier: Retrier;

  constructor(cluster: Cluster, retrier: Retrier) {
    this.cluster = cluster;
    this.retrier = retrier;
  }

  /** See `LogReader.listOffsets`. */
  async list(of: readonly TopicPartition[], spec: OffsetSpec): Promise<ReadonlyMap<TopicPartitionKey, Offset>> {
    if (typeof spec === 'object') return this.byTime(of, spec.timestampMs);
    const timestampMs = spec === 'earliest' ? EARLIEST : LATEST;
    const isolation = spec === 'lastStable' ? 'readCommitted' : 'readUncommitted';
    const found = await this.ask(of, timestampMs, isolation);
    return new Map([...found].map(([key, at]) => [key, offset(Math.max(at, 0))]));
  }

  /** The broker answers −1 where no record is at or after the time: that is the end, asked for before so as not to pass any. */
  private async byTime(of: readonly TopicPartition[], timestampMs: number) {
    const ends = await this.list(of, 'highWatermark');
    // Times below 0 stand for other questions at the broker; no record that has a time has one of those.
    const found = await this.ask(of, Math.max(timestampMs, 0), 'readUncommitted');
    return new Map([...ends].map(([key, end]) => [key, atOrEnd(found.get(key) ?? -1, end)]));
  }

  private async ask(
    of: readonly TopicPartition[],
    timestampMs: number,
    isolation: IsolationLevel,
  ): Promise<ReadonlyMap<TopicPartitionKey, number>> {
    if (of.length === 0) return new Map();
    return this.retrier.run({
      what: WHAT,
      attempt: async () => {
        const leaders = await this.cluster.byLeader(WHAT, of);
        const answers = await Promise.all(
          [...leaders].map(([leader, partitions]) =>
            this.cluster.send(
              leader,
              listOffsetsRequest(
                partitions.map(({ topic, partition }) => ({ topic, partition, timestampMs })),
                isolation,
              ),
            ),
          ),
        );
        const offsets = new Map<TopicPartitionKey, number>();
        for (const { topic, partition, errorCode, offset: found } of answers.flat()) {
          failOnLeader(`${WHAT} of ${topic}-${partition}`, errorCode, { topic, partition });
          offsets.set(topicPartitionKey({ topic, partition }), found);
        }
        return offsets;
      },
      forget: (failure) => this.cluster.forget(failure, new Set(of.map(({ topic }) => topic))),
    });
  }
}

function atOrEnd(found: number, end: Offset): Offset {
  return found < 0 ? end : offset(found);
}
