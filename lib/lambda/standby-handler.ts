/** The standby function: advances snapshots, and goes away. */
import { decodePayload } from '../invoke/decode-payload.js';
import { parseTaskId } from '../model/task-id.js';
import { runStandby } from '../runtime/run-standby.js';
import type { StreamsApp } from '../topology/app.js';
import { runInvocation } from './invocation.js';
import { deadlineOf, type LambdaContext } from './lambda-context.js';
import { type HandlerOptions, isForNow, warmStart } from './warm-start.js';

/** Between the standby's deadline and Lambda's: time to answer. */
const ANSWER_MARGIN_MS = 1_000;

/**
 * Makes the handler of the standby function. It takes `advance-snapshots` payloads (docs/architecture.md).
 *
 * The handler throws: {InvalidPayloadError} STREAMS_INVALID_PAYLOAD before anything is touched · {InvalidSettingError}
 * STREAMS_INVALID_SETTING · {UnavailableError} STREAMS_UNAVAILABLE; the next tick asks again.
 *
 * @example export const handler = createStandbyHandler(app);
 */
export function createStandbyHandler(app: StreamsApp, options: HandlerOptions = {}) {
  const warm = warmStart(app, options);
  return async (event: unknown, context: LambdaContext): Promise<void> => {
    const payload = decodePayload('standby', event);
    const here = await warm();
    await runInvocation(here.ports, context, async () => {
      if (!isForNow(payload, here)) return;
      await runStandby({
        ...here,
        taskIds: payload.taskIds.map((id) => parseTaskId(id).id),
        deadlineAtMonotonicMs: deadlineOf(context, here.ports.host.clock.monotonic(), ANSWER_MARGIN_MS),
      });
    });
  };
}
