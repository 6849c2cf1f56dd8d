import { TopologyError } from '../model/errors.js';

/**
 * Names of nodes and stores, numbered as Kafka Streams numbers them. Kafka: `InternalNameProvider`, `NamedInternal`.
 *
 * One counter serves nodes and stores of a builder. A name given by the user takes a number too, but for few operators: so naming one operator does
 * not rename those after it, nor the changelogs that hold their state.
 */
export class NameSequence {
  private next = 0;

  /** `<prefix>0000000007` */
  node(prefix: string): string {
    return `${prefix}${this.number()}`;
  }

  /** `<prefix>STATE-STORE-0000000007` */
  store(prefix: string): string {
    return `${prefix}STATE-STORE-${this.number()}`;
  }

  /** The user's name, or a generated one. @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what is no name */
  orGenerated(name: string | undefined, prefix: string): string {
    const generated = this.node(prefix);
    return name === undefined ? generated : expectName(name);
  }

  /** The user's name, or a generated one: for the few operators whose own name takes no number. Kafka: `KStream.process`. */
  givenOrGenerated(name: string | undefined, prefix: string): string {
    return name === undefined ? this.node(prefix) : expectName(name);
  }

  /** The user's name with a suffix, or a generated one. */
  suffixedOrGenerated(name: string | undefined, suffix: string, prefix: string): string {
    const generated = this.node(prefix);
    return name === undefined ? generated : `${expectName(name)}${suffix}`;
  }

  private number(): string {
    const number = String(this.next).padStart(10, '0');
    this.next += 1;
    return number;
  }
}

/** Holds the name of an operator to Kafka's rule: it may become part of a topic's name. Kafka: `Named.validate`. */
function expectName(name: unknown): string {
  if (typeof name === 'string' && /^(?!\.\.?$)[a-zA-Z0-9._-]{1,249}$/.test(name)) return name;
  throw new TopologyError(`'${String(name)}' is no name for an operator`, {
    details: { name },
    remedy: 'Name the operator with 1 to 249 letters, digits, dots, underscores and dashes; dots alone are no name.',
  });
}

/** Whether a name of a store or topic was generated, so that another operator before it would change it. */
export function isGeneratedName(name: string): boolean {
  return /-[0-9]{10}(-repartition|-changelog|-topic)?$/.test(name);
}

/** What generated names begin with. Kafka: the constants of `KStreamImpl`, `KTableImpl` and their kin. */
export const PREFIX = {
  source: 'KSTREAM-SOURCE-',
  sink: 'KSTREAM-SINK-',
  filter: 'KSTREAM-FILTER-',
  map: 'KSTREAM-MAP-',
  mapValues: 'KSTREAM-MAPVALUES-',
  mapValuesAsync: 'KSTREAM-MAPVALUESASYNC-',
  flatMap: 'KSTREAM-FLATMAP-',
  flatMapValues: 'KSTREAM-FLATMAPVALUES-',
  selectKey: 'KSTREAM-KEY-SELECT-',
  peek: 'KSTREAM-PEEK-',
  foreach: 'KSTREAM-FOREACH-',
  merge: 'KSTREAM-MERGE-',
  branch: 'KSTREAM-BRANCH-',
  process: 'KSTREAM-PROCESSOR-',
  processValues: 'KSTREAM-PROCESSVALUES-',
  join: 'KSTREAM-JOIN-',
  leftJoin: 'KSTREAM-LEFTJOIN-',
  repartition: 'KSTREAM-REPARTITION-',
  windowed: 'KSTREAM-WINDOWED-',
  joinThis: 'KSTREAM-JOINTHIS-',
  joinOther: 'KSTREAM-JOINOTHER-',
  outerThis: 'KSTREAM-OUTERTHIS-',
  outerOther: 'KSTREAM-OUTEROTHER-',
  outerShared: 'KSTREAM-OUTERSHARED-',
  streamAggregate: 'KSTREAM-AGGREGATE-',
  streamReduce: 'KSTREAM-REDUCE-',
  cogroupAggregate: 'COGROUPKSTREAM-AGGREGATE-',
  cogroupMerge: 'COGROUPKSTREAM-MERGE-',
  tableSource: 'KTABLE-SOURCE-',
  tableFilter: 'KTABLE-FILTER-',
  tableMapValues: 'KTABLE-MAPVALUES-',
  tableTransformValues: 'KTABLE-TRANSFORMVALUES-',
  tableSelect: 'KTABLE-SELECT-',
  tableAggregate: 'KTABLE-AGGREGATE-',
  tableReduce: 'KTABLE-REDUCE-',
  tableMerge: 'KTABLE-MERGE-',
  tableJoinThis: 'KTABLE-JOINTHIS-',
  tableJoinOther: 'KTABLE-JOINOTHER-',
  tableSink: 'KTABLE-SINK-',
  registration: 'KTABLE-FK-JOIN-SUBSCRIPTION-REGISTRATION-',
  subscription: 'KTABLE-FK-JOIN-SUBSCRIPTION-PROCESSOR-',
  subscriptionStore: 'KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-',
  response: 'KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-',
  responseResolver: 'KTABLE-FK-JOIN-SUBSCRIPTION-RESPONSE-RESOLVER-PROCESSOR-',
  foreignKeyResult: 'KTABLE-FK-JOIN-OUTPUT-',
  toTable: 'KSTREAM-TOTABLE-',
  suppress: 'KTABLE-SUPPRESS-',
  toStream: 'KTABLE-TOSTREAM-',
} as const;

const REPARTITION_SUFFIX = '-repartition';

/** The topic that a name stands for: `<name>-repartition`. */
export function repartitionTopicOf(name: string): string {
  return name.endsWith(REPARTITION_SUFFIX) ? name : `${name}${REPARTITION_SUFFIX}`;
}

/** Whether a name was generated for a stream's node or store: then the nodes around its repartition topic are numbered too. */
export function isGeneratedStreamName(name: string): boolean {
  return /^KSTREAM.*-[0-9]{10}$/.test(name);
}
