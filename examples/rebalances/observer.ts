/** Watches plans, and how long each task gives nothing out. */
import type { LocalState, LocalStreams } from '../../lib/local/index.js';

type SeenPlan = NonNullable<LocalState['plan']>;
type Assignment = SeenPlan['assignment'];

/** A task that a plan gives to another member. */
export interface Moved {
  readonly taskId: string;
  readonly from: string;
  readonly to: string;
}

/** What came of one step. */
export interface Step {
  readonly title: string;
  readonly plans: number;
  /** In order; a task that moved twice is there twice. */
  readonly moves: readonly Moved[];
  /** Longest time without output, in milliseconds, of any task that moved, and of any other; null: there are none. */
  readonly pauseMsOfMoved: number | null;
  readonly pauseMsOfOthers: number | null;
}

const LOOK_EVERY_MS = 20;
const NAMES: Readonly<Record<string, string>> = { 'member-1': 'A', 'member-2': 'B', 'member-3': 'C', 'member-4': 'D' };

export class Observer {
  private readonly streams: LocalStreams;
  private readonly clock: { monotonic(): number; sleep(ms: number): Promise<void> };
  private readonly print: (line: string) => void;
  private readonly partitions: number;
  private plan: SeenPlan | null = null;
  private ends: number[] = [];
  private changedAtMs: number[] = [];
  private gaps: number[] = [];
  private moves: readonly Moved[] = [];
  private isOver = false;
  private startedMs = 0;
  private plannedAtMs = 0;

  constructor(init: {
    readonly streams: LocalStreams;
    readonly clock: { monotonic(): number; sleep(ms: number): Promise<void> };
    readonly print: (line: string) => void;
    readonly partitions: number;
  }) {
    this.streams = init.streams;
    this.clock = init.clock;
    this.print = init.print;
    this.partitions = init.partitions;
  }

  /** Looks until {@link end}. */
  async look(): Promise<void> {
    this.startedMs = this.clock.monotonic();
    while (!this.isOver) {
      await this.lookAtPlan();
      await this.lookAtOutput();
      await this.clock.sleep(LOOK_EVERY_MS);
    }
  }

  end(): void {
    this.isOver = true;
  }

  /** Does something, and waits until no plan has come for a while and all tasks run where they should. */
  async step(title: string, act: () => Promise<unknown>, quietMs: number): Promise<Step> {
    const before = this.plan;
    const beganMs = this.clock.monotonic();
    this.gaps = [];
    this.moves = [];
    this.changedAtMs = this.changedAtMs.map(() => beganMs);
    this.print(`\n== ${this.at()} ${title}`);
    await act();
    do await this.clock.sleep(LOOK_EVERY_MS);
    while (this.clock.monotonic() - Math.max(beganMs, this.plannedAtMs) < quietMs || !(await this.isInPlace()));
    return this.summed(title, before);
  }

  private summed(title: string, before: SeenPlan | null): Step {
    const { moves } = this;
    const moved = new Set(moves.map(({ taskId }) => taskId));
    const gapOf = (isMoved: boolean) => {
      const gaps = this.gaps.filter((_, partition) => moved.has(`0_${partition}`) === isMoved);
      return gaps.length === 0 ? null : Math.round(Math.max(...gaps));
    };
    const plans = (this.plan?.number ?? 0) - (before?.number ?? 0);
    const step: Step = { title, plans, moves, pauseMsOfMoved: gapOf(true), pauseMsOfOthers: gapOf(false) };
    const pauses = before === null ? '' : `; longest pause of output: ${pausesInWords(step)}`;
    this.print(`   ${plans} ${plans === 1 ? 'plan' : 'plans'}, ${moves.length} actives moved${pauses}`);
    return step;
  }

  private async lookAtPlan(): Promise<void> {
    const { plan } = await this.streams.state();
    if (plan === null || plan.number === this.plan?.number) return;
    this.plannedAtMs = this.clock.monotonic();
    this.print(`${this.at()} plan ${plan.number}: ${plan.reason.replaceAll(/member-\d+/g, named)}`);
    for (const line of linesOf(plan.assignment)) this.print(`        ${line}`);
    const moves = this.plan === null ? [] : movesBetween(this.plan.assignment, plan.assignment);
    for (const { taskId, from, to } of moves) this.print(`        ${taskId}: ${from} → ${to}`);
    this.moves = [...this.moves, ...moves];
    this.plan = plan;
  }

  private async lookAtOutput(): Promise<void> {
    const nowMs = this.clock.monotonic();
    const of = Array.from({ length: this.partitions }, (_, partition) => ({ topic: 'views-per-page', partition }));
    const ends = [...(await this.streams.log.listOffsets(of, 'lastStable')).values()];
    ends.forEach((end, partition) => {
      const sinceMs = nowMs - (this.changedAtMs[partition] ?? nowMs);
      this.gaps[partition] = Math.max(this.gaps[partition] ?? 0, sinceMs);
      if (end !== this.ends[partition]) this.changedAtMs[partition] = nowMs;
    });
    this.ends = ends;
  }

  /** Whether each task is held by the member that the plan grants it to, and no move is prepared. */
  private async isInPlace(): Promise<boolean> {
    const { members, unowned, plan } = await this.streams.state();
    const held = new Map(members.map(({ id, tasks }) => [id as string, tasks.join()]));
    const planned = Object.entries(plan?.assignment ?? {});
    return (
      unowned.length === 0 &&
      planned.every(([id, { active, warmup }]) => warmup.length === 0 && held.get(id) === sorted(active).join())
    );
  }

  private at(): string {
    const seconds = (this.clock.monotonic() - this.startedMs) / 1_000;
    return `${seconds.toFixed(1).padStart(5)} s`;
  }
}

function named(id: string): string {
  return NAMES[id] ?? id;
}

function byNumber(a: string, b: string): number {
  return Number(a.slice(2)) - Number(b.slice(2));
}

function sorted(tasks: readonly string[]): readonly string[] {
  return [...tasks].sort(byNumber);
}

function linesOf(assignment: Assignment): readonly string[] {
  return Object.entries(assignment).map(([id, { active, standby, warmup }]) => {
    const list = (tasks: readonly string[]) => sorted(tasks).join(' ');
    const warming = warmup.length === 0 ? '' : `   warm-up ${list(warmup)}`;
    return `${named(id)}   active ${list(active).padEnd(26)} standby ${list(standby)}${warming}`.trimEnd();
  });
}

function movesBetween(before: Assignment, after: Assignment): readonly Moved[] {
  const owners = new Map(
    Object.entries(before).flatMap(([id, { active }]) => active.map((task) => [task as string, id])),
  );
  return Object.entries(after)
    .flatMap(([id, { active }]) => active.map((taskId) => ({ taskId: taskId as string, to: named(id) })))
    .map(({ taskId, to }) => ({ taskId, from: named(owners.get(taskId) ?? 'nobody'), to }))
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => byNumber(a.taskId, b.taskId));
}

function pausesInWords({ pauseMsOfMoved, pauseMsOfOthers }: Step): string {
  const parts = [
    ...(pauseMsOfMoved === null ? [] : [`${pauseMsOfMoved} ms of tasks that moved`]),
    ...(pauseMsOfOthers === null ? [] : [`${pauseMsOfOthers} ms of others`]),
  ];
  return parts.join(', ');
}
