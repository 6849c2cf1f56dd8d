import { describe, expect, it } from 'vitest';
import { steady, sticky } from '../../../lib/assignment/steady/steady.js';
import type { AssignableTask, AssignmentInput } from '../../../lib/assignment/task-assignor.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { member, settings } from '../../support/assignment-members.js';

const task = (subTopology: number, partition: number, stateful = true): AssignableTask => ({
  id: taskId(subTopology, partition),
  stateful,
  inputs: [{ topic: `in-${subTopology}`, partition }],
  changelogs: [],
  weight: 1,
});
const twelve = Array.from({ length: 12 }, (_, partition) => task(0, partition));

const ids = (...partitions: number[]): TaskId[] => partitions.map((partition) => taskId(0, partition));

const activeOf = (input: Omit<AssignmentInput, 'settings'>, assignor = steady) =>
  Object.fromEntries(
    [...assignor.assign({ ...input, settings }).members].map(([id, placed]) => [id, placed.active] as const),
  );

const threeOfTwelve = [
  member(1, { previousActive: ids(0, 3, 6, 9) }),
  member(2, { previousActive: ids(1, 4, 7, 10) }),
  member(3, { previousActive: ids(2, 5, 8, 11) }),
];

describe('steady', () => {
  it('deals tasks out in order to members that hold nothing', () => {
    const placed = activeOf({ tasks: twelve, members: [member(1), member(2), member(3)] });

    expect(placed).toEqual({
      'member-1': ids(0, 3, 6, 9),
      'member-2': ids(1, 4, 7, 10),
      'member-3': ids(2, 5, 8, 11),
    });
  });

  it('moves exactly 3 of 12 tasks when a fourth member joins three', () => {
    const short = twelve.map((one) => ({ ...one, changelogRecords: settings.acceptableRecoveryLag }));
    const placed = activeOf({ tasks: short, members: [...threeOfTwelve, member(4)] });

    expect(placed).toEqual({
      'member-1': ids(0, 3, 6),
      'member-2': ids(1, 4, 7),
      'member-3': ids(2, 5, 8),
      'member-4': ids(9, 10, 11),
    });
  });

  it("gives a leaver's tasks to the members that hold caught-up copies of them", () => {
    const left = [
      member(1, { previousActive: ids(0, 3, 6, 9), lags: new Map([[taskId(0, 1), 90]]) }),
      member(3, {
        previousActive: ids(2, 5, 8, 11),
        lags: new Map([
          [taskId(0, 1), 10],
          [taskId(0, 4), 0],
        ]),
      }),
    ];

    const placed = activeOf({ tasks: twelve, members: left });

    expect(placed).toEqual({ 'member-1': ids(0, 3, 6, 7, 9, 10), 'member-3': ids(1, 2, 4, 5, 8, 11) });
  });

  it('counts a copy as caught up at the acceptable recovery lag, not one record later', () => {
    const withLag = (lag: number) =>
      activeOf({
        tasks: twelve.slice(0, 2),
        members: [member(1, { previousActive: ids(0, 1) }), member(2, { lags: new Map([[taskId(0, 0), lag]]) })],
      });

    expect(withLag(100)).toEqual({ 'member-1': ids(1), 'member-2': ids(0) });
    expect(withLag(101)).toEqual({ 'member-1': ids(0, 1), 'member-2': [] });
  });

  it('gives a task that nobody holds to the copy that lacks least, where none is caught up', () => {
    const members = [member(1), member(2, { lags: new Map([[taskId(0, 0), 900]]) })];

    expect(activeOf({ tasks: [task(0, 0)], members })).toEqual({ 'member-1': [], 'member-2': ids(0) });
  });

  it('warms a newcomer up, at most so many tasks at once, while tasks stay where they run', () => {
    const input = { tasks: twelve, members: [...threeOfTwelve, member(4)], settings };

    const { members, followUp } = steady.assign(input);

    expect(members.get('member-1')?.active).toEqual(ids(0, 3, 6, 9));
    expect(members.get('member-4')).toEqual({ active: [], standby: [], warmup: ids(9, 10) });
    expect(followUp).toBe(true);
  });

  it('moves everything at once where members keep no copies', () => {
    const input = { tasks: twelve, members: [...threeOfTwelve, member(4)] };

    const { members, followUp } = steady.assign({ ...input, settings: { ...settings, maxWarmupReplicas: 0 } });

    expect(members.get('member-4')?.active).toEqual(ids(9, 10, 11));
    expect(followUp).toBe(false);
  });

  it('gives up the task of which the newcomer holds a copy', () => {
    const placed = activeOf({
      tasks: twelve.slice(0, 4),
      members: [
        member(1, { previousActive: ids(0, 1, 2, 3) }),
        member(2, {
          lags: new Map([
            [taskId(0, 0), 5],
            [taskId(0, 2), 0],
          ]),
        }),
      ],
    });

    expect(placed).toEqual({ 'member-1': ids(1, 3), 'member-2': ids(0, 2) });
  });

  it('keeps a task with its owner whatever the lags of others', () => {
    const placed = activeOf({
      tasks: twelve.slice(0, 2),
      members: [
        member(1, { previousActive: ids(0) }),
        member(2, { previousActive: ids(1), lags: new Map([[taskId(0, 0), 0]]) }),
      ],
    });

    expect(placed).toEqual({ 'member-1': ids(0), 'member-2': ids(1) });
  });

  it('gives a member of twice the capacity twice the tasks', () => {
    const placed = activeOf({ tasks: twelve, members: [member(1, { capacity: 2 }), member(2)] });

    expect(placed['member-1']).toHaveLength(8);
    expect(placed['member-2']).toHaveLength(4);
  });

  it('spreads the tasks of each sub-topology, stateful ones first', () => {
    const tasks = [task(0, 0, false), task(0, 1, false), task(1, 0), task(1, 1), task(2, 0), task(2, 1)];

    const placed = activeOf({ tasks, members: [member(1), member(2)] });

    expect(placed).toEqual({ 'member-1': ['0_0', '1_0', '2_0'], 'member-2': ['0_1', '1_1', '2_1'] });
  });

  it('gives nothing to a member that is no longer live', () => {
    const placed = activeOf({
      tasks: twelve.slice(0, 2),
      members: [member(1, { live: false, previousActive: ids(0, 1) }), member(2)],
    });

    expect(placed).toEqual({ 'member-2': ids(0, 1) });
  });

  it('orders members by number, not by text', () => {
    const placed = activeOf({ tasks: [task(0, 0)], members: [member(10), member(2)] });

    expect(placed['member-2']).toEqual(ids(0));
  });
});

describe('sticky', () => {
  it('does not look at lags', () => {
    const members = [member(1), member(2, { lags: new Map([[taskId(0, 0), 0]]) })];

    const placed = activeOf({ tasks: [task(0, 0)], members }, sticky);

    expect(placed).toEqual({ 'member-1': ids(0), 'member-2': [] });
  });
});
