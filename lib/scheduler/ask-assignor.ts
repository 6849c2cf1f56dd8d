/**
 * Asks an assignor for a placement that is fit to become a plan. A user's own may throw, answer with something else than a placement, or with one
 * that breaks a rule: each is refused in its name, and nothing of it is used. Pure.
 */
import type { AssignmentInput, Placement, TaskAssignor } from '../assignment/task-assignor.js';
import { validateAssignment } from '../assignment/validate-assignment.js';
import { InvalidAssignmentError, StreamsError } from '../model/errors.js';
import { isErrorOf, messageOf } from '../model/thrown.js';

/**
 * The placement that an assignor answers with.
 *
 * @throws {InvalidAssignmentError} STREAMS_INVALID_ASSIGNMENT with the rule that it breaks, A0 where it is no placement; or with what it has thrown
 *   as the cause · errors of this family that it throws, as they are
 */
export function askAssignor(assignor: TaskAssignor, input: AssignmentInput): Placement {
  let placement: Placement;
  try {
    placement = assignor.assign(input);
  } catch (thrown) {
    if (isErrorOf(StreamsError, thrown)) throw thrown;
    throw new InvalidAssignmentError(`assignor '${assignor.name}' has thrown: ${messageOf(thrown)}`, {
      cause: thrown,
      details: { assignor: assignor.name },
    });
  }
  validateAssignment(assignor.name, input, placement);
  return placement;
}
