/**
 * One member of the word count in a process of its own, on a real broker: what a task function's invocation is.
 * Its parent serves the tables and the invoker, and gives it its orders in the first message.
 */
import wordCount from '../../../examples/wordcount/word-count.js';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { Invoker } from '../../../lib/invoke/invoker.js';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import type { MemberId } from '../../../lib/leases/records.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import { runMember } from '../../../lib/runtime/run-member.js';
import { createFolderSnapshotStore } from '../../../lib/snapshots/folder/folder-snapshot-store.js';
import { defineApp } from '../../../lib/topology/app.js';
import { RemotePorts } from './remote-port.js';
import { StopsInCommit } from './stops-in-commit.js';

/** The first message from the parent. */
export interface MemberOrders {
  readonly kind: 'orders';
  readonly applicationId: string;
  readonly settings: SettingsInput;
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly brokers: readonly string[];
  readonly snapshotFolder: string;
}

async function main(orders: MemberOrders): Promise<void> {
  const { applicationId, settings, memberId, incarnation, brokers, snapshotFolder } = orders;
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
      app: defineApp({ applicationId, topology: wordCount.topology, settings }),
      ports: {
        log: stops.log,
        host,
        leases: remote.port<LeaseStore>('leases'),
        invoker: remote.port<Invoker>('invoker'),
        snapshots: createFolderSnapshotStore(snapshotFolder),
      },
      memberId,
      incarnation,
      signal: ending.signal,
    });
  } finally {
    await log.close();
    process.disconnect();
  }
}

process.once('message', (message: MemberOrders) => {
  main(message).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  });
});
