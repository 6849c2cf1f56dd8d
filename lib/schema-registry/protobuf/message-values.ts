/**
 * Messages as plain objects and back: enums by name, 64-bit numbers as numbers that are exact, bytes of their own. Fields that are not
 * there have their default (a message that is not there is null), but for those that tell their absence (`optional`, `oneof`).
 */
import protobufjs, { type Message, type Type } from 'protobufjs';

/** @throws {TypeError} naming the field that does not fit */
export function messageFrom(type: Type, value: unknown): Message {
  if (typeof value !== 'object' || value === null) throw new TypeError('an object is wanted');
  const numbered = enumsByNumber(type, value as Record<string, unknown>, '');
  const fault = type.verify(numbered);
  if (fault !== null) throw new TypeError(fault);
  return type.fromObject(numbered);
}

export function plainValue(type: Type, message: Message): unknown {
  return plain(type.toObject(message, { enums: String, defaults: true, arrays: true, objects: true }));
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) return new Uint8Array(value); // a copy: the fetched buffer belongs to all records of its batch
  if (isLong(value)) return exact(value);
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** What protobufjs makes of 64 bits; its types do not say more. */
interface Long64 {
  toNumber(): number;
  toString(): string;
}

function isLong(value: object): value is Long64 {
  return value instanceof protobufjs.util.Long && 'toNumber' in value;
}

function exact(long: Long64): number {
  const number = long.toNumber();
  if (Number.isSafeInteger(number)) return number;
  throw new RangeError(`${long.toString()} is beyond ±(2^53 − 1)`);
}

function enumsByNumber(type: Type, value: Record<string, unknown>, at: string): Record<string, unknown> {
  const numbered: Record<string, unknown> = { ...value };
  for (const field of type.fieldsArray) {
    const own = value[field.name];
    const kind = field.resolvedType;
    if (own === undefined || own === null || kind === null) continue;
    const path = `${at}${field.name}`;
    const each = (one: unknown) => {
      if (kind instanceof protobufjs.Enum) return typeof one === 'string' ? numberOf(kind.values, one, path) : one;
      return isObject(one) ? enumsByNumber(kind, one, `${path}.`) : one;
    };
    numbered[field.name] = inside(own, field.repeated, field.map, each);
  }
  return numbered;
}

function inside(value: unknown, isList: boolean, isMap: boolean, each: (one: unknown) => unknown): unknown {
  if (isList) return Array.isArray(value) ? value.map(each) : value;
  if (!isMap) return each(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, each(one)]));
}

function numberOf(values: Readonly<Record<string, number>>, name: string, path: string): number {
  const number = values[name];
  if (number === undefined) throw new TypeError(`${path}: the enum has no ${name}`);
  return number;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
