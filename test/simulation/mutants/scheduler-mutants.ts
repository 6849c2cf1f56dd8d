import type { Mutant } from './mutant.js';

/** What makes plans that can be carried out, by schedulers that may be late or two at once. */
export const schedulerMutants: readonly Mutant[] = [
  {
    name: 'death-condition',
    protects:
      'M6: a death is declared for the heartbeat that was seen stand still; else a late scheduler buries the living',
    edits: [
      {
        file: 'lib/leases/member-transitions.ts',
        find: 'return item.incarnation === command.incarnation && item.heartbeatVersion === command.heartbeatVersion;',
        replace: 'return item.incarnation === command.incarnation && command.heartbeatVersion >= 0;',
      },
    ],
  },
  {
    name: 'dead-in-plan',
    protects: 'N4: a plan names the dead whose leases it grants to others; else nobody may take those (traps 36)',
    edits: [
      {
        file: 'lib/scheduler/next-plan.ts',
        find: '  return known.filter(({ memberId, incarnation }) =>',
        replace: '  return known.slice(0, 0).filter(({ memberId, incarnation }) =>',
      },
    ],
  },
  {
    name: 'plan-condition',
    protects: 'E4: a plan is written only after the one it was made from; else a late scheduler sets the newest back',
    edits: [
      {
        file: 'lib/leases/lease-transitions.ts',
        find: 'newest === null : plan.number === (newest?.number ?? 0) + 1;',
        replace: 'newest === null : plan.number > 0;',
      },
    ],
  },
  {
    name: 'holding-back',
    protects:
      'G2: a scheduler of earlier settings leaves plans to the one that has begun after it; else tasks go back and forth (traps 47)',
    edits: [
      {
        file: 'lib/scheduler/precedence.ts',
        find: 'return begunWith !== null;',
        replace: 'return begunWith !== null && planAgeMs < 0;',
      },
    ],
  },
  {
    name: 'plan-validation',
    protects: 'N3: a placement is validated before use; here an assignor forgets a task while a member is away',
    given: [
      {
        file: 'lib/assignment/steady/steady.ts',
        find: 'assign: (input) => placeInSteps(input, reportedCopies, aimEvenly),',
        replace:
          'assign: (input) => {\n    const placement = placeInSteps(input, reportedCopies, aimEvenly);\n    if (input.members.every(({ live }) => live)) return placement;\n    const [first, ...others] = [...placement.members];\n    if (first === undefined) return placement;\n    const [memberId, placed] = first;\n    return { ...placement, members: new Map([[memberId, { ...placed, active: placed.active.slice(1) }], ...others]) };\n  },',
      },
    ],
    edits: [
      {
        file: 'lib/scheduler/ask-assignor.ts',
        find: '  validateAssignment(assignor.name, input, placement);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'announcement',
    protects: 'members are told of a new plan by their slots; else they run the old one for ever',
    edits: [
      {
        file: 'lib/leases/member-transitions.ts',
        find: 'return item.planNumber < command.planNumber;',
        replace: 'return item.planNumber < 1;',
      },
    ],
  },
];
