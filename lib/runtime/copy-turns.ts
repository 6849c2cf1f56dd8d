/**
 * Which of a member's copies may be read back now: their turns in the line of restores (restore-queue.ts), one for all stores of a task.
 *
 * Without a limit all may, and nothing is asked.
 *
 * Invariants
 *   T1  a turn is asked for once, for as long as something of the task is to be read back, and given back when there is nothing any more
 *   T2  a turn that has to give way is given back once nothing is read under it, and asked for anew behind the tasks
 */
import type { Logger } from '../host/host.js';
import type { TaskId } from '../model/task-id.js';
import type { RestorePlaces } from './restore-places.js';

/** Of a copy of which nobody can tell what it has to read: it comes last. */
const UNKNOWN_BYTES = Number.MAX_SAFE_INTEGER;
const OVER = 'over';

export interface CopyTurnsInit {
  readonly places: Pick<RestorePlaces, 'limit' | 'enter' | 'leave'>;
  readonly logger: Logger;
  /** Bytes that the copies of a task have to read; what it throws counts as not known. */
  readonly estimate: (taskId: TaskId) => Promise<number>;
  /** A turn has come, or has to give way. */
  readonly changed: (taskId: TaskId) => void;
}

interface Turn {
  readonly over: AbortController;
  state: 'asked' | 'on' | 'gives-way';
}

export class CopyTurns {
  private readonly init: CopyTurnsInit;
  private readonly turns = new Map<TaskId, Turn>();

  constructor(init: CopyTurnsInit) {
    this.init = init;
  }

  /** Whether copies of the task may be read back. */
  mayRead(taskId: TaskId): boolean {
    return this.init.places.limit === 0 || this.turns.get(taskId)?.state === 'on';
  }

  /**
   * Asks for the turns that are needed, and gives back those that are not, or have to give way (T1, T2).
   *
   * @param needed tasks of whose copies something is to be read back, the most wanted first
   * @param reading those of which something is being read now
   */
  turn(needed: ReadonlySet<TaskId>, reading: ReadonlySet<TaskId>): void {
    if (this.init.places.limit === 0) return;
    for (const [taskId, { state }] of this.turns) {
      if (reading.has(taskId) || (needed.has(taskId) && state !== 'gives-way')) continue;
      if (state === 'gives-way') this.init.logger.info('copy-waits', { taskId, because: 'tasks-wait' });
      this.giveBack(taskId);
    }
    for (const taskId of needed) if (!this.turns.has(taskId)) void this.ask(taskId);
  }

  /** Gives all turns back. */
  end(): void {
    for (const taskId of [...this.turns.keys()]) this.giveBack(taskId);
  }

  private giveBack(taskId: TaskId): void {
    this.turns.get(taskId)?.over.abort(OVER);
    this.turns.delete(taskId);
    this.init.places.leave({ taskId, copy: true });
  }

  /** Never throws: a turn that can not be had is asked for anew with the next look. */
  private async ask(taskId: TaskId): Promise<void> {
    const { places, logger, estimate, changed } = this.init;
    const turn: Turn = { over: new AbortController(), state: 'asked' };
    this.turns.set(taskId, turn);
    const { signal } = turn.over;
    const leftBytes = await estimate(taskId).catch(() => UNKNOWN_BYTES);
    try {
      await places.enter({
        taskId,
        leftBytes,
        signal,
        waits: () => logger.info('copy-waits', { taskId, because: 'no-place', leftBytes, limit: places.limit }),
        givesWay: () => {
          turn.state = 'gives-way';
          changed(taskId);
        },
      });
    } catch {
      if (this.turns.get(taskId) === turn) this.turns.delete(taskId);
      return;
    }
    if (signal.aborted) return; // it was given back with that
    turn.state = 'on';
    changed(taskId);
  }
}
