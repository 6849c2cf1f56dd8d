/** Global tables and stores of cases, and joins with them. */
import type { StoreSpec } from '../../lib/index.js';
import {
  type CaseNode,
  type Made,
  mapped,
  named,
  type Of,
  type Operator,
  serde,
  serdes,
  typesOf,
} from './case-nodes.js';
import { processorOf } from './case-processors.js';
import { type JoinName, joiner } from './join-operators.js';

export const globalTable: Operator = (build, node) => {
  const types = typesOf(node);
  const store = node.store === undefined ? {} : { store: node.store };
  // A global table has its records' own timestamps, whatever extractor a case names: Kafka Streams does not ask it.
  const of = build.builder.globalTable(node.topic ?? '', { ...named(node), ...store, ...serdes(types) });
  return { kind: 'globalTable', of, ...types };
};

export function globalStore(stores: ReadonlyMap<string, StoreSpec>): Operator {
  return (build, node) => {
    const store = stores.get(node.store ?? '');
    if (store === undefined) throw new Error(`the case has no store ${node.store}`);
    const supplier = processorOf(node.processor ?? '', [store.name]);
    build.builder.addGlobalStore(
      store,
      node.topic ?? '',
      { ...named(node), ...serdes(typesOf(node)) },
      supplier as never,
    );
    return undefined;
  };
}

export function streamGlobalTable(left: Of<'stream'>, right: Of<'globalTable'>, node: CaseNode, join: JoinName): Made {
  if (join === 'outerJoin') throw new Error(`missing operator: ${join} of stream and global table`);
  const { map: foreignKey } = mapped(node.keyFn, left);
  const options = { ...named(node), foreignKey, joiner: joiner(node), value: serde('string') };
  const of = join === 'join' ? left.of.join(right.of, options) : left.of.leftJoin(right.of, options);
  return { kind: 'stream', of, key: left.key, value: 'string' };
}
