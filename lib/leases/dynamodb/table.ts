/**
 * One of the three tables, as much of it as one application sees: its items have one hash key, the application id.
 *
 * Writes are conditional and safe to send again
 *   W1  every write puts a fresh mark into an attribute of its kind (`claimMark`), where the last few of that kind stay
 *   W2  a write whose mark is there is refused: sent twice, it applies once
 *   W3  a refused condition answers the item that stood against it; if that carries our mark, an earlier attempt has applied
 *
 * So a lost reply needs no other care than to repeat the request, ours or the SDK's: the repetition is the consistent read that
 * finds our own value there, and after it a late arrival of the first attempt is refused too. Only a write that was followed by
 * `marksKept` others of its kind before the repetition is told `applied: false`: it has long been superseded, and sees by what.
 */
import {
  type AttributeValue,
  type ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Host } from '../../host/host.js';
import { InternalError } from '../../model/errors.js';
import { type Item, text } from './attributes.js';
import { failureOf, isRefusedCondition } from './failures.js';
import { packed, unpacked } from './packed-text.js';
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
  /** Values by their names without the colon; a long text is stored packed (packed-text.ts). */
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
  /** Marks of each kind that an item keeps; at least 1. Each takes some thirty bytes, of which a heartbeat pays for each 1,024. */
  readonly marksKept: number;
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
    return answer.Item === undefined ? null : unpacked(this.name, answer.Item);
  }

  /**
   * All items of the application. Consistent too, though the port allows less: who lists leases and then members must not find
   * an owner among the leases that the members do not show yet.
   */
  async list(): Promise<readonly Item[]> {
    return this.query('#applicationId = :applicationId', { names: {}, values: {} });
  }

  private async query(
    condition: string,
    more: {
      readonly names: Readonly<Record<string, string>>;
      readonly values: Readonly<Record<string, AttributeValue>>;
    },
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let from: Record<string, AttributeValue> | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const input = {
        TableName: this.name,
        KeyConditionExpression: condition,
        ExpressionAttributeNames: { '#applicationId': 'applicationId', ...more.names },
        ExpressionAttributeValues: { ':applicationId': text(this.options.applicationId), ...more.values },
        ConsistentRead: true,
        ...(from === undefined ? {} : { ExclusiveStartKey: from }),
      };
      const page = await this.retry('list', () => this.options.client.send(new QueryCommand(input)));
      for (const item of page.Items ?? []) items.push(unpacked(this.name, item));
      from = page.LastEvaluatedKey;
      if (from === undefined) return items;
    }
    throw new InternalError(`${this.name} holds more than ${MAX_PAGES} pages of one application`);
  }

  /** The items of the application whose keys begin with `prefix`, which must be texts. Consistent. */
  async listWithPrefix(prefix: string): Promise<readonly Item[]> {
    return this.query('#applicationId = :applicationId AND begins_with(#key, :prefix)', {
      names: { '#key': this.options.keyName },
      values: { ':prefix': text(prefix) },
    });
  }

  /**
   * Writes a whole item once, without mark and without repetition: for what may be missing.
   *
   * @param condition in which attributes stand as `#name`, values as `:name`; refused, it is as if nothing had been asked
   */
  async put(
    key: AttributeValue,
    item: Item,
    condition: string,
    values: Readonly<Record<string, AttributeValue>>,
  ): Promise<void> {
    const command = new PutItemCommand({
      TableName: this.name,
      Item: { ...item, ...this.keyOf(key) },
      ConditionExpression: condition,
      ExpressionAttributeNames: namesIn(condition),
      ExpressionAttributeValues: Object.fromEntries(Object.entries(values).map(([name, value]) => [`:${name}`, value])),
    });
    try {
      await this.options.client.send(command);
    } catch (thrown) {
      if (!isRefusedCondition(thrown)) throw failureOf(thrown, { table: this.name, operation: 'put' }).error;
    }
  }

  /** One conditional write: W1 to W3. */
  async update(update: Update): Promise<UpdateAnswer> {
    const markNames = this.markNames(update.kind);
    const mark = this.options.host.random.id();
    const command = new UpdateItemCommand({ TableName: this.name, ...this.inputOf(update, markNames, mark) });
    return this.retry(update.kind, async (): Promise<UpdateAnswer> => {
      try {
        const { Attributes } = await this.options.client.send(command);
        return { applied: true, item: unpacked(this.name, Attributes ?? {}) };
      } catch (thrown) {
        if (!isRefusedCondition(thrown)) throw thrown;
        const stood = (thrown as ConditionalCheckFailedException).Item;
        const item = stood === undefined ? null : unpacked(this.name, stood);
        const isOurs = markNames.some((name) => item?.[name]?.S === mark);
        return item !== null && isOurs ? { applied: true, item } : { applied: false, item };
      }
    });
  }

  private inputOf({ key, condition, set, remove = [], values }: Update, markNames: readonly string[], mark: string) {
    // The right-hand sides are of the item before the update: each mark moves on by one.
    const marks = markNames.map((name, index) => {
      return index === 0 ? `#${name} = :mark` : `#${name} = if_not_exists(#${markNames[index - 1]}, :noMark)`;
    });
    const isNew = markNames.map((name) => `(attribute_not_exists(#${name}) OR #${name} <> :mark)`);
    const UpdateExpression = `SET ${[...set, ...marks].join(', ')}${remove.length === 0 ? '' : ` REMOVE ${remove.join(', ')}`}`;
    const ConditionExpression = [`(${condition})`, ...isNew].join(' AND ');
    const noMark = marks.length > 1 ? { noMark: text('-') } : {};
    const valued = Object.entries({ ...values, mark: text(mark), ...noMark });
    return {
      Key: this.keyOf(key),
      UpdateExpression,
      ConditionExpression,
      ExpressionAttributeNames: namesIn(`${UpdateExpression} ${ConditionExpression}`),
      ExpressionAttributeValues: Object.fromEntries(valued.map(([name, value]) => [`:${name}`, small(value)])),
      ReturnValues: 'ALL_NEW' as const,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
  }

  /** `claimMark`, then `claimMark2` for the one before it. */
  private markNames(kind: string): readonly string[] {
    return Array.from({ length: this.options.marksKept }, (_, index) => `${kind}Mark${index === 0 ? '' : index + 1}`);
  }

  private keyOf(key: AttributeValue): Record<string, AttributeValue> {
    return { applicationId: text(this.options.applicationId), [this.options.keyName]: key };
  }

  private retry<T>(operation: string, send: () => Promise<T>): Promise<T> {
    return withRetries(this.options.host, { table: this.name, operation }, send);
  }
}

/** Long texts go packed. */
function small(value: AttributeValue): AttributeValue {
  return value.S === undefined ? value : packed(value.S);
}

/** Every attribute goes by a `#name`, so that none meets one of the words that DynamoDB keeps for itself. */
function namesIn(expressions: string): Record<string, string> {
  const names = [...expressions.matchAll(/#(\w+)/g)].map(([placeholder, name]) => [placeholder, name]);
  return Object.fromEntries(names) as Record<string, string>;
}
