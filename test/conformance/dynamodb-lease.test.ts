import { describe, expect, inject, it } from 'vitest';
import { createDynamoDbLeaseStore } from '../../lib/leases/dynamodb/dynamodb-lease-store.js';
import { describeLeaseConformance } from '../../lib/testing/conformance/lease-conformance.js';
import { clientConfig } from '../support/aws/clients.js';
import { createLeaseTables } from '../support/aws/lease-tables.js';
import { newName } from '../support/kafka/log-kit.js';
import { createTestHost } from '../support/test-host.js';

const target = inject('awsTarget');
const tables = await createLeaseTables(target);

describeLeaseConformance(
  {
    name: 'DynamoDB',
    createStore: async ({ plansKept }) =>
      createDynamoDbLeaseStore({
        clientConfig: clientConfig(target),
        tables,
        applicationId: newName('application'),
        host: createTestHost(),
        plansKept,
      }),
  },
  { describe, it, expect },
);
