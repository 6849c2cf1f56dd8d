import type { Host } from '../host/host.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { LogReader, OffsetStore, TopicAdmin } from '../log/log.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import type { StreamsApp } from '../topology/app.js';

/** What of a log the command line reads. */
export type ReadableLog = LogReader & OffsetStore & TopicAdmin;

/** A running application as a command sees it: its tables, and what is known beyond these. */
export interface ApplicationView {
  readonly applicationId: string;
  /** Null: only its id was given, so that of the topology nothing is known. */
  readonly app: StreamsApp | null;
  readonly leases: LeaseStore;
  /** Connects, where it is not yet; called by the commands alone that need it. */
  readonly log: () => Promise<ReadableLog>;
  /** Where snapshots lie; asked for by the commands alone that read them, and throws where that is not known. */
  readonly snapshots: () => SnapshotStore;
  readonly host: Host;
  /** Wall clock. */
  readonly nowMs: number;
}
