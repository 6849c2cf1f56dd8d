import { InvalidStateStoreError } from '../model/errors.js';
import type { StateStore } from './state-store.js';

/** What all kinds of stores call their writes. */
const WRITES = ['put', 'putIfAbsent', 'putAll', 'delete', 'remove'];

/**
 * The same store for readers alone: each of its writes throws, also one that would change nothing. Kafka: the `…ReadOnlyDecorator`s.
 *
 * @throws {InvalidStateStoreError} STREAMS_INVALID_STATE_STORE from the writes
 */
export function readOnlyStore<S extends StateStore>(store: S, why: string): S {
  const refuse = (): never => {
    throw new InvalidStateStoreError(`store '${store.name}' cannot be written here: ${why}`, {
      details: { store: store.name },
      remedy: 'Write to the topic that the store is kept from, or to a store of the processor’s own.',
    });
  };
  const refusals = WRITES.filter((name) => name in store).map((name) => [name, { value: refuse }] as const);
  return Object.create(store, Object.fromEntries(refusals)) as S;
}
