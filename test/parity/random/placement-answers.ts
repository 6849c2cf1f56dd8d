/** Placements as the Java program writes them: warm-ups among the standbys, no movements. */
import type { HighAvailabilityAnswer } from '../../../lib/assignment/high-availability/high-availability.js';
import type { MemberPlacement } from '../../../lib/assignment/task-assignor.js';
import { compareTaskIds } from '../../../lib/model/task-id.js';
import type { AssignmentStep, CasePlacement } from '../assignment-input.js';

export interface ProgramAnswer {
  readonly clients: Readonly<Record<string, CasePlacement>>;
  readonly target: Readonly<Record<string, CasePlacement>> | null;
  readonly followUp: boolean;
  readonly isZoneAware: boolean;
}

/** What a step, recorded or answered by the program, expects. */
export function expectedOf({ expected }: AssignmentStep): ProgramAnswer {
  return {
    clients: joined(Object.entries(expected.clients)),
    target: expected.target === undefined ? null : joined(Object.entries(expected.target)),
    followUp: expected.followupRebalance,
    isZoneAware: expected.rackAwareEnabled ?? false,
  };
}

/** Our answer. */
export function answerOf({ placement, target, isZoneAware }: HighAvailabilityAnswer): ProgramAnswer {
  return {
    clients: joined(placement.members),
    target: target === null ? null : joined(target),
    followUp: placement.followUp,
    isZoneAware,
  };
}

function joined(
  members: Iterable<readonly [string, CasePlacement | MemberPlacement]>,
): Readonly<Record<string, CasePlacement>> {
  return Object.fromEntries(
    [...members].map(([name, { active, standby, warmup = [] }]) => [
      name,
      { active: [...active].sort(compareTaskIds), standby: [...standby, ...warmup].sort(compareTaskIds) },
    ]),
  );
}
