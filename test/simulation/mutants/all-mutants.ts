/**
 * Every protection whose loss ordinary seeds have to notice (`npm run simulate -- --mutants`).
 *
 * Not among them: D1 of load-store.ts, a snapshot of one life of its changelog. A task whose changelog was created again stops
 * before it restores anything (I3 of topic-ids.ts, which is among them), so that no run shows the difference.
 */
import { exactlyOnceMutants } from './exactly-once-mutants.js';
import type { Mutant } from './mutant.js';
import { ownershipMutants } from './ownership-mutants.js';
import { schedulerMutants } from './scheduler-mutants.js';
import { stateMutants } from './state-mutants.js';

export const MUTANTS: readonly Mutant[] = [
  ...exactlyOnceMutants,
  ...stateMutants,
  ...ownershipMutants,
  ...schedulerMutants,
];
