import { CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it } from 'vitest';
import { newName } from '../../support/kafka/log-kit.js';

describe('the emulator of AWS', () => {
  it('keeps tables for every test of the run', async () => {
    const client = new DynamoDBClient({
      endpoint: inject('awsEndpoint'),
      region: 'us-east-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    });
    const table = newName('table');

    await client.send(
      new CreateTableCommand({
        TableName: table,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );

    expect((await client.send(new ListTablesCommand({}))).TableNames).toContain(table);
  });
});
