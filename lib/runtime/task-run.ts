import type { Logger } from '../host/host.js';
import type { Lease, RecordedOffsets, RecordedPunctuation } from '../leases/records.js';
import type { TransactionalProducer } from '../log/log.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { ByteStore, TransactionalStore } from '../state/byte-store.js';
import type { RefusedRecords } from '../task/refused-records.js';
import type { StreamsApp } from '../topology/app.js';
import type { TaskSpec } from '../topology/resolve-partitions.js';
import type { KeptStores } from './kept-stores.js';
import type { LeaseHold } from './lease-hold.js';
import type { MemberRestores } from './member-restores.js';
import type { RuntimePorts } from './ports.js';
import { backoffMs } from './recovery.js';
import type { Stop } from './stop.js';
import type { TaskStatus } from './task-status.js';

/** What stays the same through one run of a task, over all its sessions. */
export interface TaskRun {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  readonly task: TaskSpec;
  readonly partitionCounts: ReadonlyMap<string, number>;
  /** Ids of the topics by name on the broker, as they were before the run: what a lease that names none may be taken to mean. */
  readonly topicIds: ReadonlyMap<string, string>;
  readonly hold: LeaseHold;
  readonly stop: Stop;
  readonly kept: KeptStores;
  /** By name: the member keeps them up with their topics, the task reads them. */
  readonly globalStores: ReadonlyMap<string, ByteStore>;
  readonly status: TaskStatus;
  /** The lease as it was before the run took it; null if there was none. */
  readonly previous: Lease | null;
  readonly logger: Logger;
  /** Offsets of the lease's last clean release; null if there was none. */
  readonly recorded: RecordedOffsets | null;
  /** Whether nobody has held the lease since that release. */
  readonly recordedAreFresh: boolean;
  /** Wall-clock punctuations as they stood at that release or at the last commit of this run. */
  punctuations: readonly RecordedPunctuation[];
  /** Records of the batch at hand that a topic does not take: the next session gives them to the production handler. */
  readonly refused: RefusedRecords;
  /** What its restores share with those of the member's other tasks. Absent: nothing limits them. */
  readonly restores?: MemberRestores | undefined;
  /** As whom it restores, in the names of what is kept of an interrupted restore. */
  readonly restorer: string;
  /** Stores without a changelog: they live as long as the run. */
  readonly unlogged: Map<string, TransactionalStore>;
}

/** @throws {AbortedError} STREAMS_ABORTED if the run is asked to stop */
export function throwIfStopping({ stop }: TaskRun): void {
  if (stop.reason !== null) throw new AbortedError(`the task is asked to stop: ${stop.reason}`);
}

/** Waits before attempt `attempts` + 1; the signal ends it early, and so does the death of the process, which its next call says. */
export async function backOff({ ports }: TaskRun, attempts: number, signal?: AbortSignal): Promise<void> {
  const { clock, random } = ports.host;
  try {
    await clock.sleep(backoffMs(attempts, random.next()), signal);
  } catch (thrown) {
    if (!(thrown instanceof AbortedError)) throw thrown;
  }
}

/** Closes a producer on a way out whose reason must not be hidden by an error of the closing. */
export async function closeQuietly({ logger }: TaskRun, producer: TransactionalProducer): Promise<void> {
  try {
    await producer.close();
  } catch (thrown) {
    logger.debug('producer-close-failed', { message: asStreamsError(thrown).message });
  }
}

/** The transactional id of a task. Kafka Streams uses one a thread; one a task is what lets a successor fence its predecessor. */
export function transactionalId(app: Pick<StreamsApp, 'applicationId'>, taskId: string): string {
  return `${app.applicationId}-${taskId}`;
}
