/**
 * What an application's own code decides about an error that nobody caught: neither a handler of records nor another attempt has let the
 * task go on. Kafka: `StreamsUncaughtExceptionHandler` (KIP-671).
 *
 * The handler is called in the member whose task has failed; it should decide and return: it can not wait.
 */
import type { TaskId } from '../model/task-id.js';

/**
 * - `replaceThread`: the task is released and taken again by its member, after a pause that grows; an error of the member itself, or of a
 *   global store, ends the member, and its slot's next incarnation takes over
 * - `shutdownClient`: the member ends with the error, after its other tasks have committed and released. Deployed, the scheduler asks for its
 *   next incarnation as it does after a crash; embedded, `LocalStreams` ends with it
 * - `shutdownApplication`: the scheduler puts the whole application to rest: all members end in order, and nobody runs again until a person or
 *   another deployment ends the rest
 */
export type UncaughtResponse = 'replaceThread' | 'shutdownClient' | 'shutdownApplication';

export const UNCAUGHT_RESPONSES: readonly UncaughtResponse[] = [
  'replaceThread',
  'shutdownClient',
  'shutdownApplication',
];

export interface UncaughtException {
  /** The task that has failed; null: a global store, or the member. */
  readonly taskId: TaskId | null;
  /** One of this library's errors: `code` and `kind` say what it is, `cause` is what was thrown. */
  readonly error: Error & { readonly code: string; readonly kind: string };
}

/** Kafka: `StreamsUncaughtExceptionHandler`. */
export type UncaughtExceptionHandler = (uncaught: UncaughtException) => UncaughtResponse;
