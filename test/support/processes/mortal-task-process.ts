/**
 * The task function as it is deployed where its processes are out of the tests' reach (on AWS, in a container): it looks for an
 * order in the table of members, which its role may change, and the process that takes it ends, or stands still for good.
 */
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { handler as task } from '../../../functions/task.js';
import type { LambdaContext } from '../../../lib/lambda/lambda-context.js';
import { ORDER_KEY } from '../aws/orders.js';

const lookMs = 200;
const client = new DynamoDBClient({});
const take = new UpdateItemCommand({
  TableName: process.env.MILLRACE_MEMBERS_TABLE,
  Key: ORDER_KEY,
  UpdateExpression: 'REMOVE #order',
  ConditionExpression: 'attribute_exists(#order)',
  ExpressionAttributeNames: { '#order': 'order' },
  ReturnValues: 'UPDATED_OLD',
});

async function obey(): Promise<void> {
  // There is no order, or a look failed: the next one comes soon.
  const taken = await client.send(take).catch(() => undefined);
  const order = taken?.Attributes?.order?.S;
  if (order === 'end') process.kill(process.pid, 'SIGKILL');
  if (order === 'stand still') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

export async function handler(event: unknown, context: LambdaContext): Promise<void> {
  const looking = setInterval(() => void obey(), lookMs);
  try {
    await task(event, context);
  } finally {
    clearInterval(looking);
  }
}
