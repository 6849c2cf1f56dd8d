/**
 * `weighted`: as `steady`, but members are balanced by what their tasks weigh (CPU, bytes, records and lag as measured,
 * task-weight.ts) instead of by their number. A task with ten times the traffic leaves its member fewer others.
 *
 * Availability is that of `steady`: warm-ups first, hot standbys, nothing moves before its copy has caught up. Tasks are not exchanged
 * by zones (`rackAwareAssignmentStrategy`): exchanges keep the number of tasks, not their weight. KCL 3 balances leases so; Kafka
 * Streams has no such assignor.
 */
import { reportedCopies } from '../steady/copies.js';
import { placeInSteps } from '../steady/place-in-steps.js';
import type { TaskAssignor } from '../task-assignor.js';
import { aimByWeight } from './aim-by-weight.js';

/** Balanced by weight, with hysteresis. */
export const weighted: TaskAssignor = {
  name: 'weighted',
  balancesByWeight: true,
  assign: (input) =>
    placeInSteps(input, reportedCopies, (tasks, { members }, copies) => aimByWeight(tasks, members, copies)),
};
