/** `steady` step by step, with hot standbys, warm-ups and zones, on any cluster. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highAvailability } from '../../../lib/assignment/high-availability/high-availability.js';
import { isAcceptable, lagOn } from '../../../lib/assignment/lags.js';
import { scorePlacement } from '../../../lib/assignment/score-placement.js';
import { steady, sticky } from '../../../lib/assignment/steady/steady.js';
import {
  type AssignableMember,
  type AssignmentInput,
  type Placement,
  RUNNING_LAG,
} from '../../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import type { TaskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { play } from '../../parity/assignment-replay.js';
import { recordOf, worseThan } from '../../parity/placement-record.js';
import { randomStep } from '../../parity/random/random-placement.js';
import { afterwards, asObject, member, settings } from '../../support/assignment-members.js';
import { hotClusters, shuffledClusters, tasksOf } from '../../support/random-clusters.js';

/** Asks again as copies catch up. @returns the input that leads to the last answer, and all answers */
const toRest = (first: AssignmentInput) => {
  // Every step moves a copy at least, or begins to.
  const bound = 2 * first.tasks.length * (1 + first.settings.numStandbyReplicas) + 2;
  let input = first;
  const answers = [steady.assign(input)];
  for (let step = 0; answers.at(-1)?.followUp === true && step < bound; step++) {
    input = afterwards(input, answers.at(-1) as Placement);
    answers.push(steady.assign(input));
  }
  return { input, answers, last: answers.at(-1) as Placement };
};

const ownerOf = ({ members }: Placement, id: TaskId): string | undefined =>
  [...members].find(([, { active }]) => active.includes(id))?.[0];

const holders = ({ members }: Placement, id: TaskId): string[] =>
  [...members].filter(([, { active, standby }]) => active.includes(id) || standby.includes(id)).map(([name]) => name);

const oneCapacity = (input: AssignmentInput, more: Partial<AssignmentInput['settings']> = {}): AssignmentInput => ({
  ...input,
  members: input.members.map((one) => ({ ...one, capacity: 1 })),
  settings: { ...input.settings, rackAwareAssignmentStrategy: 'none', ...more },
});

const settled = hotClusters.map((input) => {
  const plain = oneCapacity(input, { rackAwareAssignmentTags: [], acceptableRecoveryLag: 100 });
  const { input: before, last } = toRest(plain);
  return afterwards(before, last);
});

const movedBetween = (before: AssignmentInput, after: Placement): TaskId[] => {
  const was = new Map(before.members.flatMap(({ id, previousActive }) => previousActive.map((task) => [task, id])));
  return before.tasks.filter(({ id, stateful }) => stateful && ownerOf(after, id) !== was.get(id)).map(({ id }) => id);
};

