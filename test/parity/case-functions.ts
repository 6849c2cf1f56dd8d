/** The functions that recorded cases name: mappers, predicates, reducers, aggregators. k is the key, v the value, `text` its string form. */

import type { Windowed } from '../../lib/index.js';

/** `"name"` or `{ fn: "name", arg }`. */
export type FunctionRef = string | { readonly fn: string; readonly arg?: string };

/** What a type of a case is in Java. */
export type CaseType = 'string' | 'long';

type Value = string | number | null;
type Mapper = (key: Value, value: Value, arg: string) => Value;
type Predicate = (key: Value, value: Value, arg: string) => boolean;
type Fold = (aggregate: Value, value: Value, arg: string) => Value;

function lookUp<T>(
  table: Readonly<Record<string, T>>,
  ref: FunctionRef,
  kind: string,
): { of: T; name: string; arg: string } {
  const name = typeof ref === 'string' ? ref : ref.fn;
  const of = table[name];
  if (of === undefined) throw new Error(`missing operator: ${kind} ${name}`);
  return { of, name, arg: typeof ref === 'string' ? '' : (ref.arg ?? '') };
}

/** The end of windows without end, in Kafka. */
const KAFKA_GREATEST_TIME = '9223372036854775807';

/** How Java writes a value; a windowed key as its class does. */
const text = (value: Value): string => (isWindowed(value) ? `[${windowedText(value)}]` : String(value));

function isWindowed(value: unknown): value is Windowed<Value> {
  return typeof value === 'object' && value !== null && 'window' in value;
}

function windowedText({ key, window: { startMs, endMs } }: Windowed<Value>): string {
  return `${key}@${startMs}/${endMs === Number.MAX_SAFE_INTEGER ? KAFKA_GREATEST_TIME : endMs}`;
}
const ofValue =
  (map: (value: string | number, arg: string) => Value): Mapper =>
  (_key, value, arg) =>
    value === null ? null : map(value, arg);

const mappers: Readonly<Record<string, Mapper>> = {
  value: (_key, value) => value,
  key: (key) => key,
  upper: ofValue((value) => text(value).toUpperCase()),
  append: ofValue((value, arg) => text(value) + arg),
  prepend: ofValue((value, arg) => arg + text(value)),
  length: ofValue((value) => text(value).length),
  parseLong: ofValue(Number),
  toString: ofValue(text),
  times: ofValue((value, arg) => Number(value) * Number(arg)),
  field: ofValue((value, arg) => text(value).split('|')[Number(arg)] || null),
  const: (_key, _value, arg) => arg,
  null: () => null,
  keyColonValue: (key, value) => `${text(key)}:${text(value)}`,
  nullIf: (_key, value, arg) => (value === arg ? null : value),
  keyAppend: (key, _value, arg) => text(key) + arg,
  windowedKeyToString: (key) => (isWindowed(key) ? windowedText(key) : key),
  unwindowKey: (key) => (isWindowed(key) ? key.key : key),
  firstChar: (_key, value) => (value === null ? null : text(value).charAt(0) || null),
  keyFirstChar: (key) => (key === null ? null : text(key).charAt(0) || null),
  throwIf: (_key, value, arg) => {
    if (value === arg) throw new Error(`value ${arg}`);
    return value;
  },
};

/** The type that a mapper gives, from those of key and value. */
export function mappedType(ref: FunctionRef, key: CaseType, value: CaseType): CaseType {
  const { name } = lookUp(mappers, ref, 'mapper');
  if (name === 'length' || name === 'parseLong') return 'long';
  if (name === 'key' || name === 'unwindowKey') return key;
  return ['value', 'times', 'nullIf', 'throwIf', 'null'].includes(name) ? value : 'string';
}

export function mapper(ref: FunctionRef): (key: Value, value: Value) => Value {
  const { of, arg } = lookUp(mappers, ref, 'mapper');
  return (key, value) => of(key, value, arg);
}

const predicates: Readonly<Record<string, Predicate>> = {
  true: () => true,
  notNull: (_key, value) => value !== null,
  isNull: (_key, value) => value === null,
  startsWith: (_key, value, arg) => value !== null && text(value).startsWith(arg),
  contains: (_key, value, arg) => value !== null && text(value).includes(arg),
  keyStartsWith: (key, _value, arg) => key !== null && text(key).startsWith(arg),
  longer: (_key, value, arg) => value !== null && text(value).length > Number(arg),
  gt: (_key, value, arg) => value !== null && Number(value) > Number(arg),
  even: (_key, value) => value !== null && Number(value) % 2 === 0,
};

export function predicate(ref: FunctionRef): (key: Value, value: Value) => boolean {
  const { of, arg } = lookUp(predicates, ref, 'predicate');
  return (key, value) => of(key, value, arg);
}

/** A null is no number: what would make one of it throws in Java. */
function number(value: Value): number {
  if (value === null) throw new TypeError('null is no number');
  return Number(value);
}

const reducers: Readonly<Record<string, Fold>> = {
  concat: (aggregate, value) => `${text(aggregate)}+${text(value)}`,
  concatMinus: (aggregate, value) => `${text(aggregate)}-${text(value)}`,
  sum: (aggregate, value) => number(aggregate) + number(value),
  subtract: (aggregate, value) => number(aggregate) - number(value),
  max: (aggregate, value) => Math.max(number(aggregate), number(value)),
  last: (_aggregate, value) => value,
  first: (aggregate) => aggregate,
  nullIf: (aggregate, value, arg) => (value === arg ? null : `${text(aggregate)}+${text(value)}`),
};

export function reducer(ref: FunctionRef): (aggregate: Value, value: Value) => Value {
  const { of, arg } = lookUp(reducers, ref, 'reducer');
  return (aggregate, value) => of(aggregate, value, arg);
}

const aggregators: Readonly<Record<string, Fold>> = {
  ...reducers,
  concatTag: (aggregate, value, arg) => text(aggregate) + arg + text(value),
  sumLength: (aggregate, value) => number(aggregate) + text(value).length,
};

export function aggregator(ref: FunctionRef): (key: Value, value: Value, aggregate: Value) => Value {
  const { of, arg } = lookUp(aggregators, ref, 'aggregator');
  return (_key, value, aggregate) => of(aggregate, value, arg);
}

const mergers: Readonly<Record<string, Fold>> = {
  concat: (aggregate, session) => `${text(aggregate)}&${text(session)}`,
  sum: (aggregate, session) => number(aggregate) + number(session),
};

export function merger(ref: FunctionRef): (key: Value, aggregate: Value, session: Value) => Value {
  const { of, arg } = lookUp(mergers, ref, 'merger');
  return (_key, aggregate, session) => of(aggregate, session, arg);
}
