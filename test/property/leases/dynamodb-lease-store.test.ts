import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { createDynamoDbLeaseStore } from '../../../lib/leases/dynamodb/dynamodb-lease-store.js';
import { clientConfig } from '../../support/aws/clients.js';
import { createLeaseTables } from '../../support/aws/lease-tables.js';
import { newName } from '../../support/kafka/log-kit.js';
import { describeRandomWrites } from '../../support/random-lease-writes.js';

const target = inject('awsTarget');
const client = new DynamoDBClient(clientConfig(target));
const tables = await createLeaseTables(target);
const host = createNodeHost();

describeRandomWrites({
  name: 'DynamoDB',
  createStore: async () => createDynamoDbLeaseStore({ client, tables, host, applicationId: newName('application') }),
  runs: 10,
  seed: 8,
});
