import type { Logger } from '../host/host.js';
import { messageOf } from '../model/thrown.js';
import type { TaskState } from '../topology/listeners.js';
import type { TaskRun } from './task-run.js';

/** Calls a listener of the application, if there is one; what it throws goes to the log. */
export function tell<T>(logger: Logger, listener: ((told: T) => void) | undefined, told: T): void {
  if (listener === undefined) return;
  try {
    listener(told);
  } catch (thrown) {
    logger.warn('listener-failed', { message: messageOf(thrown) });
  }
}

/** Brings a task to a state and says so. */
export function enter({ app, logger, status, task, ports }: TaskRun, state: TaskState): void {
  const before = status.phase;
  status.phase = state;
  if (state === before) return;
  if (state === 'restoring' || state === 'waiting-to-restore') status.marks.fencedMs ??= ports.host.clock.monotonic();
  if (state === 'running') status.marks.restoredMs ??= ports.host.clock.monotonic();
  const { listeners } = app;
  tell(logger, listeners?.onTaskState?.bind(listeners), { taskId: task.taskId, state, before });
}
