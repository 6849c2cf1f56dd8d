import { describe, expect, it } from 'vitest';
import { type AssignmentInput, RUNNING_LAG } from '../../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import {
  LEAST_WEIGHT,
  MOST_WEIGHT,
  smoothed,
  type TaskMeasurement,
  weightsOf,
} from '../../../lib/assignment/weighted/task-weight.js';
import { weighted } from '../../../lib/assignment/weighted/weighted.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { member, settings } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';

const ids = (...partitions: number[]): TaskId[] => partitions.map((partition) => taskId(0, partition));

const inputOf = (
  weights: readonly number[],
  members: AssignmentInput['members'],
  stateful = false,
): AssignmentInput => ({
  tasks: tasksOf([[weights.length, stateful]]).map((task, index) => ({ ...task, weight: weights[index] ?? 1 })),
  members,
  settings,
});

const activeOf = (input: AssignmentInput) => {
  const placement = weighted.assign(input);
  validateAssignment('weighted', input, placement);
  return Object.fromEntries([...placement.members].map(([id, { active }]) => [id, active]));
};

const runs = (number: number, ...partitions: number[]) => member(number, { previousActive: ids(...partitions) });

const measured = (of: Partial<TaskMeasurement>): TaskMeasurement => ({
  cpuMsPerSecond: 0,
  bytesPerSecond: 0,
  recordsPerSecond: 0,
  lagRecords: 0,
  ...of,
});

describe('weighted', () => {
  it('gives the member of a task with ten times the traffic fewer others', () => {
    const placed = activeOf(inputOf([10, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], [member(1), member(2)]));

    expect(placed['member-1']).toEqual(ids(0, 11));
    expect(placed['member-2']).toHaveLength(10);
  });

  it('takes tasks away from a member whose task has become heavy, until it carries its share', () => {
    const placed = activeOf(inputOf([10, 1, 1, 1, 1, 1, 1, 1], [runs(1, 0, 1, 2, 3), runs(2, 4, 5, 6, 7)]));

    expect(placed['member-1']).toEqual(ids(0));
    expect(placed['member-2']).toEqual(ids(1, 2, 3, 4, 5, 6, 7));
  });

  it('moves nothing while weights swing within a tenth of a share, and nothing back', () => {
    const members = [runs(1, 0, 1, 2, 3), runs(2, 4, 5, 6, 7)];
    for (const weights of [
      [1.2, 1, 1, 1.1, 1, 1, 1, 1],
      [1, 1, 1, 1, 1.2, 1, 1, 1.1],
    ]) {
      expect(activeOf(inputOf(weights, members))).toEqual({ 'member-1': ids(0, 1, 2, 3), 'member-2': ids(4, 5, 6, 7) });
    }
  });

  it('does not move a heavy task to and fro: nobody is better off', () => {
    expect(activeOf(inputOf([10], [runs(1, 0), member(2)]))).toEqual({ 'member-1': ids(0), 'member-2': [] });
  });

  it('gives by capacity', () => {
    const placed = activeOf(inputOf([1, 1, 1, 1, 1, 1], [member(1, { capacity: 2 }), member(2)]));

    expect(placed['member-1']).toHaveLength(4);
  });

  it('warms up a stateful task before it moves it', () => {
    const running = { ...runs(1, 0, 1, 2, 3), lags: new Map(ids(0, 1, 2, 3).map((id) => [id, RUNNING_LAG])) };
    const input = inputOf([10, 10, 10, 10], [running, member(2)], true);

    const { members, followUp } = weighted.assign(input);

    expect(members.get('member-1')?.active).toEqual(ids(0, 1, 2, 3));
    expect(members.get('member-2')?.warmup).toHaveLength(2);
    expect(followUp).toBe(true);
  });
});

describe('the weight of a task', () => {
  it('is its part of what was measured, 1 on average', () => {
    const weights = weightsOf(
      new Map([
        ['a', measured({ cpuMsPerSecond: 300, bytesPerSecond: 100 })],
        ['b', measured({ cpuMsPerSecond: 100, bytesPerSecond: 100 })],
      ]),
    );

    expect(weights.get('a')).toBeCloseTo(1.375);
    expect(weights.get('b')).toBeCloseTo(0.625);
  });

  it('is 1 of all tasks where nothing was measured', () => {
    expect([...weightsOf(new Map([['a', measured({})]])).values()]).toEqual([1]);
  });

  it('is bounded, and not misled by what is no number', () => {
    const idle = Array.from({ length: 99 }, (_, index): [string, TaskMeasurement] => [`idle-${index}`, measured({})]);
    const weights = weightsOf(new Map([...idle, ['hot', measured({ cpuMsPerSecond: 1_000, lagRecords: Number.NaN })]]));

    expect(weights.get('hot')).toBe(MOST_WEIGHT);
    expect(weights.get('idle-0')).toBe(LEAST_WEIGHT);
  });

  it('follows a new measurement slowly', () => {
    const before = measured({ cpuMsPerSecond: 100 });

    expect(smoothed(null, before)).toEqual(before);
    expect(smoothed(before, measured({ cpuMsPerSecond: 200 })).cpuMsPerSecond).toBeCloseTo(130);
  });
});
