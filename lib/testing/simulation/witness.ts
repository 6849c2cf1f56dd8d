/**
 * What really happened in a run, as the outside world saw it: what every checker looks at. It is always there, so that a run
 * takes the same course whichever checkers watch it.
 */
import type { Offset } from '../../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../model/topic-partition.js';
import type { Cloud } from './cloud.js';
import { CommittedLog } from './committed-log.js';
import { ProtocolCoverage } from './coverage.js';
import { type Reference, type ReferenceUpdates, referenceOf } from './reference.js';
import type { Subject } from './subject.js';
import { SubjectMap } from './subject-map.js';
import { Transactions } from './transactions.js';
import { Trouble } from './trouble.js';

/** Ends of a partition as the last sample saw them. */
export interface SampledEnds {
  readonly lastStable: Offset;
  readonly highWatermark: Offset;
}

export class Witness {
  readonly map: SubjectMap;
  readonly transactions = new Transactions();
  readonly committed: CommittedLog;
  readonly coverage = new ProtocolCoverage();
  readonly trouble: Trouble;
  private readonly cloud: Cloud;
  private readonly begin: Subject['beginReference'];
  private sampled: ReadonlyMap<TopicPartitionKey, SampledEnds> = new Map();
  private readonly references = new Map<ReferenceUpdates, Promise<Reference>>();
  /** Topics whose history is of use: repartition topics are trimmed, and read by nobody else. */
  private readonly kept: ReadonlySet<string>;

  constructor(cloud: Cloud, subject: Subject) {
    this.cloud = cloud;
    this.map = new SubjectMap(subject);
    this.begin = subject.beginReference;
    this.committed = new CommittedLog(cloud.log);
    this.trouble = new Trouble(cloud.timeline, cloud.scenario);
    const repartition = new Set(this.map.tasks.flatMap(({ inputs }) => inputs.map(({ topic }) => topic)));
    this.kept = new Set([...this.map.partitionCounts.keys()].filter((topic) => !repartition.has(topic)));
    cloud.listen((effect) => {
      this.transactions.hear(effect);
      this.coverage.hear(effect);
    });
    this.transactions.listen(({ sentTo }) => {
      for (const key of sentTo) if (this.isKept(key)) this.committed.look(key);
    });
  }

  /** Ends of all partitions as of the last sample. */
  get ends(): ReadonlyMap<TopicPartitionKey, SampledEnds> {
    return this.sampled;
  }

  /** Looks at the ends of all partitions. */
  async sample(): Promise<void> {
    const { log } = this.cloud;
    const all = await this.partitions();
    const [stable, high] = await Promise.all([
      log.listOffsets(all, 'lastStable'),
      log.listOffsets(all, 'highWatermark'),
    ]);
    this.sampled = new Map(
      [...high].map(([key, highWatermark]) => [key, { highWatermark, lastStable: stable.get(key) ?? highWatermark }]),
    );
  }

  /** Reads to the ends of all topics that are kept. */
  async settle(): Promise<void> {
    for (const at of await this.partitions()) {
      const key = topicPartitionKey(at);
      if (this.isKept(key)) this.committed.look(key);
    }
    await this.committed.settle();
  }

  /** What there should be for all input appended so far; made once, when the run has ended. @throws as `referenceOf` */
  reference(updates: ReferenceUpdates = 'every'): Promise<Reference> {
    const known = this.references.get(updates);
    if (known !== undefined) return known;
    const { inputs, host } = this.cloud;
    const made = referenceOf(this.map, inputs, {
      updates,
      nowMs: host.clock.now(),
      offsetOf: (input) => this.cloud.offsetOf(input),
      ...(this.begin === undefined ? {} : { createApp: this.begin() }),
    });
    this.references.set(updates, made);
    return made;
  }

  /** All partitions that there are. */
  private async partitions(): Promise<readonly TopicPartition[]> {
    const { log } = this.cloud;
    const described = await log.describeTopics(await log.listTopics());
    return [...described.values()].flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
    );
  }

  private isKept(key: TopicPartitionKey): boolean {
    return this.kept.has(key.slice(0, key.lastIndexOf('-')));
  }
}
