/** The entry `millrace/assignment`: what an assignor of one's own needs. */
export { BUILT_IN_ASSIGNORS, findAssignor } from './assignors.js';
export { explainPlacement, type PlacementChange } from './explain-placement.js';
export { highAvailability } from './high-availability/high-availability.js';
export { type PlacementScore, type Spread, scorePlacement } from './score-placement.js';
export { steady, sticky } from './steady/steady.js';
export type {
  AssignableMember,
  AssignableTask,
  AssignmentInput,
  AssignmentSettings,
  MemberPlacement,
  Placement,
  RackAwareStrategy,
  TaskAssignor,
} from './task-assignor.js';
export { RUNNING_LAG } from './task-assignor.js';
export { validateAssignment } from './validate-assignment.js';
export { smoothed, type TaskMeasurement, weightsOf } from './weighted/task-weight.js';
export { weighted } from './weighted/weighted.js';
