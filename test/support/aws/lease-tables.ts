/** The tables of infra/tables.yml, made for one test file. */
import { CreateTableCommand, DeleteTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { clientConfig } from './clients.js';
import { newNameAt } from './new-name.js';
import type { AwsTarget } from './target.js';

const createTimeoutS = 60;

export interface LeaseTables {
  readonly members: string;
  readonly leases: string;
  readonly plans: string;
  readonly history: string;
}

/** Makes the tables under new names. Give each test an application id of its own. */
export async function createLeaseTables(target: AwsTarget): Promise<LeaseTables> {
  const client = new DynamoDBClient(clientConfig(target));
  const name = (what: string) => newNameAt(target, what);
  const tables = { members: name('members'), leases: name('leases'), plans: name('plans'), history: name('history') };
  await create(client, tables.members, 'memberId', 'S');
  await create(client, tables.leases, 'taskId', 'S');
  await create(client, tables.plans, 'row', 'N');
  await create(client, tables.history, 'entry', 'S');
  client.destroy();
  return tables;
}

/** Removes them, where nobody else does at the end of a run. */
export async function deleteLeaseTables(target: AwsTarget, tables: LeaseTables): Promise<void> {
  const client = new DynamoDBClient(clientConfig(target));
  for (const TableName of Object.values(tables)) await client.send(new DeleteTableCommand({ TableName }));
  client.destroy();
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
