/** Topologies of the DSL, from data: each operator in the order of the case, since that order makes the generated names. */
import type {
  BuildOptions,
  FixedKeyProcessorSupplier,
  KGroupedStream,
  KTable,
  ProcessorSupplier,
  StoreSpec,
  TimestampExtractor,
  Topology,
} from '../../lib/index.js';
import { aggregateOperators } from './aggregate-operators.js';
import { predicate } from './case-functions.js';
import {
  type CaseNode,
  mapped,
  NodesBuild,
  named,
  type Of,
  type Operator,
  ofBoth,
  ofStream,
  serde,
  serdes,
  stored,
  typesOf,
  type Value,
} from './case-nodes.js';
import { forwardedType, processorOf } from './case-processors.js';
import { globalStore, globalTable } from './global-operators.js';
import { joinOperators } from './join-operators.js';
import { suppress } from './suppress-operator.js';

export function buildNodes(
  nodes: readonly CaseNode[],
  stores: ReadonlyMap<string, StoreSpec>,
  options: BuildOptions,
): Topology {
  const build = new NodesBuild();
  const globals = new Set(nodes.flatMap(({ op, store }) => (op === 'globalStore' ? [store] : [])));
  for (const store of stores.values()) if (!globals.has(store.name)) build.builder.addStateStore(store);
  const all: Readonly<Record<string, Operator>> = { ...operators, globalStore: globalStore(stores) };
  for (const node of nodes) {
    const operator = all[node.op];
    if (operator === undefined) throw new Error(`missing operator: ${node.op}`);
    const made = operator(build, node);
    if (made !== undefined) build.keep(node.id ?? '', made);
  }
  return build.builder.build(options);
}

