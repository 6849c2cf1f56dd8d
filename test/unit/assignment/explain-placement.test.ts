import { describe, expect, it } from 'vitest';
import { explainPlacement } from '../../../lib/assignment/explain-placement.js';
import { scorePlacement } from '../../../lib/assignment/score-placement.js';
import {
  type AssignableMember,
  type AssignmentInput,
  type MemberPlacement,
  type Placement,
  RUNNING_LAG,
} from '../../../lib/assignment/task-assignor.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { member, settings } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';

const ids = (...partitions: number[]): TaskId[] => partitions.map((partition) => taskId(0, partition));

const runs = (number: number, ...partitions: number[]): AssignableMember =>
  member(number, {
    previousActive: ids(...partitions),
    lags: new Map(ids(...partitions).map((id) => [id, RUNNING_LAG])),
  });

const inputOf = (members: readonly AssignableMember[], more: Partial<AssignmentInput> = {}): AssignmentInput => ({
  tasks: tasksOf([[4, true]]),
  members,
  settings: { ...settings, standbyKind: 'hot', numStandbyReplicas: 1 },
  ...more,
});

const placed = (members: Record<string, Partial<MemberPlacement>>): Placement => ({
  followUp: false,
  members: new Map(Object.entries(members).map(([id, of]) => [id, { active: [], standby: [], warmup: [], ...of }])),
});

const reasons = (input: AssignmentInput, placement: Placement): readonly string[] =>
  explainPlacement(input, placement).map(({ reason }) => reason);

describe('the explanation of a placement', () => {
  it('says of a move that its destination joined, that its owner held too much, and what the copy lacked', () => {
    const input = inputOf([runs(1, 0, 1, 2, 3), member(2, { lags: new Map([[taskId(0, 3), 7]]) })]);
    const changes = explainPlacement(
      input,
      placed({ 'member-1': { active: ids(0, 1, 2) }, 'member-2': { active: ids(3) } }),
    );

    expect(changes).toEqual([
      {
        taskId: '0_3',
        role: 'active',
        from: 'member-1',
        to: 'member-2',
        lagRecords: 7,
        reason:
          '0_3 moved from member-1 to member-2: member-2 joined, member-1 held 4 where its share is 2; the copy was caught up (lag 7)',
      },
    ]);
  });

  it('says of the task of a member that is gone what there is to restore', () => {
    const gone = { ...runs(1, 0), live: false };
    const others = [runs(2, 1), runs(3, 2, 3)];
    const unknown = reasons(inputOf([gone, ...others]), placed({ 'member-2': { active: ids(0, 1) } }));
    const known = reasons(
      inputOf([gone, ...others], { tasks: tasksOf([[4, true]]).map((task) => ({ ...task, changelogRecords: 500 })) }),
      placed({ 'member-2': { active: ids(0, 1) } }),
    );
    const copy = { ...runs(2, 1), lags: new Map([[taskId(0, 0), 400]]) };
    const behind = reasons(inputOf([gone, copy]), placed({ 'member-2': { active: ids(0, 1) } }));

    expect(unknown).toEqual([
      '0_0 moved from member-1 to member-2: member-1 is gone; an unknown number of records to restore, nobody was closer',
    ]);
    expect(known).toEqual([
      '0_0 moved from member-1 to member-2: member-1 is gone; 500 records to restore, nobody was closer',
    ]);
    expect(behind).toEqual([
      '0_0 moved from member-1 to member-2: member-1 is gone; no copy was caught up, this one lacks 400 records',
    ]);
  });

  it('says why there are new copies: who ran the task keeps one, and a warm-up prepares a move', () => {
    const input = inputOf([
      runs(1, 0, 1, 2, 3),
      member(2, {
        lags: new Map([
          [taskId(0, 2), 900],
          [taskId(0, 3), 0],
        ]),
      }),
    ]);
    const placement = placed({
      'member-1': { active: ids(0, 1, 2), standby: ids(3) },
      'member-2': { active: ids(3), standby: ids(0), warmup: ids(2) },
    });

    expect(reasons(input, placement).filter((reason) => !reason.includes('moved'))).toEqual([
      'member-2 keeps a standby of 0_0: an unknown number of records to copy, active on member-1',
      'member-2 warms up 0_2: member-2 joined, it lacks 900 records where 100 are acceptable; until then it runs on member-1',
      'member-1 keeps a standby of 0_3: it ran the task until now, which is active on member-2',
    ]);
  });

  it('names zones where they are the reason, and a short changelog where nothing has to be copied', () => {
    const input = inputOf(
      [
        { ...runs(1, 0, 1), zone: 'a' },
        { ...runs(2, 2, 3), zone: 'b' },
      ],
      {
        tasks: tasksOf([[4, true]]).map((task) => ({ ...task, changelogRecords: 50 })),
        partitionZones: new Map(
          [0, 1, 2, 3].map((partition) => [
            topicPartitionKey({ topic: 'in-0', partition }),
            partition < 2 ? ['b'] : ['a'],
          ]),
        ),
      },
    );
    const placement = placed({ 'member-1': { active: ids(1, 2) }, 'member-2': { active: ids(0, 3) } });

    expect(reasons(input, placement)).toEqual([
      '0_0 moved from member-1 to member-2: member-2 reads 1 partition fewer from other zones; its whole changelog is short enough (50 records)',
      '0_2 moved from member-2 to member-1: member-1 reads 1 partition fewer from other zones; its whole changelog is short enough (50 records)',
    ]);
    expect(scorePlacement(input, placement).traffic).toEqual({ before: 4, after: 2 });
  });

  it('is empty where nothing changes', () => {
    const input = inputOf([runs(1, 0, 1), runs(2, 2, 3)]);

    expect(reasons(input, placed({ 'member-1': { active: ids(0, 1) }, 'member-2': { active: ids(2, 3) } }))).toEqual(
      [],
    );
  });
});

describe('the score of a placement', () => {
  it('counts balance by capacity, moves, restores, warm-ups and standbys', () => {
    const input = inputOf([
      { ...runs(1, 0, 1), tags: { zone: 'a' } },
      { ...runs(2, 2), capacity: 2, tags: { zone: 'a' } },
      member(3, { tags: { zone: 'b' }, lags: new Map([[taskId(0, 0), 300]]) }),
    ]);
    const tagged = { ...input, settings: { ...input.settings, rackAwareAssignmentTags: ['zone'] } };
    const score = scorePlacement(
      tagged,
      placed({
        'member-1': { active: ids(1), standby: ids(2) },
        'member-2': { active: ids(2), standby: ids(0), warmup: ids(1) },
        'member-3': { active: ids(0, 3), standby: ids(1) },
      }),
    );

    expect(score).toEqual({
      balance: {
        active: { least: 0.5, most: 2 },
        stateful: { least: 0.5, most: 2 },
        weight: { least: 0.5, most: 2 },
      },
      moves: { stateful: 1, stateless: 0, unowned: 1 },
      restores: { tasks: 2, records: 300, unknown: 1 },
      warmups: 1,
      followUp: false,
      standbys: { wanted: 4, missing: 1, perCapacity: { least: 0.5, most: 1 }, together: 1 },
      traffic: null,
    });
  });

  it('wants no standbys of members where they are snapshots, and none beside a single member', () => {
    const input = inputOf([runs(1, 0)]);
    const snapshot = { ...input, settings: { ...input.settings, standbyKind: 'snapshot' as const } };

    expect(scorePlacement(input, placed({})).standbys.wanted).toBe(0);
    expect(scorePlacement({ ...snapshot, members: [runs(1), runs(2)] }, placed({})).standbys.wanted).toBe(0);
  });
});
