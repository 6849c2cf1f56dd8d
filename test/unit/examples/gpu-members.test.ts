import { describe, expect, it } from 'vitest';
import { gpuMembers } from '../../../examples/gpu-members/gpu-members.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import { member, settings } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';
import { refusalOf } from '../../support/refusal-of.js';

const inputOf = (gpus: readonly string[]) => ({
  tasks: tasksOf([
    [4, false],
    [4, true],
  ]),
  members: ['member-1', 'member-2', 'member-3'].map((id, index) =>
    member(index + 1, { tags: { gpu: gpus.includes(id) ? 'yes' : 'no' } }),
  ),
  settings,
});

describe('gpu-members', () => {
  it('gives tasks that need a GPU only to members that have one, and the others to all', () => {
    const input = inputOf(['member-2', 'member-3']);

    const placement = gpuMembers.assign(input);

    validateAssignment(gpuMembers.name, input, placement);
    const active = (id: string) => placement.members.get(id)?.active;
    expect(active('member-1')).toEqual(['1_0', '1_3']);
    expect(active('member-2')).toEqual(['0_0', '0_2', '1_1']);
    expect(active('member-3')).toEqual(['0_1', '0_3', '1_2']);
  });

  it('asks to be asked again while nobody has said whether it has one', () => {
    const input = inputOf([]);

    const placement = gpuMembers.assign({ ...input, members: [member(1), member(2)] });

    expect(placement.followUp).toBe(true);
    expect(gpuMembers.assign(inputOf(['member-1'])).followUp).toBe(false);
  });

  it('is refused by its name where no member has a GPU', () => {
    const input = inputOf([]);

    const refusal = refusalOf(() => validateAssignment(gpuMembers.name, input, gpuMembers.assign(input)));

    expect(refusal).toBe(
      "STREAMS_INVALID_ASSIGNMENT: assignor 'gpu-members' broke rule A1: task 0_0 is active on no member",
    );
  });
});
