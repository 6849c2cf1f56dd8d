import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import { PREFIX } from '../names.js';
import { streamTableJoin } from '../operators/stream-table-join.js';
import type { KStream } from '../streams.js';
import { userFunction } from '../user-function.js';
import type { StreamParts, TableParts, Wiring } from '../wiring.js';
import { type AnyJoin, operatorOf } from './join-options.js';
import { repartitionedForJoin } from './repartition-for-join.js';

/** A stream joined with the rows of a table. Kafka: `doStreamTableJoin`. */
export function joinStreamWithTable<K, V, VT>(
  wiring: Wiring,
  stream: StreamParts<K, V>,
  table: TableParts<K, VT>,
  kind: 'inner' | 'left',
  options: AnyJoin & { readonly value?: Serde<unknown> },
): KStream<K, unknown> {
  const { graph } = wiring;
  const isLeft = kind === 'left';
  const joiner = userFunction(options?.joiner, operatorOf(kind), 'function joiner');
  const left = repartitionedForJoin(wiring, stream, options.name);
  const name = graph.names.orGenerated(options.name, isLeft ? PREFIX.leftJoin : PREFIX.join);
  const view = table.view();
  const node = graph.add({
    name,
    parents: [left.node],
    lookups: [table.node],
    copartitions: true,
    takesNullKeys: isLeft,
    write(builder, parents) {
      const supplier = streamTableJoin({ view, isLeft, joiner: joiner as never });
      builder.addProcessor(name, supplier, { parents, stores: view.stores });
    },
  });
  const value: Serde<unknown> = options.value ?? nullable(stream.value);
  return wiring.stream({ node, key: left.key, value, keyChanged: false });
}
