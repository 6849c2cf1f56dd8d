/**
 * The records of the ownership protocol: members, leases, plans.
 *
 * Numbered invariants of the protocol (tests cite them):
 *   P1  at most one incarnation of a slot is current: incarnation numbers of a slot only grow
 *   P2  a lease's epoch grows by one with each take, never otherwise; a release keeps it
 *   P3  plan numbers grow by one; a plan is never changed after it was written
 *   P4  only the scheduler writes plans and deaths; only a member claims its slot, heartbeats, takes and releases
 *   P5  a member takes a lease only if `mayTake` (rules.ts) allows it for the plan it has read
 */
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';

/** Slot name: `member-3`. Kafka: `group.instance.id`. */
export type MemberId = `member-${number}`;

declare const epochBrand: unique symbol;
/** How often a task's lease has been taken. Not to be mixed up with the producer epoch. */
export type LeaseEpoch = number & { readonly [epochBrand]: true };

/** One claim of one slot. */
export interface Incarnation {
  readonly memberId: MemberId;
  readonly incarnation: number;
}

/** A copy of a store's partition that a member holds, as last reported. */
export interface StorePosition {
  readonly taskId: TaskId;
  readonly store: string;
  /** First changelog offset not applied. */
  readonly nextOffset: Offset;
  /** Changelog end when that was reported (exclusive). */
  readonly endOffset: Offset;
}

/** What a member says of itself with each heartbeat. */
export interface MemberReport {
  /** Tasks it runs now (its lease taken, not yet released). */
  readonly running: readonly TaskId[];
  /** Stores that it holds a copy of, running or not. */
  readonly positions: readonly StorePosition[];
  /** Records processed so far in this incarnation, for display and weights. */
  readonly recordsProcessed: number;
  /** Those of the tasks that can not process yet: they restore their stores, or wait for their turn. Absent: none. */
  readonly restores?: readonly RestoreReport[];
  /** Tasks that it was given and that do not fit into its memory. Absent: none. */
  readonly refused?: readonly RefusedTask[];
  /** The newest plan that it has read, and is ready for. Absent: none, it still copies what its predecessor runs, or an older version reports. */
  readonly planRead?: number;
  /** For how long no task has had anything to do in this slot, in milliseconds of its own clocks (U3 of copies-in-use.ts). Absent: it is at work. */
  readonly idleForMs?: number;
  /** Of the tasks that it runs; one that is not mentioned is idle. Absent: nothing is known. */
  readonly loads?: readonly TaskLoad[];
  /** That the application is to be shut down. Absent: nobody wants that. */
  readonly shutdown?: ShutdownRequest;
}

/** A task that its member runs, or of which it is to keep a copy, and whose stores are not restored yet. */
export interface RestoreReport {
  readonly taskId: TaskId;
  /**
   * `starting` not in line: its producer is initialised, it reads no more than a short tail, or pauses after a failure · `waiting` for its
   * turn · `claiming` a turn that others may claim as well: it waits still · `restoring`.
   */
  readonly state: 'starting' | 'waiting' | 'claiming' | 'restoring';
  /** Whether it is a copy of a task that runs elsewhere, or is about to run here. Absent: no, the task itself. */
  readonly copy?: boolean;
  /** Bytes that were to be read when it asked, roughly; 0 where nobody has to wait, or it has not asked. */
  readonly leftBytes: number;
}

/** A task whose stores do not fit beside what its member holds. */
export interface RefusedTask {
  readonly taskId: TaskId;
  /** The store at which that showed. */
  readonly store: string;
  /** What the task takes at least. */
  readonly estimatedBytes: number;
  /** Of the other tasks at that time. */
  readonly otherBytes: number;
  readonly budgetBytes: number;
  /** `snapshot` by what its snapshot holds at least · `measured` by what its stores had come to. */
  readonly basis: 'snapshot' | 'measured';
}

/** What a task that runs costs its member, and what waits for it. */
export interface TaskLoad {
  readonly taskId: TaskId;
  /** Records of its inputs that are committed there and not yet here; null: not known yet. */
  readonly lagRecords: number | null;
  /** Rates are per second, smoothed over some seconds (task-meter.ts). */
  readonly recordsPerSecond: number;
  /** Keys and values read. */
  readonly bytesPerSecond: number;
  /** Milliseconds in which it was processing, its user's code waited for included; its commits are not. */
  readonly busyMsPerSecond: number;
}

/** A member's request to shut the application down. Kafka: `AssignorError.SHUTDOWN_REQUESTED`. */
export interface ShutdownRequest {
  /** The task that has failed; null: a global store, or the member. */
  readonly taskId: TaskId | null;
  /** Of its error. */
  readonly code: string;
  readonly message: string;
  /** The newest plan that it has read; 0 before the first. */
  readonly planNumber: number;
}

/** Why an application rests, and who ends that. */
export interface Rest extends Omit<ShutdownRequest, 'planNumber'> {
  readonly memberId: MemberId;
  /** The setting `deployment` of the scheduler that began it: one of another ends it. */
  readonly deployment: string;
}

/**
 * `free`: nobody runs it · `claimed`: an incarnation runs · `draining`: it is handing over, its successor may claim ·
 * `dead`: the scheduler declared the incarnation dead, the next one may claim.
 */
export type MemberStatus = 'free' | 'claimed' | 'draining' | 'dead';

