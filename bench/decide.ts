/**
 * How long it takes to decide who runs what: 10,000 stateful tasks over 500 members, from nothing, when one joins, when one
 * leaves, and when nothing has changed, with hot standbys or without. The assignors alone: nothing is read or written.
 */
import { parseArgs } from 'node:util';
import { highAvailability } from '../lib/assignment/high-availability/high-availability.js';
import { steady } from '../lib/assignment/steady/steady.js';
import type {
  AssignableMember,
  AssignableTask,
  AssignmentInput,
  Placement,
  TaskAssignor,
} from '../lib/assignment/task-assignor.js';
import { weighted } from '../lib/assignment/weighted/weighted.js';
import { taskId } from '../lib/model/task-id.js';
import { afterwards, member, settings } from '../test/support/assignment-members.js';

const SUB_TOPOLOGIES = 4;
const LONG_CHANGELOG = 1_000_000;

interface Figure {
  readonly assignor: string;
  readonly standbys: number;
  readonly what: string;
  readonly ms: number;
  /** Of the machine's processors: what does not depend on who else is there. */
  readonly cpuMs: number;
  readonly moved: number;
}

/** Runs the bench. @returns what is printed as its JSON line */
export function decide(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: { tasks: { type: 'string', default: '10000' }, members: { type: 'string', default: '500' } },
  });
  const [tasks, members] = [Number(values.tasks), Number(values.members)];
  const figures = [steady, weighted, highAvailability].flatMap((assignor) =>
    [0, 1].flatMap((standbys) => measure(assignor, standbys, tasks, members)),
  );
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1_024);
  process.stderr.write(`peak memory ${peakMb} MB\n`);
  return Promise.resolve({ bench: 'decide', tasks, members, figures, peakMb });
}

function measure(assignor: TaskAssignor, standbys: number, taskCount: number, memberCount: number): readonly Figure[] {
  const figures: Figure[] = [];
  const time = (what: string, input: AssignmentInput): AssignmentInput => {
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const placement = assignor.assign(input);
    const { user, system } = process.cpuUsage(cpu);
    const [ms, cpuMs] = [Math.round(performance.now() - began), Math.round((user + system) / 1_000)];
    const figure = { assignor: assignor.name, standbys, what, ms, cpuMs, moved: movedBy(input, placement) };
    figures.push(figure);
    process.stderr.write(
      `${figure.assignor}, ${standbys} standbys, ${what}: ${ms} ms (CPU ${cpuMs}), ${figure.moved} moved\n`,
    );
    return afterwards(input, placement);
  };
  const all = Array.from({ length: memberCount }, (_, index) => member(index + 1));
  const settled = time('from empty', inputOf(taskCount, all, standbys));
  time('nothing changed', settled);
  time('one joins', { ...settled, members: [...settled.members, member(memberCount + 1)] });
  time('one leaves', { ...settled, members: settled.members.slice(1) });
  return figures;
}

function inputOf(taskCount: number, members: readonly AssignableMember[], standbys: number): AssignmentInput {
  return {
    tasks: Array.from({ length: taskCount }, (_, index) =>
      taskOf(index % SUB_TOPOLOGIES, Math.floor(index / SUB_TOPOLOGIES)),
    ),
    members,
    settings: { ...settings, numStandbyReplicas: standbys, standbyKind: 'hot', acceptableRecoveryLag: 10_000 },
  };
}

function taskOf(subTopology: number, partition: number): AssignableTask {
  return {
    id: taskId(subTopology, partition),
    stateful: true,
    inputs: [{ topic: `in-${subTopology}`, partition }],
    changelogs: [{ topic: `changelog-${subTopology}`, partition }],
    weight: 1,
    changelogRecords: LONG_CHANGELOG,
  };
}

function movedBy({ members }: AssignmentInput, placement: Placement): number {
  const stays = members.reduce((sum, { id, previousActive }) => {
    const active = new Set(placement.members.get(id)?.active);
    return sum + previousActive.filter((task) => active.has(task)).length;
  }, 0);
  return members.reduce((sum, { previousActive }) => sum + previousActive.length, 0) - stays;
}
