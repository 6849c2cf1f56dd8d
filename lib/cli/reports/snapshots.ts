import { CommandRefusedError } from '../../model/errors.js';
import { compareTaskIds, type TaskId } from '../../model/task-id.js';
import { loadTaskDirectory } from '../../runtime/task-directory.js';
import { type SnapshotVerdict, verifySnapshot } from '../../runtime/verify-snapshot.js';
import type { ApplicationView } from '../application-view.js';

/** Which stores; null: all. */
export interface VerifyAsked {
  readonly taskId: TaskId | null;
  readonly store: string | null;
}

export interface VerifyReport {
  readonly applicationId: string;
  /** Whether no snapshot is `different` or `damaged`. */
  readonly isRight: boolean;
  readonly stores: readonly SnapshotVerdict[];
}

/**
 * Brings snapshot and tail, and the whole changelog, of each store to the same end and compares them, one store after the other.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED where the topology is not known, or there is no such task or store · as
 *   `loadTaskDirectory` · as `verifySnapshot`
 */
export async function verifySnapshots(
  { applicationId, app, leases, log: connect, snapshots, host }: ApplicationView,
  { taskId, store }: VerifyAsked,
): Promise<VerifyReport> {
  if (app === null)
    throw new CommandRefusedError('snapshots verify needs the topology: which stores there are is not in the tables', {
      remedy: 'Name the module of the application: `--app ./dist/app.js`.',
    });
  const log = await connect();
  const directory = await loadTaskDirectory(app, log, await leases.readPlan());
  const specs = [...directory.tasks.values()].sort((a, b) => compareTaskIds(a.taskId, b.taskId));
  const asked = specs.flatMap((spec) =>
    spec.changelogs
      .filter((one) => (taskId === null || spec.taskId === taskId) && (store === null || one.store === store))
      .map((changelog) => ({ taskId: spec.taskId, changelog })),
  );
  if (asked.length === 0)
    throw new CommandRefusedError(`${applicationId} has no such store`, {
      details: { taskId, store },
      remedy: '`millrace describe` lists the topology, `millrace tasks` the tasks.',
    });
  const ports = { log, snapshots: snapshots(), host };
  const stores: SnapshotVerdict[] = [];
  for (const one of asked) stores.push(await verifySnapshot({ app, ports, logger: host.logger, ...one }));
  return { applicationId, isRight: stores.every(({ verdict }) => isGood(verdict)), stores };
}

function isGood(verdict: SnapshotVerdict['verdict']): boolean {
  return verdict === 'equal' || verdict === 'none';
}
