/**
 * An assignor of one's own: tasks that need a GPU run on members that have one, all others anywhere.
 *
 * It asks the built-in `steady` twice, over different members, and puts the answers together. Whatever it answers is checked
 * before it is used: where no member has a GPU, nobody gets those tasks, the answer is refused by name (rule A1), and the plan
 * before stays.
 */
import {
  type AssignableMember,
  type AssignmentInput,
  type MemberPlacement,
  steady,
  type TaskAssignor,
} from '../../lib/assignment/index.js';

/** The sub-topology that labels photos (`app.topology.describe()`). It has no store, so nothing of it is warmed up. */
export const needsGpu = (id: string): boolean => id.startsWith('0_');

/** Members that say that they have one; before anybody has said so, for a first plan, those that have not said anything. */
function mayLabel(members: readonly AssignableMember[]): (member: AssignableMember) => boolean {
  const isKnown = members.some(({ live, tags }) => live && tags.gpu === 'yes');
  return ({ live, tags }) => live && tags.gpu === (isKnown ? 'yes' : undefined);
}

export const gpuMembers: TaskAssignor = {
  name: 'gpu-members',
  assign: (input: AssignmentInput) => {
    const isFit = mayLabel(input.members);
    const labelling = steady.assign({
      ...input,
      tasks: input.tasks.filter(({ id }) => needsGpu(id)),
      members: input.members.map((member) => ({ ...member, live: isFit(member) })),
    });
    const others = steady.assign({ ...input, tasks: input.tasks.filter(({ id }) => !needsGpu(id)) });
    const placed = [...others.members].map(([id, held]): [string, MemberPlacement] => {
      const active = labelling.members.get(id)?.active ?? [];
      return [id, { ...held, active: [...active, ...held.active] }];
    });
    const isUnknown = input.members.some(({ live, tags }) => live && tags.gpu === undefined);
    return { members: new Map(placed), followUp: isUnknown || labelling.followUp || others.followUp };
  },
};
