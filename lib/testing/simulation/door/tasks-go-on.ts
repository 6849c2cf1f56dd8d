/** No task stops for good: what user code throws under faults is said with its task, its code and the error itself. */
import { ERRORS, type ErrorCode } from '../../../model/errors.js';
import type { Checker } from '../checkers/checker.js';

export const TASKS_GO_ON = 'tasks-go-on';

/** @param thrown hears what the user's code threw, if it is known */
export function tasksGoOn(thrown: (cause: unknown) => void): Checker {
  return {
    name: TASKS_GO_ON,
    watch({ cloud, wrong }) {
      const stopped = new Map<string, string>();
      cloud.timeline.listen(({ event, fields: { taskId, code, message }, thrown: error }) => {
        const task = String(taskId);
        if (event !== 'task-failed' || !isOfUser(code) || stopped.has(task)) return;
        const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
        if (cause !== undefined) thrown(cause);
        stopped.set(task, `${String(code)}: ${withCause(String(message), cause)}`);
      });
      return {
        async ended() {
          for (const [task, what] of stopped) wrong(`task ${task} has stopped: ${what}`);
        },
      };
    },
  };
}

/** Whether code or input is wrong, which no other attempt mends. */
function isOfUser(code: unknown): boolean {
  return typeof code === 'string' && code in ERRORS && ERRORS[code as ErrorCode].kind === 'invalid';
}

/** A message that does not tell of its cause is followed by it. */
function withCause(message: string, cause: unknown): string {
  const words = cause instanceof Error ? cause.message : String(cause ?? '');
  return message.includes(words) ? message : `${message}: ${words}`;
}
