/** Every protection whose loss ordinary seeds have to notice (`npm run simulate -- --mutants`). */
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
