import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highAvailability, placeHighlyAvailable } from '../../../lib/assignment/high-availability/high-availability.js';
import type { MemberPlacement } from '../../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import type { TaskId } from '../../../lib/model/task-id.js';
import { afterwards, asObject } from '../../support/assignment-members.js';
import { hotClusters, shuffledClusters } from '../../support/random-clusters.js';

const holders = (members: ReadonlyMap<string, MemberPlacement>, id: TaskId): string[] =>
  [...members].filter(([, { active, standby }]) => active.includes(id) || standby.includes(id)).map(([name]) => name);

describe('highAvailability on any cluster', () => {
  it('keeps every rule of a placement: one active a task, no copy twice on a member, no copy too many', () => {
    fc.assert(
      fc.property(hotClusters, (input) => {
        validateAssignment('highAvailability', input, highAvailability.assign(input));
        const snapshot = { ...input, settings: { ...input.settings, standbyKind: 'snapshot' as const } };
        validateAssignment('highAvailability', snapshot, highAvailability.assign(snapshot));
        const unknown = { ...input, lagsUnknown: true };
        validateAssignment('highAvailability', unknown, highAvailability.assign(unknown));
      }),
    );
  });

  it('answers the same whatever the order of tasks and members', () => {
    fc.assert(
      fc.property(shuffledClusters, ({ input, tasks, members }) => {
        const expected = asObject(highAvailability.assign(input));
        expect(asObject(highAvailability.assign({ ...input, tasks, members }))).toEqual(expected);
      }),
    );
  });

  it('never makes a task active where it lacks too much while it is caught up elsewhere', () => {
    fc.assert(
      fc.property(hotClusters, (input) => {
        const { members } = highAvailability.assign(input);
        const limit = input.settings.acceptableRecoveryLag;
        const lagOf = (name: string, id: TaskId): number =>
          input.members.find((one) => one.id === name)?.lags.get(id) ?? Number.POSITIVE_INFINITY;
        for (const { id, stateful } of input.tasks) {
          const owner = [...members].find(([, { active }]) => active.includes(id))?.[0] ?? '';
          if (!stateful || limit === Number.MAX_SAFE_INTEGER || lagOf(owner, id) <= limit) continue;
          expect(input.members.filter((one) => lagOf(one.id, id) <= limit)).toEqual([]);
        }
      }),
    );
  });

  it('aims at copies of a task in as many zones as there are, or as there are copies', () => {
    const tagged = hotClusters.map((input) => ({
      ...input,
      settings: { ...input.settings, rackAwareAssignmentTags: ['zone'] },
    }));

    fc.assert(
      fc.property(tagged, (input) => {
        const { target } = placeHighlyAvailable(input);
        const zoneOf = new Map(input.members.map((one) => [one.id, one.zone]));
        const zones = new Set(zoneOf.values()).size;
        for (const { id } of input.tasks.filter((task) => task.stateful)) {
          const on = holders(target ?? new Map(), id);
          const wanted = Math.min(1 + input.settings.numStandbyReplicas, input.members.length);
          expect(on.length).toBe(wanted);
          expect(new Set(on.map((name) => zoneOf.get(name))).size).toBe(Math.min(zones, wanted));
        }
      }),
    );
  });

  it('comes to rest at what it aims at, within as many steps as there are copies to move', () => {
    fc.assert(
      fc.property(hotClusters, (first) => {
        let input = first;
        let answer = placeHighlyAvailable(input);
        const target = answer.target;
        const copies = input.tasks.length * (1 + input.settings.numStandbyReplicas);
        for (let step = 0; answer.placement.followUp && step <= copies; step++) {
          input = afterwards(input, answer.placement);
          answer = placeHighlyAvailable(input);
        }

        expect(answer.placement.followUp).toBe(false);
        expect(answer.target).toEqual(target);
        const again = highAvailability.assign(afterwards(input, answer.placement));
        expect(again.followUp).toBe(false);
      }),
    );
  });
});