const operators: Readonly<Record<string, Operator>> = {
  ...aggregateOperators,
  ...joinOperators,
  globalTable,
  stream: (build, node) => {
    const types = typesOf(node);
    const extractor = node.timestampExtractor === undefined ? {} : { timestampExtractor: extractorOf(node) };
    const topics = node.topics ?? [node.topic ?? ''];
    return {
      kind: 'stream',
      of: build.builder.stream(topics, { ...named(node), ...serdes(types), ...extractor }),
      ...types,
    };
  },
  table: (build, node) => {
    const types = typesOf(node);
    const history = node.versionedMs === undefined ? {} : { historyRetention: node.versionedMs };
    const options = { ...named(node), ...stored(node), ...history, ...serdes(types) };
    return { kind: 'table', of: build.builder.table(node.topic ?? '', options), ...types };
  },
  filter: ofBoth(
    (input, node) => ({ ...input, of: input.of.filter(predicate(node.pred ?? ''), named(node)) }),
    (input, node) => ({
      ...input,
      of: input.of.filter(predicate(node.pred ?? ''), { ...named(node), ...stored(node) }),
    }),
  ),
  filterNot: ofBoth(
    (input, node) => ({ ...input, of: input.of.filterNot(predicate(node.pred ?? ''), named(node)) }),
    (input, node) => ({
      ...input,
      of: input.of.filterNot(predicate(node.pred ?? ''), { ...named(node), ...stored(node) }),
    }),
  ),
  mapValues: ofBoth(
    (input, node) => {
      const { map, type } = mapped(node.fn, input);
      return {
        ...input,
        of: input.of.mapValues((value, key) => map(key, value), { ...named(node), value: serde(type) }),
        value: type,
      };
    },
    (input, node) => {
      const { map, type } = mapped(node.fn, input);
      const options = { ...named(node), ...stored(node), value: serde(type) };
      return { ...input, of: input.of.mapValues((value, key) => map(key, value), options), value: type };
    },
  ),
  map: ofStream((input, node) => {
    const key = mapped(node.keyFn, input);
    const value = mapped(node.valueFn, input);
    const options = { ...named(node), key: serde(key.type), value: serde(value.type) };
    const of = input.of.map((k, v) => [key.map(k, v), value.map(k, v)], options);
    return { kind: 'stream', of, key: key.type, value: value.type };
  }),
  selectKey: ofStream((input, node) => {
    const { map, type } = mapped(node.fn, input);
    return { ...input, of: input.of.selectKey(map, { ...named(node), key: serde(type) }), key: type };
  }),
  flatMap: ofStream((input, node) => {
    if (node.fn !== 'wordsAsKeys') throw new Error(`missing operator: flatMap ${String(node.fn)}`);
    return { ...input, of: input.of.flatMap((_key, value) => words(value).map((word) => [word, word]), named(node)) };
  }),
  flatMapValues: ofStream((input, node) => ({ ...input, of: input.of.flatMapValues(words, named(node)) })),
  peek: ofStream((input, node) => ({ ...input, of: input.of.peek(() => undefined, named(node)) })),
  merge: (build, node) => {
    const left = build.kind(node, node.left, 'stream');
    const right = build.kind(node, node.right, 'stream');
    return { ...left, of: left.of.merge(right.of, named(node)) };
  },
  split: (build, node) => {
    const input = build.kind(node, node.in, 'stream');
    const split = input.of.split(named(node));
    for (const { pred, name } of node.branches ?? []) split.branch(predicate(pred), name === undefined ? {} : { name });
    const streams = node.default === undefined ? split.noDefaultBranch() : split.defaultBranch({ name: node.default });
    for (const [name, of] of streams) build.keep(`${node.id}.${name}`, { ...input, of });
    return undefined;
  },
  groupByKey: ofStream((input, node) => ({ ...input, kind: 'groupedStream', of: groupedByKey(input, node) })),
  groupBy: ofBoth(
    (input, node) => {
      const { map, type } = mapped(node.fn, input);
      const of = input.of.groupBy(map, { ...named(node), key: serde(type) }) as KGroupedStream<Value, Value>;
      return { kind: 'groupedStream', of, key: type, value: input.value };
    },
    (input, node) => {
      const key = mapped(node.keyFn, input);
      const value = mapped(node.valueFn, input);
      const options = { ...named(node), key: serde(key.type), value: serde(value.type) };
      const of = input.of.groupBy((k, v) => [key.map(k, v), value.map(k, v)], options);
      return { kind: 'groupedTable', of, key: key.type, value: value.type };
    },
  ),
  suppress,
  toStream: (build, node) => {
    const input = build.kind(node, node.in, 'table');
    return { kind: 'stream', of: input.of.toStream(named(node)), key: input.key, value: input.value };
  },
  toTable: ofStream((input, node) => {
    const of = input.of.toTable({ ...named(node), ...stored(node) }) as KTable<Value, Value>;
    return { kind: 'table', of, key: input.key, value: input.value };
  }),
  repartition: ofStream((input, node) => {
    const partitions = node.partitions === undefined ? {} : { partitions: node.partitions };
    return { ...input, of: input.of.repartition({ ...named(node), ...partitions }) };
  }),
  process: ofStream((input, node) => {
    const value = forwardedType(node.processor ?? '');
    const options = { ...named(node), stores: node.stores ?? [], key: serde(input.key), value: serde(value) };
    return { ...input, of: input.of.process(supplierOf(node), options), value };
  }),
  processValues: ofStream((input, node) => {
    const value = forwardedType(node.processor ?? '');
    const options = { ...named(node), stores: node.stores ?? [], value: serde(value) };
    // The cases' processors take records of any key, and change none where a case keeps the keys.
    const supplier = supplierOf(node) as unknown as FixedKeyProcessorSupplier<Value, Value, Value>;
    return { ...input, of: input.of.processValues(supplier, options), value };
  }),
  to: ofStream((input, node) => {
    const { topicByFirstChar } = node;
    if (topicByFirstChar === undefined) input.of.to(node.topic ?? '', named(node));
    else {
      const valueFirstChar = ({ value }: { readonly value: Value }) => topicByFirstChar[String(value).charAt(0)] ?? '';
      input.of.to(valueFirstChar, named(node));
    }
    return undefined;
  }),
};

function groupedByKey(input: Of<'stream'>, node: CaseNode): KGroupedStream<Value, Value> {
  return input.of.groupByKey(named(node)) as KGroupedStream<Value, Value>;
}

function supplierOf(node: CaseNode): ProcessorSupplier<Value, Value, Value, Value> {
  return processorOf(node.processor ?? '', node.stores ?? []) as ProcessorSupplier<Value, Value, Value, Value>;
}

function words(value: Value): string[] {
  return value === null
    ? []
    : String(value)
        .split(' ')
        .filter((word) => word !== '');
}

function extractorOf(node: CaseNode): TimestampExtractor {
  if (node.timestampExtractor !== 'field1') throw new Error(`missing operator: extractor ${node.timestampExtractor}`);
  return (record) => Number(String(record.value).split('|')[1]);
}
