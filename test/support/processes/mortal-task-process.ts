/**
 * The task function as it is deployed where its processes are out of the tests' reach (on AWS, in a container). While it runs, a
 * second thread looks for orders in the table of members, which the function's role may change (orders.ts), and does to the
 * first what signals do elsewhere: ends the process, or has it stand still in the middle of whatever it does, and go on.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { handler as task } from '../../../functions/task.js';
import type { LambdaContext } from '../../../lib/lambda/lambda-context.js';
import { ORDER_KEY } from '../aws/orders.js';

const lookMs = 100;
/** Places in the memory that both threads share; 1 is yes. */
const RUNS = 0;
const STANDS = 1;
const shared = new Int32Array(isMainThread ? new SharedArrayBuffer(8) : (workerData as SharedArrayBuffer));

if (isMainThread) {
  const orders = new Worker(new URL(import.meta.url), { workerData: shared.buffer });
  orders.on('message', () => Atomics.wait(shared, STANDS, 1));
  orders.unref();
} else {
  void obeyOrders();
}

export async function handler(event: unknown, context: LambdaContext): Promise<void> {
  Atomics.store(shared, RUNS, 1);
  try {
    await task(event, context);
  } finally {
    Atomics.store(shared, RUNS, 0);
  }
}

/** For as long as the process lives. */
async function obeyOrders(): Promise<void> {
  const client = new DynamoDBClient({});
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    if (Atomics.load(shared, RUNS) === 0) continue;
    const stands = Atomics.load(shared, STANDS) === 1;
    // There is no order for us, or a look failed: the next one comes soon.
    const taken = await client.send(take(stands ? 'go on' : 'stand still')).catch(() => undefined);
    const order = taken?.Attributes?.order?.S;
    if (order === undefined) continue;
    if (order === 'end') process.kill(process.pid, 'SIGKILL');
    Atomics.store(shared, STANDS, order === 'stand still' ? 1 : 0);
    if (order === 'stand still') parentPort?.postMessage(order);
    else Atomics.notify(shared, STANDS);
  }
}

/** Takes this order, or the one to end, so that nobody else does. */
function take(order: string): UpdateItemCommand {
  return new UpdateItemCommand({
    TableName: process.env.MILLRACE_MEMBERS_TABLE,
    Key: ORDER_KEY,
    UpdateExpression: 'REMOVE #order',
    ConditionExpression: '#order IN (:order, :end)',
    ExpressionAttributeNames: { '#order': 'order' },
    ExpressionAttributeValues: { ':order': { S: order }, ':end': { S: 'end' } },
    ReturnValues: 'UPDATED_OLD',
  });
}
