/** Which tasks have been together on a member, so that each meets many others: load is spread. Kafka: `TaskPairs`. */
import type { MemberState, PlacedTask } from '../cluster.js';

export class TaskPairs {
  private readonly pairs = new Set<number>();
  private readonly taskCount: number;

  constructor(taskCount: number) {
    this.taskCount = taskCount;
  }

  /** Whether the member holds a task that this one has not been together with. */
  isNew(task: PlacedTask, state: MemberState): boolean {
    if (this.pairs.size === (this.taskCount * (this.taskCount - 1)) / 2) return false;
    for (const kind of [state.active, state.standby]) {
      for (const other of kind) if (!this.pairs.has(this.pairOf(task, other))) return true;
    }
    return false;
  }

  /** Notes that the task comes to the member. */
  add(task: PlacedTask, state: MemberState): void {
    for (const kind of [state.active, state.standby])
      for (const other of kind) this.pairs.add(this.pairOf(task, other));
  }

  private pairOf(a: PlacedTask, b: PlacedTask): number {
    return Math.min(a.index, b.index) * this.taskCount + Math.max(a.index, b.index);
  }
}
