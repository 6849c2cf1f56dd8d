/** Members as processes of this machine, on a real broker and with their tables on DynamoDB's API: one is killed, one joins. */
import { afterEach, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { createDynamoDbLeaseStore } from '../../lib/leases/dynamodb/dynamodb-lease-store.js';
import { clientConfig } from '../support/aws/clients.js';
import { createLeaseTables, deleteLeaseTables } from '../support/aws/lease-tables.js';
import { openTarget } from '../support/aws/open-target.js';
import { startKafka } from '../support/kafka/kafka-cluster.js';
import { newName } from '../support/kafka/log-kit.js';
import { ProcessCluster } from '../support/processes/process-cluster.js';
import { pausesOf } from '../support/processes/timings.js';

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(): Promise<ProcessCluster> {
  const target = await openTarget({ auth: false });
  cleanUps.push(() => target.stop());
  const kafka = await startKafka({ brokers: 1 });
  cleanUps.push(() => kafka.stop());
  const tables = await createLeaseTables(target);
  cleanUps.push(() => deleteLeaseTables(target, tables));
  const applicationId = newName('processes');
  const reached = { clientConfig: clientConfig(target), tables };
  return ProcessCluster.start(
    {
      applicationId,
      brokers: kafka.brokers,
      tables: reached,
      leases: createDynamoDbLeaseStore({ ...reached, applicationId, host: createNodeHost() }),
      partitions: 6,
      ratePerPartition: 30,
      stateKeys: 3_000,
      settings: {
        members: 2,
        numStandbyReplicas: 1,
        standbyKind: 'hot',
        heartbeatIntervalMs: 1_000,
        sessionTimeoutMs: 10_000,
        acceptableRecoveryLag: 200,
      },
    },
    cleanUps,
  );
}

it('a killed member is replaced by its hot standbys, and one that joins takes over what is warm (features F9, G3)', async () => {
  const cluster = await start();
  await cluster.untilAtWork();

  const killed = await cluster.killBusiest();
  await cluster.untilResumed(killed);
  const mark = cluster.events.length;
  await cluster.growTo(3);

  expect(await cluster.finish()).toEqual([]);
  expect(cluster.deathOf(killed).because).toBe('failure event');
  const promoted = cluster.resumptionsAfter(killed);
  for (const { restoredFrom } of promoted) expect(restoredFrom).toEqual(['memory']);
  const joined = pausesOf(cluster.events.slice(mark)).filter(({ to }) => to === 'member-3');
  expect(joined.length).toBeGreaterThanOrEqual(2);
});
