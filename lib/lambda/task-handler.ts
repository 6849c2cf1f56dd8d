/** The task function: a member of the application, for as long as one invocation lasts. */
import { REQUEST_ID_TAG } from '../leases/placement-tags.js';
import { KeptStores } from '../runtime/kept-stores.js';
import { runDoorbell } from '../runtime/run-doorbell.js';
import { runMember } from '../runtime/run-member.js';
import type { StreamsApp } from '../topology/app.js';
import { runInvocation } from './invocation.js';
import { deadlineOf, type LambdaContext, memoryOf, memoryTag } from './lambda-context.js';
import { memberTags } from './member-tags.js';
import { once } from './once.js';
import { decodeTaskEvent } from './task-event.js';
import { type HandlerOptions, isForNow, warmStart } from './warm-start.js';

/** Between the member's deadline and Lambda's: time to answer. */
const ANSWER_MARGIN_MS = 1_000;

/**
 * Makes the handler of the task function. It takes `run-member` and `doorbell` payloads and the events of Kafka event source
 * mappings (docs/architecture.md), runs what they ask for until it is done or the deadline is near, and keeps ports and
 * stores for the next invocation of the same execution environment. Its members have the tags of MILLRACE_MEMBER_TAGS, and the zone
 * that Lambda tells (member-tags.ts).
 *
 * The handler throws: {InvalidPayloadError} STREAMS_INVALID_PAYLOAD before anything is touched · {InvalidSettingError}
 * STREAMS_INVALID_SETTING · whatever ends a member (the failure event then tells the scheduler at once).
 *
 * @example export const handler = createTaskHandler(app);
 */
export function createTaskHandler(app: StreamsApp, options: HandlerOptions = {}) {
  return taskHandler(app, options, new KeptStores());
}

/** The same, with the stores that the execution environment holds in the hands of the caller, who may look at them. */
export function taskHandler(app: StreamsApp, options: HandlerOptions, kept: KeptStores) {
  const warm = warmStart(app, options);
  const tags = once(async () => {
    const { environment, ports } = await warm();
    return memberTags(environment, ports.host.logger);
  });
  return async (event: unknown, context: LambdaContext): Promise<void> => {
    const payload = decodeTaskEvent(event, app.applicationId);
    const here = await warm();
    await runInvocation(here.ports, context, async () => {
      if (!isForNow(payload, here)) return;
      const run = {
        ...here,
        kept,
        deadlineAtMonotonicMs: deadlineOf(context, here.ports.host.clock.monotonic(), ANSWER_MARGIN_MS),
        tags: { ...memoryTag(context), ...(await tags()), [REQUEST_ID_TAG]: context.awsRequestId },
        ...memoryOf(context),
      };
      if (payload.type === 'doorbell') return runDoorbell({ ...run, partitions: payload.partitions });
      const { memberId, incarnation, others = [] } = payload;
      return runMember({ ...run, memberId, incarnation, others });
    });
  };
}
