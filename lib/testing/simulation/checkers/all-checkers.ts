/** Every checker there is: what the product's own runs are watched by. */
import type { Checker } from './checker.js';
import { noDuplicateNoGap } from './no-duplicate-no-gap.js';
import { offsetsEqualReference } from './offsets-equal-reference.js';
import { oneEffectiveWriter } from './one-effective-writer.js';
import { outputsEqualOracle } from './outputs-equal-oracle.js';
import { outputsEqualReference } from './outputs-equal-reference.js';
import { stateEqualsChangelog } from './state-equals-changelog.js';
import { storesEqualReference } from './stores-equal-reference.js';

export const ALL_CHECKERS: readonly Checker[] = [
  oneEffectiveWriter,
  outputsEqualReference,
  outputsEqualOracle,
  noDuplicateNoGap,
  storesEqualReference,
  stateEqualsChangelog,
  offsetsEqualReference,
];
