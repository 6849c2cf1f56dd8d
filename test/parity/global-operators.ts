/** Global tables and stores of cases. */
import type { StoreSpec } from '../../lib/index.js';
import { named, type Operator, serdes, typesOf } from './case-nodes.js';
import { processorOf } from './case-processors.js';

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