/** An operator's word that a slot is to be emptied and left empty (drain-marks.ts). */
export interface DrainMark {
  /** Members that were wanted then, this one and others that were drained among them. */
  readonly wantedBefore: number;
  /** Wall clock, milliseconds: until then tasks with stores stay until a copy elsewhere is caught up. 0: they move at once. */
  readonly warmUntilMs: number;
}

export interface Member extends Incarnation {
  readonly status: MemberStatus;
  /** Grows with each heartbeat of the incarnation; what the scheduler watches stand still. */
  readonly heartbeatVersion: number;
  /** The newest plan that the scheduler has announced to this member; 0 before the first. */
  readonly planNumber: number;
  /** Stores found in the execution environment when the slot was claimed. */
  readonly report: MemberReport;
  /** Capacity, zone and other tags, for the assignor. */
  readonly tags: Readonly<Record<string, string>>;
  /** That an operator drains it. Absent: nobody does. */
  readonly drain?: DrainMark;
}

/** Where an input stood at a clean release. */
export interface RecordedOffset {
  readonly nextOffset: Offset;
  readonly metadata: string;
  /** Which life of the topic the offset is of: one that was created again has another id. Absent: not known. */
  readonly topicId?: string;
}

/** Offsets of a task's inputs, recorded with a clean release: what to go on from if the committed ones have expired. */
export type RecordedOffsets = Readonly<Record<TopicPartitionKey, RecordedOffset>>;

/** Ids (KIP-516) of the topics that a task reads or keeps its state in, by name on the broker. */
export type TopicIds = Readonly<Record<string, string>>;

/** A wall-clock punctuation as a released task left it. */
export interface RecordedPunctuation {
  readonly intervalMs: number;
  /** Wall clock at which it is due next. */
  readonly dueMs: number;
}

export interface Lease {
  readonly taskId: TaskId;
  readonly epoch: LeaseEpoch;
  /** Who runs the task; null if nobody. */
  readonly owner: Incarnation | null;
  /** From the last clean release; null if there was none. Present means the task has worked before. */
  readonly offsets: RecordedOffsets | null;
  /** Wall-clock punctuations of a task that was released: who takes it goes on with them. Absent: none. */
  readonly punctuations?: readonly RecordedPunctuation[];
  /** When it was released, on the wall clock of who did; of a free lease. Absent: not recorded. For display. */
  readonly releasedAtMs?: number;
  /** Which lives of its topics the task's committed offsets and state are of. Absent: it has not begun, or an older version ran it. */
  readonly topicIds?: TopicIds;
}

/** What one member should hold. Kafka: `KafkaStreamsAssignment`. */
export interface MemberAssignment {
  readonly active: readonly TaskId[];
  readonly standby: readonly TaskId[];
  readonly warmup: readonly TaskId[];
}

/** What has to outlive schedulers of an elastic application (wanted-members.ts). */
export interface ElasticState {
  /** Number of the plan that has changed the number of slots last. */
  readonly changedIn: number;
  /** Records per second that one member bore when more were wanted last; 0: not known. */
  readonly capacity: number;
}

/** By what a placement was made besides who is there, each as a text to compare (placed-by.ts of the scheduler). */
export interface PlacedBy {
  /** The settings that concern placement, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** The tags of the members that it was made over; of one that is not named, none. */
  readonly tags: Readonly<Record<MemberId, string>>;
}

export interface Plan {
  /** From 1. */
  readonly number: number;
  readonly createdAtMs: number;
  /** Why there is a new plan, in words: `member-2 joined`, `partition count`. */
  readonly reason: string;
  readonly assignor: string;
  /** One entry, perhaps empty, for each slot that is wanted, and for those that are leaving; a member whose slot is absent ends. */
  readonly assignment: Readonly<Record<MemberId, MemberAssignment>>;
  /**
   * Slots that are wanted no more and are listed as long as they keep tasks whose next owner is not warm yet: for each the wall clock, in milliseconds, at
   * which that ends at the latest. Absent: none.
   */
  readonly leaving?: Readonly<Record<MemberId, number>>;
  /** Slots that the placement was made over: a wanted slot outside waits for a plan that counts it. Absent: all. */
  readonly placedOver?: readonly MemberId[];
  /** Whether the placement is a step on the way, so that later ticks ask the assignor again. Absent: false. */
  readonly followUp?: boolean;
  /** By what it was placed. Absent: an older version wrote it, or nothing was placed. */
  readonly placedBy?: PlacedBy;
  /** By which settings it was made, as a text to compare (precedence.ts). Absent: an older version wrote it. */
  readonly settingsDigest?: string;
  /** The application rests: nobody is granted anything (rest.ts of the scheduler). Absent: it does not. */
  readonly rest?: Rest;
  /** How the number of slots came about, where it is for the scheduler to decide. Absent: it was given. */
  readonly elastic?: ElasticState;
  /** Number of the plan that ended the last rest: requests to shut down of before are settled. Absent: there was none. */
  readonly resumed?: number;
  /** Incarnations declared dead by this plan or one before, whose leases may be taken from them. */
  readonly dead: readonly Incarnation[];
  /**
   * Names of the users' partitioners of topics that the application writes and reads, by topic, when the plan was made: a later difference
   * stops the application (partitioner-names.ts of topology). A topic that is not named has the default one. Absent: nobody has looked.
   */
  readonly partitioners?: Readonly<Record<string, string>>;
  /** Partition counts of all topics when the plan was made: a later difference stops the application. */
  readonly partitions: Readonly<Record<string, number>>;
}
