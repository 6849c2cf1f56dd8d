/** Checks of values that were read as JSON. Each throws an error that names what it wanted. */
import { type Offset, offset } from '../../model/offset.js';
import { parseTaskId, type TaskId } from '../../model/task-id.js';
import type { TopicPartitionKey } from '../../model/topic-partition.js';
import type { ExplainedMember, ExplainedMove, MemberDeath, PlanExplanation, ScorePart, TaskStart } from '../history.js';
import type {
  DrainMark,
  ElasticState,
  Incarnation,
  LeaseEpoch,
  MemberAssignment,
  MemberId,
  MemberReport,
  PlacedBy,
  Plan,
  RecordedOffset,
  RecordedPunctuation,
  RefusedTask,
  Rest,
  RestoreReport,
  ShutdownRequest,
  StorePosition,
  TaskLoad,
} from '../records.js';

type Fields = Readonly<Record<string, unknown>>;
type Read<T> = (value: unknown) => T;
interface Optional<T> {
  readonly optional: Read<T>;
}
/** A reader for every field of a record: one that gets a new field does not compile until it is read here too. */
type Readers<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<NonNullable<T[K]>> : Read<T[K]>;
};

const MEMBER_ID = /^member-\d{1,9}$/;

/** Checks a slot's name. */
export function memberIdOf(value: unknown): MemberId {
  const name = textOf(value);
  if (!MEMBER_ID.test(name)) throw new TypeError(`'${name}' is no slot`);
  return name as MemberId;
}

/** Checks a task's id. */
export function taskIdOf(value: unknown): TaskId {
  return parseTaskId(textOf(value)).id;
}

const incarnationOf = objectOf<Incarnation>({ memberId: memberIdOf, incarnation: countOf });

const positionOf = objectOf<StorePosition>({
  taskId: taskIdOf,
  store: textOf,
  nextOffset: offsetOf,
  endOffset: offsetOf,
});

const assignmentOf = objectOf<MemberAssignment>({
  active: listOf(taskIdOf),
  standby: listOf(taskIdOf),
  warmup: listOf(taskIdOf),
});

/** Checks what a member reports. */
export const reportOf = objectOf<MemberReport>({
  running: listOf(taskIdOf),
  positions: listOf(positionOf),
  recordsProcessed: countOf,
  restores: optional(
    listOf(
      objectOf<RestoreReport>({
        taskId: taskIdOf,
        state: oneOf('starting', 'waiting', 'claiming', 'restoring'),
        copy: optional(booleanOf),
        leftBytes: countOf,
      }),
    ),
  ),
  refused: optional(
    listOf(
      objectOf<RefusedTask>({
        taskId: taskIdOf,
        store: textOf,
        estimatedBytes: countOf,
        otherBytes: countOf,
        budgetBytes: countOf,
        basis: oneOf('snapshot', 'measured'),
      }),
    ),
  ),
  planRead: optional(countOf),
  idleForMs: optional(numberOf),
  loads: optional(
    listOf(
      objectOf<TaskLoad>({
        taskId: taskIdOf,
        lagRecords: nullOr(countOf),
        recordsPerSecond: numberOf,
        bytesPerSecond: numberOf,
        busyMsPerSecond: numberOf,
      }),
    ),
  ),
  shutdown: optional(
    objectOf<ShutdownRequest>({
      taskId: nullOr(taskIdOf),
      code: textOf,
      message: textOf,
      planNumber: countOf,
    }),
  ),
});

/** Checks the mark of a drained slot. */
export const drainOf = objectOf<DrainMark>({ wantedBefore: countOf, warmUntilMs: numberOf });

/** Checks texts by name. */
export const tagsOf = mapOf<string, string>(textOf);

/** Checks recorded offsets. */
export const offsetsOf = mapOf<TopicPartitionKey, RecordedOffset>(
  objectOf<RecordedOffset>({ nextOffset: offsetOf, metadata: textOf, topicId: optional(textOf) }),
);

/** Checks recorded punctuations. */
export const punctuationsOf = listOf(objectOf<RecordedPunctuation>({ intervalMs: numberOf, dueMs: numberOf }));

