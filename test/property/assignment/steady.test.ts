import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { steady, sticky } from '../../../lib/assignment/steady/steady.js';
import type { AssignableTask, AssignmentInput, Placement } from '../../../lib/assignment/task-assignor.js';
import { validateAssignment } from '../../../lib/assignment/validate-assignment.js';
import { type TaskId, taskId } from '../../../lib/model/task-id.js';
import { member, settings as own } from '../../support/assignment-members.js';
import { tasksOf } from '../../support/random-clusters.js';

/** Members keep no copies, so that everything moves at once: what it aims at is what it answers. */
const settings = { ...own, maxWarmupReplicas: 0 };

const assignors = fc.constantFrom(steady, sticky);

const tasks = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.boolean()), { minLength: 1, maxLength: 4 })
  .map(tasksOf);

/** Who runs a task has no copy that lacks something. */
const without = (lags: ReadonlyMap<TaskId, number>, running: readonly TaskId[]): Map<TaskId, number> =>
  new Map([...lags].filter(([id]) => !running.includes(id)));

/** Members of any capacity that hold and have copies of any tasks, also of ones that are no more. */
const members = (of: readonly AssignableTask[]) => {
  const known = [...of.map((task) => task.id), taskId(9, 9)];
  return fc
    .array(
      fc.record({
        capacity: fc.integer({ min: 1, max: 4 }),
        previousActive: fc.uniqueArray(fc.constantFrom(...known)),
        lags: fc
          .array(fc.tuple(fc.constantFrom(...known), fc.integer({ min: 0, max: 200 })))
          .map((lags) => new Map<TaskId, number>(lags)),
      }),
      { minLength: 1, maxLength: 7 },
    )
    .map((drawn) =>
      drawn.map((one, index) => member(index + 1, { ...one, lags: without(one.lags, one.previousActive) })),
    );
};

const inputs = tasks.chain((of) => members(of).map((by): AssignmentInput => ({ tasks: of, members: by, settings })));

const equalCapacity = (input: AssignmentInput): AssignmentInput => ({
  ...input,
  members: input.members.map((one) => ({ ...one, capacity: 1 })),
});

const active = (placement: Placement, id: string): readonly TaskId[] => placement.members.get(id)?.active ?? [];

/** All tasks stateful, or none; all members of one capacity. */
const oneKind = (input: AssignmentInput): AssignmentInput => {
  const stateful = input.tasks[0]?.stateful === true;
  return equalCapacity({ ...input, tasks: input.tasks.map((task) => ({ ...task, stateful })) });
};

const severalMembers = (input: AssignmentInput): boolean => input.members.length > 1;

const isStateful = (input: AssignmentInput) => {
  const stateful = new Set(input.tasks.filter((task) => task.stateful).map((task) => task.id));
  return (task: TaskId): boolean => stateful.has(task);
};

/** The input of the next time: everyone holds what the placement gave; `members` are those there now. */
const nextInput = (input: AssignmentInput, placement: Placement, by = input.members): AssignmentInput => ({
  ...input,
  members: by.map((one) => ({
    ...one,
    previousActive: active(placement, one.id),
    lags: without(one.lags, active(placement, one.id)),
  })),
});

const owners = (placement: Placement): Map<TaskId, string> =>
  new Map([...placement.members].flatMap(([id, placed]) => placed.active.map((task) => [task, id] as const)));

const moved = (before: Placement, now: Placement): TaskId[] => {
  const was = owners(before);
  return [...owners(now)].filter(([task, id]) => was.get(task) !== id).map(([task]) => task);
};

const shuffled = <T>(items: readonly T[]) => fc.shuffledSubarray([...items], { minLength: items.length });

