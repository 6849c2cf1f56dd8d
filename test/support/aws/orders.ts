/** Orders for the process of a task function (mortal-task-process.ts), as an item of the table of members that no application owns. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { OutsideView } from './outside-view.js';
import { until } from './patience.js';

export const ORDER_KEY = { applicationId: { S: 'orders-of-tests' }, memberId: { S: 'task' } };

/** Gives the order and waits until one process has taken it. */
export async function order({ clients, outputs }: OutsideView, what: 'end' | 'stand still' | 'go on'): Promise<void> {
  const { dynamoDb } = clients;
  const TableName = outputs.MembersTableName;
  await dynamoDb.send(new PutItemCommand({ TableName, Item: { ...ORDER_KEY, order: { S: what } } }));
  await until(`a process to take the order to ${what}`, async () => {
    const { Item } = await dynamoDb.send(new GetItemCommand({ TableName, Key: ORDER_KEY, ConsistentRead: true }));
    return Item?.order === undefined;
  });
}
