import { ProcessingError, StreamsError } from '../model/errors.js';
import { isErrorOf, messageOf } from '../model/thrown.js';
import type { TaskScope } from './task-scope.js';

/** What user code threw, as an error that says in which node and at which record; errors of ours pass as they are. */
export function userError(thrown: unknown, node: string, scope: TaskScope): StreamsError {
  if (isErrorOf(StreamsError, thrown)) return thrown;
  const at = scope.metadata;
  const where = at === undefined ? '' : ` at ${at.topic}-${at.partition}, offset ${at.offset}`;
  return new ProcessingError(`task ${scope.taskId}, node ${node}${where}: ${messageOf(thrown)}`, {
    cause: thrown,
    details: { node, ...scope.whereabouts() },
  });
}
