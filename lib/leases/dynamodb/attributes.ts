/**
 * Items of DynamoDB, read strictly: an attribute that is missing, of another type or out of range is an error that names table,
 * key and attribute. Nothing is guessed: an item edited by hand must not turn into a lease.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { MalformedItemError, StreamsError } from '../../model/errors.js';

/** An item as the SDK has it. */
export type Item = Readonly<Record<string, AttributeValue>>;

/** A text as an attribute. */
export function text(value: string): AttributeValue {
  return { S: value };
}

/** A whole number as an attribute; a condition may hold one that no item has. */
export function count(value: number): AttributeValue {
  return { N: String(value) };
}

/** A value of several parts that is read and written as one: no condition looks into it. */
export function json(value: unknown): AttributeValue {
  return { S: JSON.stringify(value) };
}

/** A record of all its fields, of which the optional ones may be `undefined`: one that gets a new field has to name it here. */
export function complete<T>(fields: { readonly [K in keyof T]-?: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Reads the attributes of one item. Every method throws {@link MalformedItemError}. */
export class ItemReader {
  private readonly table: string;
  private readonly item: Item;

  constructor(table: string, item: Item) {
    this.table = table;
    this.item = item;
  }

  has(name: string): boolean {
    return this.item[name] !== undefined;
  }

  text(name: string): string {
    const value = this.item[name]?.S;
    if (value === undefined) throw this.malformed(name, 'a text');
    return value;
  }

  /** A safe integer from 0. */
  count(name: string): number {
    const value = this.item[name]?.N;
    const number = value === undefined ? Number.NaN : Number(value);
    if (!Number.isSafeInteger(number) || number < 0) throw this.malformed(name, 'a whole number from 0');
    return number;
  }

  /** A text that `parse` takes. */
  parsed<T>(name: string, parse: (text: string) => T): T {
    const value = this.text(name);
    try {
      return parse(value);
    } catch (cause) {
      throw this.malformed(name, cause instanceof StreamsError ? cause.message : 'what it should be', cause);
    }
  }

  /** A JSON text whose value `read` takes. */
  json<T>(name: string, read: (value: unknown) => T): T {
    return this.parsed(name, (value) => read(JSON.parse(value)));
  }

  private malformed(name: string, wanted: string, cause?: unknown): MalformedItemError {
    const { table, item } = this;
    return new MalformedItemError(`'${name}' of an item of ${table} is not ${wanted}`, {
      cause,
      details: { table, attribute: name, item },
    });
  }
}
