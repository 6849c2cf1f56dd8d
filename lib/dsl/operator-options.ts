/** Which options each operator has, by the classes that implement them; what TypeScript knows from streams.ts, for JavaScript. */
import { expectOptions } from '../topology/expect-options.js';
import { nameErrors } from './name-errors.js';

const NAMED = ['name'];
const TYPED = ['name', 'key', 'value'];
const STORE = ['store', 'inMemory', 'logged', 'cached', 'historyRetention', 'changelogConfig'];
const WINDOWED = ['name', 'store', 'inMemory', 'logged', 'cached', 'retention', 'changelogConfig'];
const AGGREGATE = [...NAMED, ...STORE];
const EXPIRING = [...AGGREGATE, 'ttl'];
/** One fold may serve groups, windows, sessions and tables: each calls of it what it needs (docs/decisions/0031-options-that-there-are-not.md). */
const FOLD = ['value', 'init', 'add', 'subtract', 'merge'];
const PROCESS = [...TYPED, 'stores'];
const JOIN = [...TYPED, 'joiner'];

/** What joins of a stream have, by what they join it with. */
export const STREAM_JOINS = {
  stream: [...JOIN, 'within', 'grace', 'store', 'inMemory', 'logged', 'changelogConfig'],
  table: [...JOIN, 'grace'],
  globalTable: [...JOIN, 'foreignKey'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** What joins of a table have, by which rows meet. */
export const TABLE_JOINS = {
  key: [...AGGREGATE, 'value', 'joiner'],
  foreignKey: [...AGGREGATE, 'value', 'joiner', 'foreignKey', 'partitioner', 'otherPartitioner'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
const STREAM_JOIN = [...new Set(Object.values(STREAM_JOINS).flat())];
const TABLE_JOIN = TABLE_JOINS.foreignKey;

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
  transformValues: [1, [...AGGREGATE, 'value', 'stores']],
};

export const GROUPED_STREAM: Operators = {
  count: [0, EXPIRING],
  reduce: [1, EXPIRING],
  aggregate: [0, [...EXPIRING, ...FOLD]],
};

export const GROUPED_TABLE: Operators = {
  count: [0, AGGREGATE],
  reduce: [0, [...AGGREGATE, 'add', 'subtract']],
  aggregate: [0, [...AGGREGATE, ...FOLD]],
};

export const COGROUPED: Operators = { aggregate: [0, [...AGGREGATE, 'value', 'init', 'merge']] };

export const WINDOWED_STREAM: Operators = {
  count: [0, WINDOWED],
  reduce: [1, WINDOWED],
  aggregate: [0, [...WINDOWED, ...FOLD]],
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
 * Lets each call of these operators check its options first, and what it refuses say which operator that was. Options that are left out
 * are checked by nobody.
 *
 * @throws {TypeError} where a class lacks an operator: a fault of this file
 */
export function checkOptions<C extends object>(of: { readonly prototype: C }, operators: Operators): void {
  for (const [operator, [at, names]] of Object.entries(operators)) {
    const method = (of.prototype as Record<string, unknown>)[operator];
    if (typeof method !== 'function') throw new TypeError(`there is no operator ${operator}`);
    const checked = function (this: C, ...given: unknown[]): unknown {
      return nameErrors(operator, given[at], () => {
        if (given[at] !== undefined) expectOptions(operator, given[at] as object, names);
        return method.apply(this, given);
      });
    };
    Object.defineProperty(of.prototype, operator, { value: checked, configurable: true, writable: true });
  }
}
