import type { TaskAssignor } from '../assignment/task-assignor.js';
import type { Incarnation, Lease, Member, MemberId, Plan } from '../leases/records.js';
import type { TopicDescription } from '../log/log.js';
import type { Offset } from '../model/offset.js';
import type { TaskId } from '../model/task-id.js';
import type { TopicPartitionKey } from '../model/topic-partition.js';
import type { StreamsApp } from '../topology/app.js';
import type { SlotInvocation } from './heartbeat-watch.js';
import type { WorkLoad } from './wanted-members.js';

/** A slot, and for how long this scheduler has seen its item (status, incarnation, heartbeat version) stand still. */
export interface ObservedMember extends Member {
  readonly stillMs: number;
}

/** The last invocation of a slot by this scheduler, and how long ago it was. */
export interface ObservedInvocation extends SlotInvocation {
  readonly ageMs: number;
}

/** Where one input of a task stands. */
export interface ObservedInput {
  /** Committed, or as recorded with the last release; null: neither. */
  readonly nextOffset: Offset | null;
  readonly startOffset: Offset;
  /** What a reader of committed records can reach (exclusive). */
  readonly endOffset: Offset;
}

/** A changelog partition as it is now, for who asks what a copy of it lacks. */
export interface ObservedChangelog {
  readonly startOffset: Offset;
  /** What a copy can reach (exclusive): the last stable offset; of a source topic, what its task has committed. */
  readonly endOffset: Offset;
}

/** A member that carries too much. */
export interface HeavyMember {
  readonly memberId: MemberId;
  /** What its tasks weigh, as a part of its share. */
  readonly part: number;
}

/** All that a tick decides upon, as one immutable value. Kafka: KIP-924's `ApplicationState`. */
export interface ApplicationState {
  readonly app: StreamsApp;
  readonly assignor: TaskAssignor;
  /** Members wanted: slots `member-1` to `member-<wanted>`; for who holds back, those that the newest plan lists. */
  readonly wanted: number;
  /** What waits and how fast it is worked off, where that decides how many members are wanted; null: their number is given. */
  readonly load: WorkLoad | null;
  /** What tasks weigh, for an assignor that balances by it (task-weights.ts); who is not there is average. */
  readonly weights: ReadonlyMap<TaskId, number>;
  /** Who carries so much that tasks are to be placed anew; null: nobody does, or it is not time to ask. */
  readonly heavy: HeavyMember | null;
  /** Why there is a tick, in words; kept with the plan. */
  readonly tickReason: string;
  /** Incarnations whose end was reported: failed invocations, dead local processes. */
  readonly failed: readonly Incarnation[];
  /** Whether a rest ends now, by the word of a person (rest.ts). */
  readonly resume: boolean;
  /** Wall clock. */
  readonly nowMs: number;
  readonly members: readonly ObservedMember[];
  readonly leases: readonly Lease[];
  readonly plan: Plan | null;
  /** For how long this scheduler has known that plan to be the newest; 0 if there is none. */
  readonly planAgeMs: number;
  /** Of this scheduler's own settings (precedence.ts). */
  readonly settingsDigest: string;
  /** Whether plans are left to a scheduler that has begun later, with other settings (precedence.ts). */
  readonly holdsBack: boolean;
  /** Source and internal topics that exist, by name on the broker. */
  readonly topics: ReadonlyMap<string, TopicDescription>;
  readonly invocations: ReadonlyMap<MemberId, ObservedInvocation>;
  /** Inputs of the tasks that may sleep (sleep.ts); of all others nothing is known. */
  readonly inputs: ReadonlyMap<TaskId, readonly ObservedInput[]>;
  /** Changelogs of all tasks, where a placement is to be made; null: nobody asked, or they could not be read (observe-changelogs.ts). */
  readonly changelogs: ReadonlyMap<TopicPartitionKey, ObservedChangelog> | null;
  /** Milliseconds since this scheduler last asked for a task's snapshots; absent: it has not. */
  readonly standbyAges: ReadonlyMap<TaskId, number>;
  /** For how long this scheduler has seen that nobody has taken a task since its last release; absent: somebody holds it. */
  readonly releasedAges: ReadonlyMap<TaskId, number>;
}
