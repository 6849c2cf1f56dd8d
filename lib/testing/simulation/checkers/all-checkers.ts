/** Every checker there is: what the product's own runs are watched by. */
import type { Checker } from './checker.js';
import { copiesEqualChangelog } from './copies-equal-changelog.js';
import { latePayloadsAreIgnored } from './late-payloads-are-ignored.js';
import { lossIsSaid } from './loss-is-said.js';
import { newestSnapshotIsUsed } from './newest-snapshot-is-used.js';
import { noDuplicateNoGap } from './no-duplicate-no-gap.js';
import { noGarbage } from './no-garbage.js';
import { nothingBeyondItsBound } from './nothing-beyond-its-bound.js';
import { offsetsAreKept } from './offsets-are-kept.js';
import { offsetsEqualReference } from './offsets-equal-reference.js';
import { oneEffectiveWriter } from './one-effective-writer.js';
import { onlyMoversPause } from './only-movers-pause.js';
import { outputsEqualOracle } from './outputs-equal-oracle.js';
import { outputsEqualReference } from './outputs-equal-reference.js';
import { plansAreComplete } from './plans-are-complete.js';
import { plansConverge } from './plans-converge.js';
import { plansDoNotSwing } from './plans-do-not-swing.js';
import { queriesAreTrue } from './queries-are-true.js';
import { quietWhenIdle } from './quiet-when-idle.js';
import { restoresAreLimited } from './restores-are-limited.js';
import { sessionsOpenInOrder } from './sessions-open-in-order.js';
import { silentMembersStop } from './silent-members-stop.js';
import { snapshotsEqualChangelog } from './snapshots-equal-changelog.js';
import { stateEqualsChangelog } from './state-equals-changelog.js';
import { storesEqualReference } from './stores-equal-reference.js';
import { takesAreAllowed } from './takes-are-allowed.js';
import { writesMeetConditions } from './writes-meet-conditions.js';

export const ALL_CHECKERS: readonly Checker[] = [
  oneEffectiveWriter,
  outputsEqualReference,
  outputsEqualOracle,
  noDuplicateNoGap,
  storesEqualReference,
  stateEqualsChangelog,
  offsetsEqualReference,
  lossIsSaid,
  onlyMoversPause,
  nothingBeyondItsBound,
  plansConverge,
  queriesAreTrue,
  quietWhenIdle,
  noGarbage,
  takesAreAllowed,
  sessionsOpenInOrder,
  writesMeetConditions,
  plansAreComplete,
  plansDoNotSwing,
  latePayloadsAreIgnored,
  silentMembersStop,
  snapshotsEqualChangelog,
  newestSnapshotIsUsed,
  copiesEqualChangelog,
  restoresAreLimited,
  offsetsAreKept,
];
