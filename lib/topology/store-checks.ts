/** What every store has to be told, whatever its kind. */
import { TopologyError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';
import { expectOptions } from './expect-options.js';

/** What all stores can be told. */
export interface CommonStoreOptions<K, V> {
  /** Unique in the topology; names the changelog `<applicationId>-<name>-changelog`. */
  readonly name: string;
  readonly key: Serde<K>;
  readonly value: Serde<V>;
  /** Whether writes go to a changelog topic; default true. Without one the store is empty after a restart. */
  readonly logged?: boolean;
  /** Overrides of the changelog topic's settings, by Kafka's names. */
  readonly changelogConfig?: Readonly<Record<string, string>>;
}

const COMMON_OPTIONS = ['name', 'key', 'value', 'logged', 'changelogConfig'];

/**
 * The parts of a specification that all kinds of store have alike.
 *
 * @param more names of the options that this kind has besides
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY
 */
export function commonSpec<K, V>(options: CommonStoreOptions<K, V>, more: readonly string[] = []) {
  expectStoreName(options?.name);
  expectOptions('store', options, [...COMMON_OPTIONS, ...more]);
  for (const side of ['key', 'value'] as const) expectSerde(options[side] as Serde<unknown>, side, options.name);
  return {
    name: options.name,
    keySerde: options.key as Serde<unknown>,
    valueSerde: options.value as Serde<unknown>,
    logged: options.logged ?? true,
    changelogConfig: Object.freeze({ ...options.changelogConfig }),
  };
}

function expectSerde(serde: Serde<unknown>, side: 'key' | 'value', store: string): void {
  if (typeof serde?.serialize === 'function' && typeof serde.deserialize === 'function') return;
  throw new TopologyError(`state store '${store}' has no serde for its ${side}`, {
    details: { store, side },
    remedy: `Give the ${side} serde as an option: { ${side}: string() }.`,
  });
}

/** Kafka: `Named.validate`. Whether the changelog's whole name is short enough is seen with the application's id, by `defineApp`. */
function expectStoreName(name: unknown): void {
  if (typeof name === 'string' && /^(?!\.\.?$)[a-zA-Z0-9._-]{1,249}$/.test(name)) return;
  throw new TopologyError(`'${String(name)}' is no name for a state store`, {
    details: { store: name },
    remedy:
      'Name the store with 1 to 249 letters, digits, dots, underscores and dashes: it becomes part of a topic name.',
  });
}