describe('steady and sticky, for all inputs', () => {
  it('place every task once, on members that are there', () => {
    fc.assert(
      fc.property(assignors, inputs, (assignor, input) => {
        validateAssignment(assignor.name, input, assignor.assign(input));
      }),
    );
  });

  it('share stateful tasks, and all tasks, by capacity: no move improves the balance (B1)', () => {
    fc.assert(
      fc.property(assignors, inputs, (assignor, input) => {
        const placement = assignor.assign(input);

        const stateful = new Set(input.tasks.filter((task) => task.stateful).map((task) => task.id));
        for (const counts of [
          input.members.map((one) => active(placement, one.id).length),
          input.members.map((one) => active(placement, one.id).filter((task) => stateful.has(task)).length),
        ]) {
          for (const [i, a] of input.members.entries()) {
            for (const [j, b] of input.members.entries()) {
              if (i === j) continue;
              expect((counts[i] ?? 0) / a.capacity).toBeLessThanOrEqual(((counts[j] ?? 0) + 1) / b.capacity);
            }
          }
        }
      }),
    );
  });

  it('move nothing when asked again with their own answer (B2)', () => {
    fc.assert(
      fc.property(assignors, inputs, (assignor, input) => {
        const first = assignor.assign(input);

        expect(assignor.assign(nextInput(input, first))).toEqual(first);
      }),
    );
  });

  it('answer the same whatever the order of tasks and members (B4)', () => {
    fc.assert(
      fc.property(
        assignors,
        inputs.chain((input) => fc.tuple(fc.constant(input), shuffled(input.tasks), shuffled(input.members))),
        (assignor, [input, tasksNow, membersNow]) => {
          const placement = assignor.assign({ ...input, tasks: tasksNow, members: membersNow });

          expect(owners(placement)).toEqual(owners(assignor.assign(input)));
        },
      ),
    );
  });

  it('move to a newcomer exactly its share of stateful tasks, and no other stateful task (B3)', () => {
    fc.assert(
      fc.property(assignors, inputs.map(equalCapacity), (assignor, input) => {
        const before = assignor.assign(input);
        const newcomer = member(input.members.length + 1);

        const now = assignor.assign(nextInput(input, before, [...input.members, newcomer]));

        const stateful = isStateful(input);
        expect(moved(before, now).filter(stateful).sort()).toEqual(active(now, newcomer.id).filter(stateful).sort());
      }),
    );
  });

  it("move of stateful tasks only a leaver's when it leaves (B3)", () => {
    fc.assert(
      fc.property(assignors, inputs.map(equalCapacity).filter(severalMembers), fc.nat(), (assignor, input, pick) => {
        const before = assignor.assign(input);
        const leaver = input.members[pick % input.members.length];

        const now = assignor.assign(
          nextInput(
            input,
            before,
            input.members.filter((one) => one !== leaver),
          ),
        );

        const stateful = isStateful(input);
        expect(moved(before, now).filter(stateful).sort()).toEqual(
          active(before, leaver?.id ?? '')
            .filter(stateful)
            .sort(),
        );
      }),
    );
  });

  it('move exactly the share of a newcomer, or the tasks of a leaver, where all tasks are of one kind (B3)', () => {
    fc.assert(
      fc.property(assignors, inputs.map(oneKind).filter(severalMembers), fc.nat(), (assignor, input, pick) => {
        const newcomer = member(input.members.length + 1);
        const leaver = input.members[pick % input.members.length];
        const before = assignor.assign(input);

        const joined = assignor.assign(nextInput(input, before, [...input.members, newcomer]));
        const left = assignor.assign(
          nextInput(
            input,
            before,
            input.members.filter((one) => one !== leaver),
          ),
        );

        expect(moved(before, joined).sort()).toEqual([...active(joined, newcomer.id)].sort());
        expect(moved(before, left).sort()).toEqual([...active(before, leaver?.id ?? '')].sort());
      }),
    );
  });

  it('make as few stateful tasks move as any balanced placement does (B3)', () => {
    fc.assert(
      fc.property(assignors, inputs.map(equalCapacity), (assignor, input) => {
        const placement = assignor.assign(input);

        const stateful = input.tasks.filter((task) => task.stateful);
        const was = new Map<TaskId, string>();
        for (const one of input.members) {
          for (const task of one.previousActive) if (!was.has(task)) was.set(task, one.id);
        }
        const kept = stateful.filter((task) => was.get(task.id) === owners(placement).get(task.id)).length;
        const held = input.members
          .map((one) => stateful.filter((task) => was.get(task.id) === one.id).length)
          .sort((a, b) => b - a);
        const floor = Math.floor(stateful.length / input.members.length);
        const more = stateful.length % input.members.length;
        const best = held.reduce((sum, count, rank) => sum + Math.min(count, floor + (rank < more ? 1 : 0)), 0);
        expect(kept).toBe(best);
      }),
    );
  });

  it('spread each sub-topology over members that hold nothing yet', () => {
    fc.assert(
      fc.property(assignors, tasks, fc.integer({ min: 1, max: 6 }), (assignor, of, count) => {
        const fresh = Array.from({ length: count }, (_, index) => member(index + 1));

        const placement = assignor.assign({ tasks: of, members: fresh, settings });

        for (const subTopology of new Set(of.map((task) => task.id.split('_')[0]))) {
          const counts = fresh.map(
            (one) => active(placement, one.id).filter((task) => task.startsWith(`${subTopology}_`)).length,
          );
          expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('settle: after any joins and leaves, one more asking changes nothing', () => {
    const changes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(assignors, tasks, changes, (assignor, of, toggles) => {
        const present = new Set([1]);
        let input: AssignmentInput = { tasks: of, members: [member(1)], settings };
        let placement = assignor.assign(input);
        for (const number of toggles) {
          if (present.has(number) && present.size > 1) present.delete(number);
          else present.add(number);
          input = nextInput(
            input,
            placement,
            [...present].map((one) => member(one)),
          );
          placement = assignor.assign(input);
          validateAssignment(assignor.name, input, placement);
        }

        expect(assignor.assign(nextInput(input, placement))).toEqual(placement);
      }),
    );
  });
});
