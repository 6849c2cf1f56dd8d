/**
 * Asks the application about an error that nobody caught (uncaught-exceptions.ts).
 *
 *   U1  what may pass by itself (a service away, a fence, state to restore) is asked about only when it has kept a task from committing for
 *       `taskTimeoutMs`: until then the task is handed back and taken again
 *   U2  an error of the engine itself always ends at least its member: `replaceThread` replaces that
 *   U3  `auto` is `replaceThread`: the tasks beside a failed one run on, and a function that ends is asked for again in any case. Kafka Streams'
 *       default ends the client; `LocalStreams`, which is one, asks for that (lib/local/as-client.ts)
 *   U4  a handler that throws, or answers none of the three, has answered `shutdownClient`
 *   U5  a task that does not fit into its member's memory is handed back and taken again, in growing pauses: nobody's code is at fault, and
 *       the other tasks go on. The member reports it (state-budget.ts)
 */
import type { Logger } from '../host/host.js';
import { asStreamsError, type StreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import { UNCAUGHT_RESPONSES, type UncaughtResponse } from '../topology/uncaught-exceptions.js';

export interface Uncaught {
  readonly error: StreamsError;
  /** Null: of a global store, or of the member. */
  readonly taskId: TaskId | null;
  /** For how long the task has failed without a commit; milliseconds. */
  readonly failingForMs: number;
}

/** What is to end or to be replaced. */
export type Verdict = 'replace-task' | 'end-member' | 'shut-down-client' | 'shut-down-application';

/** Decides about an error, and says so in the log. */
export function judgeUncaught(app: StreamsApp, logger: Logger, uncaught: Uncaught): Verdict {
  const { error, taskId, failingForMs } = uncaught;
  if (taskId !== null && error.code === 'STREAMS_STATE_TOO_LARGE') return 'replace-task'; // U5
  const isForGood = error.kind === 'invalid' || error.kind === 'internal';
  if (taskId !== null && !isForGood && failingForMs < app.settings.taskTimeoutMs) return 'replace-task'; // U1
  const response = responseTo(app, logger, uncaught);
  logger.error('uncaught-exception', { taskId, response, code: error.code, message: error.message }, error);
  if (response === 'shutdownClient') return 'shut-down-client';
  if (response === 'shutdownApplication') return 'shut-down-application';
  return taskId === null || error.kind === 'internal' ? 'end-member' : 'replace-task'; // U2
}

function responseTo({ handlers, settings }: StreamsApp, logger: Logger, { error, taskId }: Uncaught): UncaughtResponse {
  const handler = handlers?.uncaught;
  if (handler === undefined) {
    const { uncaughtExceptionHandler: asked } = settings;
    return asked === 'auto' ? 'replaceThread' : asked; // U3
  }
  let why: string;
  try {
    const response: unknown = handler({ error, taskId });
    const known = UNCAUGHT_RESPONSES.find((one) => one === response);
    if (known !== undefined) return known;
    why = `it answered ${String(response)}`;
  } catch (thrown) {
    why = asStreamsError(thrown).message;
  }
  logger.error('uncaught-handler-failed', { taskId, message: why });
  return 'shutdownClient'; // U4
}
