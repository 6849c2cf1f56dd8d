import type { Host } from '../host/host.js';
import type { Invoker } from '../invoke/invoker.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { Log } from '../log/log.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';

/** All that an engine reaches the outside through; whoever wraps these (faults, delays, a frozen process) sees every effect. */
export interface RuntimePorts {
  readonly log: Log;
  readonly leases: LeaseStore;
  readonly snapshots: SnapshotStore;
  readonly invoker: Invoker;
  readonly host: Host;
}
