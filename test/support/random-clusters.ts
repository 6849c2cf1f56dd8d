/** Clusters for properties of assignors: tasks, members with tags and zones, copies and settings, all drawn. */
import fc from 'fast-check';
import type { AssignableTask, AssignmentInput } from '../../lib/assignment/task-assignor.js';
import { RUNNING_LAG } from '../../lib/assignment/task-assignor.js';
import { type TaskId, taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import { member, settings } from './assignment-members.js';

const ZONES = ['a', 'b', 'c'];
const zone = fc.constantFrom(...ZONES);

/** Sub-topologies as [partitions, stateful]. */
export function tasksOf(subTopologies: readonly (readonly [number, boolean])[]): AssignableTask[] {
  return subTopologies.flatMap(([partitions, stateful], subTopology) =>
    Array.from({ length: partitions }, (_, partition) => ({
      id: taskId(subTopology, partition),
      stateful,
      inputs: [{ topic: `in-${subTopology}`, partition }],
      changelogs: stateful ? [{ topic: `changelog-${subTopology}`, partition }] : [],
      weight: 1,
    })),
  );
}

const tasks = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.boolean()), { minLength: 1, maxLength: 3 })
  .map(tasksOf);

const members = (of: readonly AssignableTask[]) =>
  fc.array(
    fc.record({
      capacity: fc.integer({ min: 1, max: 4 }),
      zone,
      lags: fc
        .array(
          fc.tuple(fc.constantFrom(...of.map(({ id }) => id)), fc.constantFrom(RUNNING_LAG, 0, 50, 100, 101, 5_000)),
        )
        .map((lags) => new Map<TaskId, number>(lags)),
    }),
    { minLength: 1, maxLength: 6 },
  );

const settingsOf = fc.record({
  numStandbyReplicas: fc.integer({ min: 0, max: 2 }),
  maxWarmupReplicas: fc.integer({ min: 1, max: 3 }),
  acceptableRecoveryLag: fc.constantFrom(0, 100, Number.MAX_SAFE_INTEGER),
  rackAwareAssignmentTags: fc.constantFrom([], ['zone']),
  rackAwareAssignmentStrategy: fc.constantFrom('none' as const, 'min_traffic' as const, 'balance_subtopology' as const),
});

/** Inputs with copies kept on members; every member tells its zone, also as a tag. */
export const hotClusters: fc.Arbitrary<AssignmentInput> = tasks.chain((of) => {
  const partitions = of.flatMap(({ inputs, changelogs }) => [...inputs, ...changelogs]).map(topicPartitionKey);
  return fc
    .tuple(members(of), settingsOf, fc.array(zone, { minLength: partitions.length, maxLength: partitions.length }))
    .map(([drawn, own, zones]) => ({
      tasks: of,
      members: drawn.map((one, index) => member(index + 1, { ...one, tags: { zone: one.zone } })),
      settings: { ...settings, ...own, standbyKind: 'hot' as const },
      partitionZones: new Map(partitions.map((at, index) => [at, [zones[index] ?? 'a']])),
    }));
});

/** The same, with tasks and members in another order as well. */
export const shuffledClusters = hotClusters.chain((input) =>
  fc.record({
    input: fc.constant(input),
    tasks: fc.shuffledSubarray([...input.tasks], { minLength: input.tasks.length }),
    members: fc.shuffledSubarray([...input.members], { minLength: input.members.length }),
  }),
);
