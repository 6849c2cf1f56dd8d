import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import type { GlobalTableParts } from '../global-ktable.js';
import { PREFIX } from '../names.js';
import { globalTableJoin } from '../operators/global-table-join.js';
import type { KStream } from '../streams.js';
import { userFunction } from '../user-function.js';
import type { StreamParts, Wiring } from '../wiring.js';
import type { AnyJoin } from './join-options.js';

/** A stream joined with the rows of a global table, wherever they are: nothing has to move. Kafka: `globalTableJoin`. */
export function joinStreamWithGlobalTable<K, V, KT, VT>(
  wiring: Wiring,
  stream: StreamParts<K, V>,
  { view }: GlobalTableParts<KT, VT>,
  kind: 'inner' | 'left',
  options: AnyJoin & { readonly value?: Serde<unknown>; readonly foreignKey?: (...args: never[]) => unknown },
): KStream<K, unknown> {
  const { graph } = wiring;
  const isLeft = kind === 'left';
  const operator = isLeft ? 'leftJoin' : 'join';
  const joiner = userFunction(options?.joiner, operator, 'function joiner');
  const foreignKey = userFunction(options.foreignKey, operator, 'function foreignKey');
  const name = graph.names.orGenerated(options.name, PREFIX.leftJoin);
  const supplier = globalTableJoin({ view, isLeft, foreignKey: foreignKey as never, joiner: joiner as never });
  const node = graph.add({
    name,
    parents: [stream.node],
    takesNullKeys: isLeft,
    write: (builder, parents) => void builder.addProcessor(name, supplier, { parents }),
  });
  const value: Serde<unknown> = options.value ?? nullable(stream.value);
  return wiring.stream({ node, key: stream.key, value, keyChanged: stream.keyChanged });
}
