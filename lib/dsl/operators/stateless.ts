/** Operators that remember nothing. Each keeps what it does not change as the bytes that were read. */
import { type Awaitable, forEachInOrder, isPromise } from '../../model/awaitable.js';
import type { EngineContext } from '../../processor/engine-context.js';
import type { ProcessorSupplier } from '../../processor/processor.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import { StreamRecord } from '../../processor/stream-record.js';
import { Cell } from '../../serde/cell.js';
import type { Predicate } from '../streams.js';

/** A step as a function of record and context. */
type Step<KIn, VIn, KOut, VOut> = (
  record: StreamRecord<KIn, VIn>,
  context: ProcessorContext<KOut, VOut>,
) => Awaitable<void>;

function stateless<KIn, VIn, KOut, VOut>(step: Step<KIn, VIn, KOut, VOut>): ProcessorSupplier<KIn, VIn, KOut, VOut> {
  return () => {
    let context: ProcessorContext<KOut, VOut>;
    return {
      init(given) {
        context = given;
      },
      process: (record) => step(record, context),
    };
  };
}

export function filter<K, V>(predicate: Predicate<K, V>, wanted: boolean): ProcessorSupplier<K, V, K, V> {
  return stateless((record, context) => {
    const holds = predicate(record.key, record.value);
    if (isPromise(holds)) {
      return holds.then((later) => (Boolean(later) === wanted ? context.forward(record) : undefined));
    }
    if (Boolean(holds) === wanted) return context.forward(record);
  });
}

/** What stands before a repartition topic: a record without key has no partition to go to. */
export function dropNullKeys<K, V>(): ProcessorSupplier<K, V, K, V> {
  return stateless((record, context) =>
    record.keyCell.isNull ? (context as EngineContext<K, V>).recordDropped('null-key') : context.forward(record),
  );
}

export function passThrough<K, V>(): ProcessorSupplier<K, V, K, V> {
  return stateless((record, context) => context.forward(record));
}

export function mapValues<K, V, V2>(mapper: (value: V, key: K) => Awaitable<V2>): ProcessorSupplier<K, V, K, V2> {
  return stateless((record, context) => {
    const value = mapper(record.value, record.key);
    if (isPromise(value)) return value.then((later) => context.forward(record.withValue(later)));
    return context.forward(record.withValue(value));
  });
}

export function selectKey<K, V, K2>(selector: (key: K, value: V) => Awaitable<K2>): ProcessorSupplier<K, V, K2, V> {
  return stateless((record, context) => {
    const key = selector(record.key, record.value);
    if (isPromise(key)) return key.then((later) => context.forward(record.withKey(later)));
    return context.forward(record.withKey(key));
  });
}

export function map<K, V, K2, V2>(
  mapper: (key: K, value: V) => Awaitable<readonly [K2, V2]>,
): ProcessorSupplier<K, V, K2, V2> {
  return stateless((record, context) => {
    const pair = mapper(record.key, record.value);
    if (isPromise(pair)) return pair.then((later) => context.forward(withPair(record, later)));
    return context.forward(withPair(record, pair));
  });
}

export function flatMapValues<K, V, V2>(
  mapper: (value: V, key: K) => Awaitable<Iterable<V2>>,
): ProcessorSupplier<K, V, K, V2> {
  return stateless((record, context) => {
    const forwardEach = (values: Iterable<V2>) =>
      forEachInOrder(values, (value) => context.forward(record.withValue(value)));
    const values = mapper(record.value, record.key);
    return isPromise(values) ? values.then(forwardEach) : forwardEach(values);
  });
}

export function flatMap<K, V, K2, V2>(
  mapper: (key: K, value: V) => Awaitable<Iterable<readonly [K2, V2]>>,
): ProcessorSupplier<K, V, K2, V2> {
  return stateless((record, context) => {
    const forwardEach = (pairs: Iterable<readonly [K2, V2]>) =>
      forEachInOrder(pairs, (pair) => context.forward(withPair(record, pair)));
    const pairs = mapper(record.key, record.value);
    return isPromise(pairs) ? pairs.then(forwardEach) : forwardEach(pairs);
  });
}

export function peek<K, V>(action: (key: K, value: V) => unknown): ProcessorSupplier<K, V, K, V> {
  return stateless((record, context) => {
    const done = action(record.key, record.value);
    if (isPromise(done)) return done.then(() => context.forward(record));
    return context.forward(record);
  });
}

export function foreach<K, V>(action: (key: K, value: V) => unknown): ProcessorSupplier<K, V> {
  return stateless((record) => {
    const done = action(record.key, record.value);
    return isPromise(done) ? done.then(() => undefined) : undefined;
  });
}

/** Each record goes to the first child whose predicate holds, else to the default child if there is one. */
export function branch<K, V>(
  branches: readonly { readonly child: string; readonly predicate: Predicate<K, V> }[],
  defaultChild: string | undefined,
): ProcessorSupplier<K, V, K, V> {
  return stateless((record, context) => {
    const tryFrom = (index: number): Awaitable<void> => {
      for (let at = index; at < branches.length; at += 1) {
        const { child, predicate } = branches[at] as (typeof branches)[number];
        const holds = predicate(record.key, record.value);
        if (isPromise(holds)) return holds.then((later) => (later ? context.forward(record, child) : tryFrom(at + 1)));
        if (holds) return context.forward(record, child);
      }
      return defaultChild === undefined ? undefined : context.forward(record, defaultChild);
    };
    return tryFrom(0);
  });
}

function withPair<K2, V2>(
  record: StreamRecord<unknown, unknown>,
  [key, value]: readonly [K2, V2],
): StreamRecord<K2, V2> {
  return new StreamRecord(Cell.of(key), Cell.of(value), record.timestampMs, record.headers);
}
