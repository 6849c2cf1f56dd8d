/**
 * One of the three tables, as much of it as one application sees: its items have one hash key, the application id.
 *
 * Writes are conditional and safe to send again
 *   W1  every write puts a fresh mark into an attribute of its kind (`claimMark`), which stays until the next write of that kind
 *   W2  a write whose mark is there is refused: sent twice, it applies once
 *   W3  a refused condition answers the item that stood against it; if that carries our mark, an earlier attempt has applied
 *
 * So a lost reply needs no other care than to repeat the request, ours or the SDK's: the repetition is the consistent read that
 * finds our own value there, and after it a late arrival of the first attempt is refused too. Only a write that was followed by
 * another of its kind before the repetition is told `applied: false`: it has been superseded, and sees by what.
 */
import {
  type AttributeValue,
  type ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Host } from '../../host/host.js';
import { InternalError } from '../../model/errors.js';
import { type Item, text } from './attributes.js';
import { isRefusedCondition } from './failures.js';
import { withRetries } from './retrier.js';

/** Pages of 1 MB read by one list at most. */
const MAX_PAGES = 1_000;

/** One conditional write to one item. Attributes stand as `#name`, values as `:name`. */
export interface Update {
  /** Kind of write; names the attribute of the mark. */
  readonly kind: string;
  /** The item's key in the application. */
  readonly key: AttributeValue;
  /** What must hold of the item as it is. */
  readonly condition: string;
  /** Assignments: `#status = :free`. */
  readonly set: readonly string[];
  /** Attributes taken away: `#owner`. */
  readonly remove?: readonly string[];
  /** Values by their names without the colon. */
  readonly values: Readonly<Record<string, AttributeValue>>;
}

/** The item after an update that applied, or as it stood against one that was refused (null: there was none). */
export type UpdateAnswer =
  | { readonly applied: true; readonly item: Item }
  | { readonly applied: false; readonly item: Item | null };

export interface TableOptions {
  readonly client: DynamoDBClient;
  readonly host: Host;
  /** Name or ARN. */
  readonly name: string;
  readonly applicationId: string;
  /** Name of the range key. */
  readonly keyName: string;
}

export class Table {
  readonly name: string;
  private readonly options: TableOptions;

  constructor(options: TableOptions) {
    this.name = options.name;
    this.options = options;
  }

  /** Consistent. */
  async read(key: AttributeValue): Promise<Item | null> {
    const input = { TableName: this.name, Key: this.keyOf(key), ConsistentRead: true };
    const answer = await this.retry('read', () => this.options.client.send(new GetItemCommand(input)));
    return answer.Item ?? null;
  }

  /**
   * All items of the application. Consistent too, though the port allows less: who lists leases and then members must not find
   * an owner among the leases that the members do not show yet.
   */
  async list(): Promise<readonly Item[]> {
    const items: Item[] = [];
    let from: Record<string, AttributeValue> | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const input = {
        TableName: this.name,
        KeyConditionExpression: '#applicationId = :applicationId',
        ExpressionAttributeNames: { '#applicationId': 'applicationId' },
        ExpressionAttributeValues: { ':applicationId': text(this.options.applicationId) },
        ConsistentRead: true,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      };
      const page = await this.retry('list', () => this.options.client.send(new QueryCommand(input)));
      items.push(...(page.Items ?? []));
      from = page.LastEvaluatedKey;
      if (from === undefined) return items;
    }
    throw new InternalError(`${this.name} holds more than ${MAX_PAGES} pages of one application`);
  }

  /** One conditional write: W1 to W3. */
  async update(update: Update): Promise<UpdateAnswer> {
    const markName = `${update.kind}Mark`;
    const mark = this.options.host.random.id();
    const command = new UpdateItemCommand({ TableName: this.name, ...this.inputOf(update, markName, mark) });
    return this.retry(update.kind, async (): Promise<UpdateAnswer> => {
      try {
        const { Attributes } = await this.options.client.send(command);
        return { applied: true, item: Attributes ?? {} };
      } catch (thrown) {
        if (!isRefusedCondition(thrown)) throw thrown;
        const item = (thrown as ConditionalCheckFailedException).Item ?? null;
        return item?.[markName]?.S === mark ? { applied: true, item } : { applied: false, item };
      }
    });
  }

  private inputOf({ key, condition, set, remove = [], values }: Update, markName: string, mark: string) {
    const assignments = [...set, `#${markName} = :mark`].join(', ');
    const UpdateExpression = `SET ${assignments}${remove.length === 0 ? '' : ` REMOVE ${remove.join(', ')}`}`;
    const ConditionExpression = `(${condition}) AND (attribute_not_exists(#${markName}) OR #${markName} <> :mark)`;
    const valued = Object.entries({ ...values, mark: text(mark) });
    return {
      Key: this.keyOf(key),
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeNames: namesIn(`${UpdateExpression} ${ConditionExpression}`),
      ExpressionAttributeValues: Object.fromEntries(valued.map(([name, value]) => [`:${name}`, value])),
      ReturnValues: 'ALL_NEW' as const,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  }

  private keyOf(key: AttributeValue): Record<string, AttributeValue> {
    return { applicationId: text(this.options.applicationId), [this.options.keyName]: key };
  }

  private retry<T>(operation: string, send: () => Promise<T>): Promise<T> {
    return withRetries(this.options.host, { table: this.name, operation }, send);
  }
}

/** Every attribute goes by a `#name`, so that none meets one of the words that DynamoDB keeps for itself. */
function namesIn(expressions: string): Record<string, string> {
  const names = [...expressions.matchAll(/#(\w+)/g)].map(([placeholder, name]) => [placeholder, name]);
  return Object.fromEntries(names) as Record<string, string>;
}
