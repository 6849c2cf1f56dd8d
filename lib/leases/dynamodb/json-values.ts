/** Checks of values that were read as JSON. Each throws a `TypeError` that names what it wanted. */
import { type Offset, offset } from '../../model/offset.js';
import { parseTaskId, type TaskId } from '../../model/task-id.js';
import type { TopicPartitionKey } from '../../model/topic-partition.js';
import type {
  Incarnation,
  MemberAssignment,
  MemberId,
  MemberReport,
  Plan,
  RecordedOffsets,
  RecordedPunctuation,
  StorePosition,
} from '../records.js';

type Fields = Readonly<Record<string, unknown>>;

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

/** Checks what a member reports. */
export function reportOf(value: unknown): MemberReport {
  const { running, positions, recordsProcessed } = fieldsOf(value);
  return {
    running: listOf(running, taskIdOf),
    positions: listOf(positions, positionOf),
    recordsProcessed: countOf(recordsProcessed),
  };
}

/** Checks texts by name. */
export function tagsOf(value: unknown): Readonly<Record<string, string>> {
  return mapOf(value, textOf);
}

/** Checks recorded offsets. */
export function offsetsOf(value: unknown): RecordedOffsets {
  return mapOf<TopicPartitionKey, { nextOffset: Offset; metadata: string }>(value, (one) => {
    const { nextOffset, metadata } = fieldsOf(one);
    return { nextOffset: offset(countOf(nextOffset)), metadata: textOf(metadata) };
  });
}

/** Checks recorded punctuations. */
export function punctuationsOf(value: unknown): readonly RecordedPunctuation[] {
  return listOf(value, (one) => {
    const { intervalMs, dueMs } = fieldsOf(one);
    return { intervalMs: numberOf(intervalMs), dueMs: numberOf(dueMs) };
  });
}

/** Checks a plan. */
export function planOf(value: unknown): Plan {
  const { number, createdAtMs, reason, assignor, assignment, placedOver, followUp, dead, partitions } = fieldsOf(value);
  return {
    number: countOf(number),
    createdAtMs: numberOf(createdAtMs),
    reason: textOf(reason),
    assignor: textOf(assignor),
    assignment: mapOf<MemberId, MemberAssignment>(assignment, assignmentOf),
    ...(placedOver === undefined ? {} : { placedOver: listOf(placedOver, memberIdOf) }),
    ...(followUp === undefined ? {} : { followUp: booleanOf(followUp) }),
    dead: listOf(dead, incarnationOf),
    partitions: mapOf(partitions, countOf),
  };
}

function incarnationOf(value: unknown): Incarnation {
  const { memberId, incarnation } = fieldsOf(value);
  return { memberId: memberIdOf(memberId), incarnation: countOf(incarnation) };
}

function assignmentOf(value: unknown): MemberAssignment {
  const { active, standby, warmup } = fieldsOf(value);
  return { active: listOf(active, taskIdOf), standby: listOf(standby, taskIdOf), warmup: listOf(warmup, taskIdOf) };
}

function positionOf(value: unknown): StorePosition {
  const { taskId, store, nextOffset, endOffset } = fieldsOf(value);
  return {
    taskId: taskIdOf(taskId),
    store: textOf(store),
    nextOffset: offset(countOf(nextOffset)),
    endOffset: offset(countOf(endOffset)),
  };
}

function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('no object');
  return value as Fields;
}

function mapOf<K extends string, V>(value: unknown, read: (value: unknown) => V): Readonly<Record<K, V>> {
  const entries = Object.entries(fieldsOf(value)).map(([key, one]) => [key, read(one)]);
  return Object.fromEntries(entries) as Record<K, V>;
}

function listOf<T>(value: unknown, read: (value: unknown) => T): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError('no list');
  return value.map((one) => read(one));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text');
  return value;
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
