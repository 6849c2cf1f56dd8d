/** The three tables of infra/tables.yml, made for one test file. */
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { newName } from '../kafka/log-kit.js';
import { emulatorEnv } from './emulator.js';

const createTimeoutS = 60;

export interface LeaseTables {
  readonly members: string;
  readonly leases: string;
  readonly plans: string;
}

/** Region and keys for a client of the emulator. */
export function emulatorClientConfig(endpoint: string) {
  const { AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = emulatorEnv(endpoint);
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID ?? '', secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '' };
  return { endpoint, region: AWS_REGION ?? '', credentials };
}

/** Makes the tables under new names. */
export async function createLeaseTables(endpoint: string): Promise<LeaseTables> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  const tables = { members: newName('members'), leases: newName('leases'), plans: newName('plans') };
  await create(client, tables.members, 'memberId', 'S');
  await create(client, tables.leases, 'taskId', 'S');
  await create(client, tables.plans, 'row', 'N');
  client.destroy();
  return tables;
}

async function create(client: DynamoDBClient, name: string, key: string, type: 'S' | 'N'): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'applicationId', AttributeType: 'S' },
        { AttributeName: key, AttributeType: type },
      ],
      KeySchema: [
        { AttributeName: 'applicationId', KeyType: 'HASH' },
        { AttributeName: key, KeyType: 'RANGE' },
      ],
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: createTimeoutS, minDelay: 1, maxDelay: 1 }, { TableName: name });
}
