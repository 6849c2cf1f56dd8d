/** Which options each operator has, by the classes that implement them; what TypeScript knows from streams.ts, for JavaScript. */
import { expectOptions } from '../topology/expect-options.js';

const NAMED = ['name'];
const TYPED = ['name', 'key', 'value'];
const STORE = ['store', 'inMemory', 'logged', 'cached', 'historyRetention', 'changelogConfig'];
const WINDOWED = ['name', 'store', 'inMemory', 'logged', 'cached', 'retention', 'changelogConfig'];
const AGGREGATE = [...NAMED, ...STORE];
const EXPIRING = [...AGGREGATE, 'ttl'];
const FOLD = ['value', 'init', 'add'];
const PROCESS = [...TYPED, 'stores'];
const STREAM_JOIN = [
  ...['name', 'key', 'value', 'joiner', 'foreignKey', 'grace', 'within'],
  ...['store', 'inMemory', 'logged', 'changelogConfig'],
];
const TABLE_JOIN = [...AGGREGATE, 'value', 'joiner', 'foreignKey', 'partitioner', 'otherPartitioner'];

/** Where the options stand among the arguments, and what their names are. */
type Operators = Readonly<Record<string, readonly [at: number, names: readonly string[]]>>;

export const STREAM: Operators = {
  filter: [1, NAMED],
  filterNot: [1, NAMED],
  mapValues: [1, TYPED],
  mapValuesAsync: [1, [...TYPED, 'concurrency', 'timeout', 'retries']],
  flatMapValues: [1, TYPED],
  map: [1, TYPED],
  flatMap: [1, TYPED],
  selectKey: [1, TYPED],
  peek: [1, NAMED],
  foreach: [1, NAMED],
  merge: [1, NAMED],
  join: [1, STREAM_JOIN],
  leftJoin: [1, STREAM_JOIN],
  outerJoin: [1, STREAM_JOIN],
  split: [0, NAMED],
  toTable: [0, EXPIRING],
  groupByKey: [0, TYPED],
  groupBy: [1, TYPED],
  repartition: [0, [...TYPED, 'partitions', 'partitioner']],
  to: [1, [...TYPED, 'partitioner']],
  process: [1, PROCESS],
  processValues: [1, PROCESS],
};

export const BRANCHED: Operators = { branch: [1, NAMED], defaultBranch: [0, NAMED] };

export const TABLE: Operators = {
  filter: [1, AGGREGATE],
  filterNot: [1, AGGREGATE],
  mapValues: [1, [...AGGREGATE, 'key', 'value']],
  join: [1, TABLE_JOIN],
  leftJoin: [1, TABLE_JOIN],
  outerJoin: [1, TABLE_JOIN],
  suppress: [1, ['name', 'logged', 'changelogConfig']],
  groupBy: [1, TYPED],
};

export const TRANSFORM_VALUES = [...AGGREGATE, 'value', 'stores'];

export const GROUPED_STREAM: Operators = {
  count: [0, EXPIRING],
  reduce: [1, EXPIRING],
  aggregate: [0, [...EXPIRING, ...FOLD]],
};

export const GROUPED_TABLE: Operators = {
  count: [0, AGGREGATE],
  reduce: [0, [...AGGREGATE, 'add', 'subtract']],
  aggregate: [0, [...AGGREGATE, ...FOLD, 'subtract']],
};

export const COGROUPED: Operators = { aggregate: [0, [...AGGREGATE, 'value', 'init']] };

export const WINDOWED_STREAM: Operators = {
  count: [0, WINDOWED],
  reduce: [1, WINDOWED],
  aggregate: [0, [...WINDOWED, ...FOLD]],
};

export const SESSION_WINDOWED: Operators = {
  ...WINDOWED_STREAM,
  aggregate: [0, [...WINDOWED, ...FOLD, 'merge']],
};

export const COGROUPED_IN_WINDOWS = [...WINDOWED, 'value', 'init', 'merge'];

const SOURCE = [...TYPED, 'timestampExtractor', 'offsetReset'];
export const BUILDER: Operators = {
  stream: [1, SOURCE],
  table: [1, [...SOURCE, ...STORE, 'ttl']],
  globalTable: [1, [...TYPED, 'store', 'inMemory']],
  addGlobalStore: [2, TYPED],
  build: [0, ['optimization', 'ensureExplicitInternalResourceNaming']],
};

/**
 * Lets each call of these operators check its options first. Options that are left out are checked by nobody.
 *
 * @throws {TypeError} where a class lacks an operator: a fault of this file
 */
export function checkOptions<C extends object>(of: { readonly prototype: C }, operators: Operators): void {
  for (const [operator, [at, names]] of Object.entries(operators)) {
    const method = (of.prototype as Record<string, unknown>)[operator];
    if (typeof method !== 'function') throw new TypeError(`there is no operator ${operator}`);
    const checked = function (this: C, ...given: unknown[]): unknown {
      if (given[at] !== undefined) expectOptions(operator, given[at] as object, names);
      return method.apply(this, given);
    };
    Object.defineProperty(of.prototype, operator, { value: checked, configurable: true, writable: true });
  }
}
