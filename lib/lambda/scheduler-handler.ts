/** The scheduler function: ticks by the schedule, by request (a doorbell's), and at once when a task function fails. */
import type { TaskAssignor } from '../assignment/task-assignor.js';
import { createHeartbeatWatch } from '../scheduler/heartbeat-watch.js';
import { runScheduler } from '../scheduler/run-scheduler.js';
import { runTick } from '../scheduler/run-tick.js';
import type { StreamsApp } from '../topology/app.js';
import { failedMembers } from './failed-members.js';
import { runInvocation } from './invocation.js';
import { deadlineOf, type LambdaContext } from './lambda-context.js';
import { decodeSchedulerEvent, type SchedulerEvent } from './scheduler-event.js';
import { type HandlerOptions, isForNow, type Warm, warmStart } from './warm-start.js';

/** Between the last tick of a loop and Lambda's end: a tick may take this long. */
const TICK_MARGIN_MS = 15_000;

/** Lambda's form of "these messages of the queue were not dealt with". */
export interface SchedulerResult {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

export interface SchedulerHandlerOptions extends HandlerOptions {
  /** The user's own assignors, found by the setting `assignor` before the built-in ones. */
  readonly assignors?: readonly TaskAssignor[];
}

const ALL_DEALT_WITH: SchedulerResult = { batchItemFailures: [] };

/**
 * Makes the handler of the scheduler function. It takes the schedule's event, `tick` payloads, and records of failed task
 * invocations, directly or from a queue (docs/architecture.md). What it knows of heartbeats is kept for the next invocation
 * of the same execution environment; nothing depends on that.
 *
 * The handler throws: {InvalidPayloadError} STREAMS_INVALID_PAYLOAD before anything is touched · {InvalidSettingError}
 * STREAMS_INVALID_SETTING · whatever a tick throws; the next one observes again.
 *
 * @example export const handler = createSchedulerHandler(app);
 */
export function createSchedulerHandler(app: StreamsApp, options: SchedulerHandlerOptions = {}) {
  const warm = warmStart(app, options);
  const watch = createHeartbeatWatch();
  const handle = async (request: SchedulerEvent, here: Warm, context: LambdaContext): Promise<SchedulerResult> => {
    const { clock, logger } = here.ports.host;
    const scheduler = { ...here, watch, assignors: options.assignors ?? [] };
    const tickWhileMembers = (reason: string) =>
      runScheduler({
        ...scheduler,
        reason,
        deadlineAtMonotonicMs: deadlineOf(context, clock.monotonic(), TICK_MARGIN_MS),
        signal: new AbortController().signal,
      });
    switch (request.type) {
      case 'schedule':
        await tickWhileMembers('schedule');
        return ALL_DEALT_WITH;
      case 'tick':
        if (!isForNow(request, here)) return ALL_DEALT_WITH;
        if (request.resume === true || request.whileMembers !== true)
          await runTick({ ...scheduler, reason: request.reason, resume: request.resume ?? false });
        if (request.whileMembers === true) await tickWhileMembers(request.reason);
        return ALL_DEALT_WITH;
      case 'failures': {
        for (const { messageId, error } of request.unread)
          logger.error('failure-message-unread', { messageId, code: error.code, message: error.message });
        const failed = failedMembers(request.failed, await here.ports.leases.listMembers());
        logger.warn('invocations-failed', { invocations: request.failed, members: failed });
        if (request.failed.length > 0) await runTick({ ...scheduler, reason: 'task function failed', failed });
        return { batchItemFailures: request.unread.map(({ messageId }) => ({ itemIdentifier: messageId })) };
      }
    }
  };

  return async (event: unknown, context: LambdaContext): Promise<SchedulerResult> => {
    const request = decodeSchedulerEvent(event);
    const here = await warm();
    return runInvocation(here.ports, context, () => handle(request, here, context));
  };
}
