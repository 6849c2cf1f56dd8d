import { InvalidStateStoreError } from '../model/errors.js';
import type { StateStore } from './state-store.js';

/** What the built-in kinds of stores call their writes. */
const WRITES = ['put', 'putIfAbsent', 'putAll', 'delete', 'remove'];

/**
 * The same store for readers alone: each of these writes throws, also one that would change nothing and so never came to the bytes. Kafka: the `…ReadOnlyDecorator`s.
 *
 * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE from the writes
 */
export function readOnlyStore<S extends StateStore>(store: S, why: string): S {
  const refuse = (): never => {
    throw writeRefused(store.name, why);
  };
  const refusals = WRITES.filter((name) => name in store).map((name) => [name, { value: refuse }] as const);
  return Object.create(store, Object.fromEntries(refusals)) as S;
}

/** What a write says that is none of this reader's. */
export function writeRefused(store: string, why: string): InvalidStateStoreError {
  return new InvalidStateStoreError(`store '${store}' cannot be written here: ${why}`, {
    details: { store },
    remedy: 'Write to the topic that the store is kept from, or to a store of the processor’s own.',
  });
}
