/**
 * What an assignor sees and answers. Kafka: KIP-924's `TaskAssignor`, `ApplicationState`, `KafkaStreamsState`.
 *
 * An assignor is a pure function: the same input gives the same answer, whatever the order of tasks and members in it. It
 * places tasks on members; when and how a task gets there is the scheduler's and the members' business.
 *
 * Copies: a snapshot standby (the default kind) sits on no member, so it is in no placement. `standby` and `warmup` are for
 * copies that a member keeps in memory; an assignor that has none leaves the lists empty.
 */
import type { Settings } from '../model/settings.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartition, TopicPartitionKey } from '../model/topic-partition.js';

/** A task to be placed. Kafka: `TaskInfo`. */
export interface AssignableTask {
  readonly id: TaskId;
  /** Whether it has a store with a changelog: moving it costs a restore. */
  readonly stateful: boolean;
  /** Partitions that it reads. */
  readonly inputs: readonly TopicPartition[];
  /** Changelog partitions of its stores; empty if it is stateless. */
  readonly changelogs: readonly TopicPartition[];
  /** What it costs to run, 1 for an average task. As measured, where the assignor balances by it (`balancesByWeight`); else 1. */
  readonly weight: number;
  /** What a member without a copy lacks: the records of its changelogs, summed. Absent: not known, more than any copy lacks. */
  readonly changelogRecords?: number;
}

/** The lag of a task that the member runs: less than that of any copy. Kafka: `Task.LATEST_OFFSET`. */
export const RUNNING_LAG = -2;

/** A member, or what is left of one. Kafka: `KafkaStreamsState`. */
export interface AssignableMember {
  readonly id: string;
  /** False: it may be given nothing; it is here because it held something (a leaving or dead member). */
  readonly live: boolean;
  /** How many tasks it is meant to hold: a whole number from 1. It sets its share, not a limit. */
  readonly capacity: number;
  /** Zone and whatever else the operator set. */
  readonly tags: Readonly<Record<string, string>>;
  /** The zone it runs in, by the name that `partitionZones` has for it; absent: not known. Kafka: `client.rack`. */
  readonly zone?: string;
  /** What the last plan gave it. */
  readonly previousActive: readonly TaskId[];
  readonly previousStandby: readonly TaskId[];
  readonly previousWarmup: readonly TaskId[];
  /**
   * Changelog records that its copy of a task's stores lacks, summed over the stores; `RUNNING_LAG` of a task that it runs;
   * absent: it has no copy.
   */
  readonly lags: ReadonlyMap<TaskId, number>;
}

/**
 * `none`: zones of partitions do not matter · `min_traffic`: as little traffic between zones as the balance over members
 * allows · `balance_subtopology`: the same, with the tasks of each sub-topology balanced as well. KIP-925.
 */
export type RackAwareStrategy = Settings['rackAwareAssignmentStrategy'];

/** The settings that concern placement, as an operator set them. Kafka: `AssignmentConfigs`. */
export interface AssignmentSettings {
  readonly numStandbyReplicas: number;
  /** `snapshot`: copies sit on no member · `hot`: each on a member of its own. */
  readonly standbyKind: 'snapshot' | 'hot';
  /** Greatest lag, in records, at which a copy counts as caught up (inclusive); `Number.MAX_SAFE_INTEGER`: there is none. */
  readonly acceptableRecoveryLag: number;
  readonly maxWarmupReplicas: number;
  /** Names of tags by which the copies of a task are kept apart; none: they are not. */
  readonly rackAwareAssignmentTags: readonly string[];
  /** How tasks are placed by the zones of the partitions that they read. */
  readonly rackAwareAssignmentStrategy: RackAwareStrategy;
  /** Cost of reading a partition from another zone. */
  readonly rackAwareAssignmentTrafficCost: number;
  /** Cost of placing a task elsewhere than balance alone would. */
  readonly rackAwareAssignmentNonOverlapCost: number;
}

export interface AssignmentInput {
  readonly tasks: readonly AssignableTask[];
  readonly members: readonly AssignableMember[];
  readonly settings: AssignmentSettings;
  /** Zones that hold a replica of a partition, where known: for assignors that mind the traffic between zones. */
  readonly partitionZones?: ReadonlyMap<TopicPartitionKey, readonly string[]>;
  /** True: the ends of changelogs could not be read, so lags say nothing. */
  readonly lagsUnknown?: boolean;
}

/** What one member should hold. Kafka: `KafkaStreamsAssignment`. */
export interface MemberPlacement {
  readonly active: readonly TaskId[];
  readonly standby: readonly TaskId[];
  readonly warmup: readonly TaskId[];
}

export interface Placement {
  /** By member id; a live member that is absent holds nothing. */
  readonly members: ReadonlyMap<string, MemberPlacement>;
  /** Whether this is a step on the way, and the next ticks should ask again. Kafka: the probing rebalance of KIP-441. */
  readonly followUp: boolean;
}

/**
 * Places tasks on members.
 *
 * `assign` must be pure. Its answer is checked before use (`validateAssignment`); a faulty one is refused and the old plan
 * stays. It is asked when something has changed or its last answer had `followUp`, not on every tick.
 *
 * @example
 * ```ts
 * const onGpu: TaskAssignor = {
 *   name: 'gpu-first',
 *   assign: (input) => steady.assign({ ...input, members: input.members.filter((member) => member.tags['gpu'] === 'yes') }),
 * };
 * ```
 */
export interface TaskAssignor {
  /** Recorded with each plan; changing it makes a new one. */
  readonly name: string;
  /** Whether it minds what tasks weigh: then it is asked, too, when a member carries much more than its share. Absent: no. */
  readonly balancesByWeight?: boolean;
  assign(input: AssignmentInput): Placement;
}
