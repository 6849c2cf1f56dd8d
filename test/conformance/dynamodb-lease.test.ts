import { describe, expect, inject, it } from 'vitest';
import { createDynamoDbLeaseStore } from '../../lib/leases/dynamodb/dynamodb-lease-store.js';
import { describeLeaseConformance } from '../../lib/testing/conformance/lease-conformance.js';
import { clientConfig } from '../support/aws/clients.js';
import { createLeaseTables } from '../support/aws/lease-tables.js';
import { newName } from '../support/kafka/log-kit.js';
import { createTestHost } from '../support/test-host.js';

const endpoint = inject('awsEndpoint');
const tables = await createLeaseTables(endpoint);

describeLeaseConformance(
  {
    name: 'DynamoDB',
    createStore: async ({ plansKept }) =>
      createDynamoDbLeaseStore({
        clientConfig: clientConfig(endpoint),
        tables,
        applicationId: newName('application'),
        host: createTestHost(),
        plansKept,
      }),
  },
  { describe, it, expect },
);