/** Checks a plan. */
export const planOf = objectOf<Plan>({
  number: countOf,
  createdAtMs: numberOf,
  reason: textOf,
  assignor: textOf,
  assignment: mapOf<MemberId, MemberAssignment>(assignmentOf),
  leaving: optional(mapOf<MemberId, number>(numberOf)),
  placedOver: optional(listOf(memberIdOf)),
  followUp: optional(booleanOf),
  placedBy: optional(
    objectOf<PlacedBy>({ settings: mapOf<string, string>(textOf), tags: mapOf<MemberId, string>(textOf) }),
  ),
  settingsDigest: optional(textOf),
  rest: optional(
    objectOf<Rest>({
      memberId: memberIdOf,
      taskId: nullOr(taskIdOf),
      code: textOf,
      message: textOf,
      deployment: textOf,
    }),
  ),
  elastic: optional(objectOf<ElasticState>({ changedIn: countOf, capacity: numberOf })),
  resumed: optional(countOf),
  dead: listOf(incarnationOf),
  partitioners: optional(mapOf<string, string>(textOf)),
  partitions: mapOf<string, number>(countOf),
});

const textsOf = mapOf<string, string>(textOf);

/** Checks why a plan was made. */
export const explanationOf = objectOf<PlanExplanation>({
  planNumber: countOf,
  seenAtMs: numberOf,
  decidedAtMs: numberOf,
  trigger: textOf,
  assignor: textOf,
  wasPlaced: booleanOf,
  members: listOf(
    objectOf<ExplainedMember>({
      memberId: memberIdOf,
      live: booleanOf,
      capacity: countOf,
      tags: textsOf,
      activeBefore: countOf,
      active: countOf,
      standby: countOf,
      warmup: countOf,
    }),
  ),
  tasks: objectOf<PlanExplanation['tasks']>({ stateful: countOf, stateless: countOf }),
  settings: textsOf,
  score: listOf(objectOf<ScorePart>({ goal: textOf, before: nullOr(numberOf), after: numberOf, unit: textOf })),
  moves: listOf(
    objectOf<ExplainedMove>({
      taskId: taskIdOf,
      role: roleOf,
      from: nullOr(memberIdOf),
      to: memberIdOf,
      lagRecords: nullOr(numberOf),
      reason: textOf,
    }),
  ),
  movesLeftOut: countOf,
});

/** Checks a death. */
export const deathOf = objectOf<MemberDeath>({
  memberId: memberIdOf,
  incarnation: countOf,
  because: textOf,
  lastSeenAtMs: numberOf,
  seenAtMs: numberOf,
});

/** Checks how a task started. */
export const startOf = objectOf<TaskStart>({
  taskId: taskIdOf,
  leaseEpoch: (value) => countOf(value) as LeaseEpoch,
  owner: incarnationOf,
  from: nullOr(incarnationOf),
  releasedAtMs: nullOr(numberOf),
  planNumber: countOf,
  takenAtMs: numberOf,
  fencedAfterMs: nullOr(numberOf),
  restoredAfterMs: nullOr(numberOf),
  restoredRecords: countOf,
  firstCommitAfterMs: nullOr(numberOf),
});

/** Checks an object: each field by its reader; fields that it does not name are left behind. */
function objectOf<T>(readers: Readers<T>): Read<T> {
  const all = Object.entries(readers) as [string, Read<unknown> | Optional<unknown>][];
  return (value) => {
    const fields = fieldsOf(value);
    const read = all.flatMap(([name, reader]) => {
      if (typeof reader === 'function') return [[name, reader(fields[name])]];
      return fields[name] === undefined ? [] : [[name, reader.optional(fields[name])]];
    });
    return Object.fromEntries(read) as T;
  };
}

function optional<T>(read: Read<T>): Optional<T> {
  return { optional: read };
}

function nullOr<T>(read: Read<T>): Read<T | null> {
  return (value) => (value === null ? null : read(value));
}

function mapOf<K extends string, V>(read: Read<V>): Read<Readonly<Record<K, V>>> {
  return (value) => {
    const entries = Object.entries(fieldsOf(value)).map(([key, one]) => [key, read(one)]);
    return Object.fromEntries(entries) as Record<K, V>;
  };
}

function listOf<T>(read: Read<T>): Read<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError('no list');
    return value.map((one) => read(one));
  };
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return value as Fields;
}

function offsetOf(value: unknown): Offset {
  return offset(countOf(value));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text');
  return value;
}

function roleOf(value: unknown): ExplainedMove['role'] {
  if (value !== 'active' && value !== 'standby' && value !== 'warmup') throw new TypeError('no role');
  return value;
}

function oneOf<const T extends string>(...known: readonly T[]): Read<T> {
  return (value) => {
    const found = known.find((one) => one === value);
    if (found === undefined) throw new TypeError(`none of ${known.join(', ')}`);
    return found;
  };
}

function booleanOf(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new TypeError('neither true nor false');
  return value;
}

function numberOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError('no number');
  return value;
}

function countOf(value: unknown): number {
  const number = numberOf(value);
  if (!Number.isSafeInteger(number) || number < 0) throw new TypeError(`${number} is no whole number from 0`);
  return number;
}
