import { InvalidTaskIdError } from './errors.js';

declare const taskIdBrand: unique symbol;
/** `<sub-topology>_<partition>`, as Kafka Streams prints it: `0_3`. */
export type TaskId = string & { readonly [taskIdBrand]: true };

/** Makes the id of one task. */
export function taskId(subTopology: number, partition: number): TaskId {
  return `${subTopology}_${partition}` as TaskId;
}

/**
 * Reads a task id back.
 *
 * @throws {InvalidTaskIdError} STREAMS_INVALID_TASK_ID unless the text is two decimal numbers joined by `_`
 */
export function parseTaskId(text: string): {
  readonly id: TaskId;
  readonly subTopology: number;
  readonly partition: number;
} {
  const match = /^(\d{1,9})_(\d{1,9})$/.exec(text);
  if (match === null) throw new InvalidTaskIdError(`'${text}' is no task id`, { details: { text } });
  const subTopology = Number(match[1]);
  const partition = Number(match[2]);
  return { id: taskId(subTopology, partition), subTopology, partition };
}

/** Orders tasks by sub-topology, then partition, as numbers. */
export function compareTaskIds(a: TaskId, b: TaskId): number {
  const left = parseTaskId(a);
  const right = parseTaskId(b);
  return left.subTopology - right.subTopology || left.partition - right.partition;
}