describe('steady on any cluster', () => {
  it('keeps every rule of a placement in every step: one active a task, no standby beside it, no copy too many', () => {
    fc.assert(
      fc.property(hotClusters, fc.boolean(), (input, lagsUnknown) => {
        const first = { ...input, lagsUnknown };
        validateAssignment('steady', first, steady.assign(first));
        validateAssignment('sticky', first, sticky.assign(first));
        const snapshot = { ...input, settings: { ...input.settings, standbyKind: 'snapshot' as const } };
        validateAssignment('steady', snapshot, steady.assign(snapshot));
        for (const answer of toRest(input).answers) validateAssignment('steady', input, answer);
      }),
    );
  });

  it('answers the same whatever the order of tasks and members (B4)', () => {
    fc.assert(
      fc.property(shuffledClusters, ({ input, tasks, members }) => {
        expect(asObject(steady.assign({ ...input, tasks, members }))).toEqual(asObject(steady.assign(input)));
      }),
    );
  });

  it('makes no task active where it lacks too much while it is caught up elsewhere (B5)', () => {
    fc.assert(
      fc.property(hotClusters, (input) => {
        const placement = steady.assign(input);
        const isCaughtUp = (task: AssignmentInput['tasks'][number]) => (one: AssignableMember | undefined) =>
          one !== undefined && isAcceptable(lagOn(one, task), input.settings.acceptableRecoveryLag);
        for (const task of input.tasks.filter(({ stateful }) => stateful)) {
          const owner = input.members.find(({ id }) => id === ownerOf(placement, task.id));
          if (!isCaughtUp(task)(owner)) expect(input.members.filter(isCaughtUp(task))).toEqual([]);
        }
      }),
    );
  });

  it('comes to rest as copies catch up, and stays there (B2, B6)', () => {
    fc.assert(
      fc.property(hotClusters, (first) => {
        const { input, last } = toRest(first);

        expect(last.followUp).toBe(false);
        expect(asObject(steady.assign(afterwards(input, last)))).toEqual(asObject(last));
      }),
    );
  });

  it('comes to rest where sub-topologies could be spread for as much traffic as that saves, one warm-up at a time (B6)', () => {
    const zonesOf = [...'aaabcb', ...'aaccbb', ...'ccaaca'];
    const tasks = tasksOf([6, 6, 6].map((partitions) => [partitions, true]));
    const of = (number: number, capacity: number, zone: string, lags: Readonly<Record<string, number>> = {}) =>
      member(number, { capacity, zone, lags: new Map(Object.entries(lags) as [TaskId, number][]) });
    const first: AssignmentInput = {
      tasks,
      members: [
        of(1, 2, 'a'),
        of(2, 2, 'a'),
        of(3, 3, 'c'),
        of(4, 1, 'a', { '1_4': RUNNING_LAG, '0_0': 5_000, '2_1': RUNNING_LAG }),
        of(5, 2, 'b'),
      ],
      settings: {
        ...settings,
        standbyKind: 'hot',
        acceptableRecoveryLag: 0,
        maxWarmupReplicas: 1,
        rackAwareAssignmentStrategy: 'balance_subtopology',
      },
      partitionZones: new Map(
        tasks.flatMap(({ inputs, changelogs }, index) => [
          ...inputs.map((at) => [topicPartitionKey(at), [zonesOf[index] ?? 'a']] as const),
          ...changelogs.map((at) => [topicPartitionKey(at), ['a']] as const),
        ]),
      ),
    };

    expect(toRest(first).last.followUp).toBe(false);
  });

  it('keeps as many standbys as asked for, or as there are other members, and spreads them within one (D17, D19)', () => {
    fc.assert(
      fc.property(hotClusters, (first) => {
        const input = oneCapacity(first, { rackAwareAssignmentTags: [] });

        const { standbys } = scorePlacement(input, toRest(input).last);

        expect(standbys.missing).toBe(0);
        expect(standbys.perCapacity.most - standbys.perCapacity.least).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('has copies of a task in as many zones as there are, or as there are copies', () => {
    fc.assert(
      fc.property(hotClusters, (drawn) => {
        const input = { ...drawn, settings: { ...drawn.settings, rackAwareAssignmentTags: ['zone'] } };
        const { last } = toRest(input);
        const zoneOf = new Map(input.members.map((one) => [one.id, one.zone]));
        const zones = new Set(zoneOf.values()).size;
        for (const { id } of input.tasks.filter(({ stateful }) => stateful)) {
          const on = holders(last, id);
          expect(new Set(on.map((name) => zoneOf.get(name))).size).toBe(Math.min(zones, on.length));
        }
      }),
    );
  });

  it('moves on a join, until all is at rest, as many stateful tasks as the newcomer is given', () => {
    fc.assert(
      fc.property(settled, (before) => {
        const newcomer = member(before.members.length + 1, { zone: 'a', tags: { zone: 'a' } });
        const { last } = toRest({ ...before, members: [...before.members, newcomer] });

        const isStateful = new Set(before.tasks.filter(({ stateful }) => stateful).map(({ id }) => id));
        const given = last.members.get(newcomer.id)?.active.filter((id) => isStateful.has(id)) ?? [];
        expect(movedBetween(before, last).sort()).toEqual([...given].sort());
      }),
    );
  });

  it("moves on a leave, until all is at rest, the leaver's tasks, and others only if copies of those had no room", () => {
    fc.assert(
      fc.property(
        settled.filter(({ members }) => members.length > 1),
        fc.nat(),
        (before, pick) => {
          const leaver = before.members[pick % before.members.length];
          const input = { ...before, members: before.members.filter((one) => one !== leaver) };
          const { last, answers } = toRest(input);

          const lost = new Set(leaver?.previousActive);
          const first = answers[0] as Placement;
          const others = movedBetween(before, first).filter((id) => !lost.has(id));
          const spare = Math.ceil(before.tasks.filter(({ stateful }) => stateful).length / input.members.length);
          const isOver = [...first.members.values()].some(({ active }) => active.length > spare);
          if (!isOver) expect(others).toEqual([]);
          const moved = movedBetween(before, last).filter((id) => !lost.has(id));
          expect(moved.length).toBeLessThanOrEqual(lost.size);
        },
      ),
    );
  });

  it('is as even as Kafka Streams, with no more restores and moves, and at rest at most one step later', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const drawn = randomStep(seed);
        const { 'rack.aware.assignment.strategy': _, 'rack.aware.assignment.tags': __, ...config } = drawn.config;
        const clients = Object.entries(drawn.clients).map(([name, client]) => [name, { ...client, capacity: 1 }]);
        if (drawn.assignor === 'FallbackPrior') return;
        const step = { ...drawn, config, clients: Object.fromEntries(clients) as typeof drawn.clients };
        const [ours, theirs] = [steady, highAvailability].map((assignor) =>
          recordOf(play([step], Number.MAX_SAFE_INTEGER, assignor)),
        );
        if (ours === undefined || theirs === undefined) throw new Error('not played');

        expect(worseThan(ours, { ...theirs, stableAt: theirs.stableAt + 1 })).toEqual({});
      }),
    );
  });
});
