import { describe, expect, it } from 'vitest';
import { findAssignor } from '../../../lib/assignment/assignors.js';
import type {
  AssignmentInput,
  AssignmentSettings,
  MemberPlacement,
  Placement,
  TaskAssignor,
} from '../../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import { InvalidAssignmentError, InvalidSettingError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { member, settings } from '../../support/assignment-members.js';
import { refusalOf } from '../../support/refusal-of.js';

const counts = taskId(1, 0);
const plain = taskId(0, 0);

const input = (own: Partial<AssignmentSettings> = {}): AssignmentInput => ({
  tasks: [
    { id: plain, stateful: false, inputs: [], changelogs: [], weight: 1 },
    { id: counts, stateful: true, inputs: [], changelogs: [], weight: 1 },
  ],
  members: [member(1), member(2), member(3, { live: false })],
  settings: { ...settings, numStandbyReplicas: 1, standbyKind: 'hot', maxWarmupReplicas: 1, ...own },
});

const brokenRule = (members: Record<string, Partial<MemberPlacement>>, own: Partial<AssignmentSettings> = {}) => {
  const placement = {
    followUp: false,
    members: new Map(
      Object.entries(members).map(([id, placed]) => [id, { active: [], standby: [], warmup: [], ...placed }]),
    ),
  };
  try {
    validateAssignment('mine', input(own), placement);
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidAssignmentError);
    return (error as InvalidAssignmentError).details.rule;
  }
};

describe('a placement is refused', () => {
  it('not at all if every rule holds', () => {
    expect(brokenRule({ 'member-1': { active: [plain, counts] }, 'member-2': { standby: [counts] } })).toBe('none');
  });

  it.each([
    ['A1', 'a task is active nowhere', { 'member-1': { active: [plain] } }],
    ['A1', 'a task is active twice', { 'member-1': { active: [plain, counts] }, 'member-2': { active: [counts] } }],
    ['A2', 'a dead member is given a task', { 'member-1': { active: [plain] }, 'member-3': { active: [counts] } }],
    ['A2', 'an unknown member is given a task', { 'member-1': { active: [plain] }, 'member-9': { active: [counts] } }],
    ['A3', 'an unknown task is placed', { 'member-1': { active: [plain, counts, taskId(7, 7)] } }],
    ['A4', 'a standby sits beside its active', { 'member-1': { active: [plain, counts], standby: [counts] } }],
    ['A4', 'a member is given a task twice', { 'member-1': { active: [plain, counts, counts] } }],
    [
      'A5',
      'a stateless task has a standby',
      { 'member-1': { active: [plain, counts] }, 'member-2': { standby: [plain] } },
    ],
  ])('by %s if %s', (rule, _what, members) => {
    expect(brokenRule(members)).toBe(rule);
  });

  it.each([
    ['nothing', undefined, 'the `members` of its answer are no Map'],
    ['a promise', Promise.resolve(), 'its answer is a promise; assign() answers at once'],
    ['an object for a map', { members: {}, followUp: false }, 'the `members` of its answer are no Map'],
    ['no word of what follows', { members: new Map() }, 'the `followUp` of its answer is no boolean'],
    ['null for a member', { members: new Map([['member-1', null]]), followUp: false }, 'no array'],
    [
      'a list left out',
      { members: new Map([['member-1', { active: [plain, counts], standby: [] }]]), followUp: false },
      'the list `warmup` of member-1 is no array',
    ],
    [
      'a set for a list',
      { members: new Map([['member-1', { active: new Set([plain]), standby: [], warmup: [] }]]), followUp: false },
      'the list `active` of member-1 is no array',
    ],
  ])('by A0 if it is no placement, but %s', (_what, answer, says) => {
    const refused = refusalOf(() => validateAssignment('mine', input(), answer as unknown as Placement));

    expect(refused).toMatch(/^STREAMS_INVALID_ASSIGNMENT: assignor 'mine' broke rule A0: /);
    expect(refused).toContain(says);
  });

  it('by A4 with what a member was given beside what', () => {
    const beside = new Map([['member-1', { active: [plain, counts], standby: [counts], warmup: [] }]]);

    const refused = refusalOf(() => validateAssignment('mine', input(), { members: beside, followUp: false }));

    expect(refused).toContain("assignor 'mine' broke rule A4: member-1 was given 1_0 as active and as standby");
  });

  it('by A6 if there are more standbys than wanted, or any where standbys are snapshots', () => {
    const members = { 'member-1': { active: [plain, counts] }, 'member-2': { standby: [counts] } };

    expect(brokenRule(members, { numStandbyReplicas: 0 })).toBe('A6');
    expect(brokenRule(members, { standbyKind: 'snapshot' })).toBe('A6');
  });

  it('by A7 if more warm-ups are in flight than allowed', () => {
    const members = { 'member-1': { active: [plain, counts] }, 'member-2': { warmup: [counts] } };

    expect(brokenRule(members)).toBe('none');
    expect(brokenRule(members, { maxWarmupReplicas: 0 })).toBe('A7');
  });
});

describe('an assignor is found by name', () => {
  const own: TaskAssignor = { name: 'mine', assign: () => ({ members: new Map(), followUp: false }) };

  it('among the built-in ones and the own ones', () => {
    expect(findAssignor('steady').name).toBe('steady');
    expect(findAssignor('mine', [own])).toBe(own);
  });

  it('or refused with the names there are', () => {
    expect(() => findAssignor('stedy', [own])).toThrow(InvalidSettingError);
    expect(() => findAssignor('stedy', [own])).toThrow(/'stedy'/);
    try {
      findAssignor('stedy', [own]);
    } catch (error) {
      expect((error as InvalidSettingError).remedy).toContain('mine, steady, sticky');
    }
  });
});
