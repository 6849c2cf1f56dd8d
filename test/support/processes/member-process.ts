/**
 * One member in a process of its own, on a real broker: what a task function's invocation is. Its parent gives it its orders
 * in the first message, and serves the invoker, and the tables unless the orders name some on DynamoDB's API.
 */
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Host } from '../../../lib/host/host.js';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { Invoker } from '../../../lib/invoke/invoker.js';
import type { DynamoDbLeaseStoreOptions } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import type { MemberId } from '../../../lib/leases/records.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { runMember } from '../../../lib/runtime/run-member.js';
import { createFolderSnapshotStore } from '../../../lib/snapshots/folder/folder-snapshot-store.js';
import { type ProcessTopology, processApp } from './process-apps.js';
import { RemotePorts } from './remote-port.js';
import { StopsInCommit } from './stops-in-commit.js';

/** Tables on DynamoDB's API, and how to get there. */
export interface ProcessTables {
  readonly clientConfig: DynamoDBClientConfig;
  readonly tables: DynamoDbLeaseStoreOptions['tables'];
}

/** The first message from the parent. */
export interface MemberOrders {
  readonly kind: 'orders';
  readonly topology: ProcessTopology;
  readonly applicationId: string;
  readonly settings: SettingsInput;
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly brokers: readonly string[];
  readonly snapshotFolder: string;
  /** Absent: the parent's. */
  readonly tables?: ProcessTables;
  /** For how long it may run before it has to hand over; absent: for ever. */
  readonly lifetimeMs?: number;
}

async function main(orders: MemberOrders): Promise<void> {
  const { topology, applicationId, settings, memberId, incarnation, brokers, snapshotFolder } = orders;
  const { tables, lifetimeMs } = orders;
  const host = createNodeHost({ logger: createJsonLinesLogger({ sink: process.stdout }) });
  const remote = new RemotePorts(process);
  const log = await createKafkaLog({ brokers: [...brokers], host });
  const stops = new StopsInCommit(log);
  process.on('message', ({ kind }: { kind: string }) => {
    if (kind === 'stop in commit') stops.atNextCommit = true;
  });
  const ending = new AbortController();
  process.once('SIGTERM', () => ending.abort());
  try {
    await runMember({
      app: processApp(topology, applicationId, settings),
      ports: {
        log: stops.log,
        host,
        leases:
          tables === undefined ? remote.port<LeaseStore>('leases') : await openTables(tables, applicationId, host),
        invoker: remote.port<Invoker>('invoker'),
        snapshots: createFolderSnapshotStore(snapshotFolder),
      },
      memberId,
      incarnation,
      signal: ending.signal,
      ...(lifetimeMs === undefined ? {} : { deadlineAtMonotonicMs: host.clock.monotonic() + lifetimeMs }),
    });
  } finally {
    await log.close();
    process.disconnect();
  }
}

/** AWS's client is loaded for this alone: most processes have no need of it, and are to start soon. */
async function openTables(tables: ProcessTables, applicationId: string, host: Host): Promise<LeaseStore> {
  const { createDynamoDbLeaseStore } = await import('../../../lib/leases/dynamodb/dynamodb-lease-store.js');
  return createDynamoDbLeaseStore({ ...tables, applicationId, host });
}

process.once('message', (message: MemberOrders) => {
  main(message).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  });
});
