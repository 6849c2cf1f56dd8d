/**
 * The standby function's work: advances the snapshots of tasks' stores from their changelogs, and goes away (docs/design.md §6).
 *
 * It opens no producer, takes no lease and runs no processor: it can be wrong about nothing but a snapshot, and a snapshot can
 * not be wrong (docs/design.md §1, sentence 1).
 */
import { asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskChangelog } from '../topology/resolve-partitions.js';
import { type AdvanceResult, advanceSnapshot } from './advance-snapshot.js';
import { type EventListener, observedLogger } from './events.js';
import { deathSignal, mortalPorts } from './mortal-ports.js';
import type { RuntimePorts } from './ports.js';
import { loadTaskDirectory } from './task-directory.js';

export interface RunStandbyOptions {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  /** Tasks whose stores to look after; ids that the topology does not have are ignored. */
  readonly taskIds: readonly TaskId[];
  /** When no further store is begun, on the host's monotonic clock; absent: never. */
  readonly deadlineAtMonotonicMs?: number;
  /** Ends the run after the store in hand; with the reason `'crash'` at once. */
  readonly signal?: AbortSignal;
  readonly onEvent?: EventListener;
}

export interface StandbyOutcome {
  /** One for each store that was looked at. */
  readonly stores: readonly (AdvanceResult & { readonly taskId: TaskId; readonly store: string })[];
  /** Whether the deadline or the signal left some stores for the next run. */
  readonly isPartial: boolean;
}

/**
 * Advances the newest snapshot of each store to the last stable offset, where that is worth it. May run twice at once. A store
 * that fails is logged and does not keep the others from their turn.
 *
 * @throws {UnknownTopicError} STREAMS_UNKNOWN_TOPIC before the internal topics exist · {MissingSourceTopicError}
 *   STREAMS_MISSING_SOURCE_TOPIC · {PartitionCountChangedError} STREAMS_PARTITION_COUNT_CHANGED
 */
export async function runStandby(options: RunStandbyOptions): Promise<StandbyOutcome> {
  const { app, taskIds, deadlineAtMonotonicMs = Number.POSITIVE_INFINITY, signal } = options;
  const ports = mortalPorts(options.ports, deathSignal(signal, undefined));
  const logger = observedLogger(ports.host.logger, options.onEvent).child({ role: 'standby' });
  const plan = await ports.leases.readPlan();
  const { tasks } = await loadTaskDirectory(app, ports.log, plan);
  const stores: StandbyOutcome['stores'][number][] = [];
  for (const { taskId, changelog } of changelogsOf(taskIds, (id) => tasks.get(id)?.changelogs ?? [])) {
    if (signal?.aborted === true || ports.host.clock.monotonic() >= deadlineAtMonotonicMs) {
      return { stores, isPartial: true };
    }
    try {
      const result = await advanceSnapshot({
        app,
        ports,
        logger,
        taskId,
        changelog,
        ...(signal === undefined ? {} : { signal }),
      });
      stores.push({ ...result, taskId, store: changelog.store });
    } catch (thrown) {
      const { code, message, kind } = asStreamsError(thrown);
      if (kind === 'internal') throw thrown;
      logger.warn('snapshot-failed', { taskId, store: changelog.store, code, message });
    }
  }
  return { stores, isPartial: false };
}

function changelogsOf(taskIds: readonly TaskId[], changelogs: (taskId: TaskId) => readonly TaskChangelog[]) {
  return taskIds.flatMap((taskId) => changelogs(taskId).map((changelog) => ({ taskId, changelog })));
}
