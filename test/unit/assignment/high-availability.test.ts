import { describe, expect, it } from 'vitest';
import { highAvailability, placeHighlyAvailable } from '../../../lib/assignment/high-availability/high-availability.js';
import {
  type AssignableMember,
  type AssignmentInput,
  type AssignmentSettings,
  RUNNING_LAG,
} from '../../../lib/assignment/task-assignor.js';
import { taskId } from '../../../lib/model/task-id.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { member, settings } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';

const [first, second] = [taskId(0, 0), taskId(0, 1)];

const inputOf = (
  members: readonly AssignableMember[],
  own: Partial<AssignmentSettings> = {},
  more: Partial<AssignmentInput> = {},
): AssignmentInput => ({
  tasks: tasksOf([[2, true]]),
  members,
  settings: { ...settings, standbyKind: 'hot', ...own },
  ...more,
});

const activesOf = (input: AssignmentInput) =>
  [...highAvailability.assign(input).members.values()].map(({ active }) => active);

describe('highAvailability', () => {
  it('warms a newcomer up before it gives it a task, and then asks to be asked again', () => {
    const members = [member(1, { lags: new Map([first, second].map((id) => [id, RUNNING_LAG])) }), member(2)];

    const { members: placed, followUp } = highAvailability.assign(inputOf(members));

    expect(placed.get('member-1')).toEqual({ active: [first, second], standby: [], warmup: [] });
    expect(placed.get('member-2')).toEqual({ active: [], standby: [], warmup: [second] });
    expect(followUp).toBe(true);
  });

  it('needs no warm-up where the whole changelog is short enough', () => {
    const members = [member(1, { lags: new Map([first, second].map((id) => [id, RUNNING_LAG])) }), member(2)];
    const withLength = (changelogRecords: number) =>
      inputOf(members, {}, { tasks: tasksOf([[2, true]]).map((task) => ({ ...task, changelogRecords })) });

    expect(activesOf(withLength(settings.acceptableRecoveryLag))).toEqual([[first], [second]]);
    expect(activesOf(withLength(settings.acceptableRecoveryLag + 1))).toEqual([[first, second], []]);
  });

  it('aims at balance at once, without standbys and warm-ups, where standbys are snapshots', () => {
    const members = [member(1, { lags: new Map([first, second].map((id) => [id, RUNNING_LAG])) }), member(2)];

    const { members: placed, followUp } = highAvailability.assign(
      inputOf(members, { standbyKind: 'snapshot', numStandbyReplicas: 1 }),
    );

    expect(placed.get('member-1')).toEqual({ active: [first], standby: [], warmup: [] });
    expect(placed.get('member-2')).toEqual({ active: [second], standby: [], warmup: [] });
    expect(followUp).toBe(false);
  });

  it('leaves every task with its owner while lags are unknown, and asks to be asked again', () => {
    const members = [member(1), member(2, { previousActive: [first, second] })];

    const { members: placed, followUp } = highAvailability.assign(inputOf(members, {}, { lagsUnknown: true }));

    expect(placed.get('member-2')?.active).toEqual([first, second]);
    expect(followUp).toBe(true);
  });

  it('gives nothing to members that are not live, and answers with nothing where none is', () => {
    const gone = member(1, { live: false, previousActive: [first] });

    expect(activesOf(inputOf([gone, member(2)]))).toEqual([[first, second]]);
    expect(highAvailability.assign(inputOf([gone]))).toEqual({ members: new Map(), followUp: false });
  });

  it('keeps copies apart by the tags of the setting alone', () => {
    const tagged = (number: number, zone: string) => member(number, { tags: { zone, id: `${number}` } });
    const members = [tagged(1, 'a'), tagged(2, 'a'), tagged(3, 'b')];
    const apart = { numStandbyReplicas: 1, acceptableRecoveryLag: Number.MAX_SAFE_INTEGER };

    const { members: placed } = highAvailability.assign(
      inputOf(members, { ...apart, rackAwareAssignmentTags: ['zone'] }),
    );

    expect(placed.get('member-3')?.standby).toEqual([first, second]);
  });

  it('places a task where what it reads is near, as far as balance allows', () => {
    const members = [member(1, { zone: 'a' }), member(2, { zone: 'b' })];
    const partitionZones = new Map([
      [topicPartitionKey({ topic: 'in-0', partition: 0 }), ['b']],
      [topicPartitionKey({ topic: 'in-0', partition: 1 }), ['a']],
    ]);
    const near = { rackAwareAssignmentStrategy: 'min_traffic' as const };

    expect(activesOf(inputOf(members, near, { partitionZones }))).toEqual([[second], [first]]);
    expect(activesOf(inputOf(members, { ...near, rackAwareAssignmentTrafficCost: 0 }, { partitionZones }))).toEqual([
      [first],
      [second],
    ]);
  });

  it('takes a task from a copy that lacks more than the whole changelog', () => {
    const tasks = tasksOf([[1, true]]).map((task) => ({ ...task, changelogRecords: 5_000 }));
    const behind = new Map([[first, 6_000]]);

    const { members, followUp } = highAvailability.assign(
      inputOf([member(1, { lags: behind }), member(2)], {}, { tasks }),
    );

    expect(members.get('member-2')?.active).toEqual([first]);
    expect(followUp).toBe(true);
  });

  it('looks at zones of changelogs where there are standbys to read them', () => {
    const partitionZones = new Map(
      [0, 1].map((partition) => [topicPartitionKey({ topic: 'in-0', partition }), ['a']] as const),
    );
    const near = { rackAwareAssignmentStrategy: 'min_traffic' as const };
    const members = [member(1, { zone: 'a' }), member(2, { zone: 'b' })];

    const isZoneAware = (numStandbyReplicas: number) =>
      placeHighlyAvailable(inputOf(members, { ...near, numStandbyReplicas }, { partitionZones })).isZoneAware;

    expect([isZoneAware(0), isZoneAware(1)]).toEqual([true, false]);
  });

  it('does not look at zones where one is not known', () => {
    const partitionZones = new Map([[topicPartitionKey({ topic: 'in-0', partition: 0 }), ['b']]]);
    const near = { rackAwareAssignmentStrategy: 'min_traffic' as const };
    const members = [member(1, { zone: 'a' }), member(2, { zone: 'b' })];

    expect(placeHighlyAvailable(inputOf(members, near, { partitionZones })).isZoneAware).toBe(false);
    expect(placeHighlyAvailable(inputOf([member(1), member(2)], near)).isZoneAware).toBe(false);
  });
});
