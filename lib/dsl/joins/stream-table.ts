import { type Duration, durationMs } from '../../model/duration.js';
import { TopologyError } from '../../model/errors.js';
import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import { waitingStore } from '../../topology/operator-stores.js';
import { PREFIX } from '../names.js';
import { streamTableGraceJoin } from '../operators/stream-table-grace-join.js';
import { streamTableJoin } from '../operators/stream-table-join.js';
import type { KStream } from '../streams.js';
import type { TableView } from '../table-view.js';
import { userFunction } from '../user-function.js';
import type { StreamParts, TableParts, Wiring } from '../wiring.js';
import { type AnyJoin, type Graceful, operatorOf } from './join-options.js';
import { repartitionedForJoin } from './repartition-for-join.js';

/** A stream joined with the rows of a table. Kafka: `doStreamTableJoin`. */
export function joinStreamWithTable<K, V, VT>(
  wiring: Wiring,
  stream: StreamParts<K, V>,
  table: TableParts<K, VT>,
  kind: 'inner' | 'left',
  options: AnyJoin & Graceful & { readonly value?: Serde<unknown> },
): KStream<K, unknown> {
  const { graph } = wiring;
  const isLeft = kind === 'left';
  const joiner = userFunction(options?.joiner, operatorOf(kind), 'function joiner');
  const left = repartitionedForJoin(wiring, stream, options.name);
  const name = graph.names.orGenerated(options.name, isLeft ? PREFIX.leftJoin : PREFIX.join);
  const view = table.view();
  const grace = options.grace === undefined ? null : graceOf(options.grace, name, view);
  const joined = { view, isLeft, joiner: joiner as never };
  const node = graph.add({
    name,
    parents: [left.node],
    lookups: [table.node],
    copartitions: true,
    takesNullKeys: isLeft,
    write(builder, parents) {
      if (grace === null) {
        builder.addProcessor(name, streamTableJoin(joined), { parents, stores: view.stores });
        return;
      }
      const { key, value } = left;
      const supplier = streamTableGraceJoin({ ...joined, ...grace, key, value });
      builder
        .addProcessor(name, supplier, { parents })
        .addStateStore(waitingStore({ name: grace.store, key, value }), name)
        .connectProcessorAndStateStores(name, ...view.stores);
    },
  });
  const value: Serde<unknown> = options.value ?? nullable(stream.value);
  return wiring.stream({ node, key: left.key, value, keyChanged: false });
}

/** What is waited for must still be there. */
function graceOf(grace: Duration, node: string, { historyRetentionMs }: TableView<never, unknown>) {
  const graceMs = durationMs(grace, `grace of join '${node}'`);
  if (historyRetentionMs !== undefined && historyRetentionMs >= graceMs) return { graceMs, store: `${node}-Buffer` };
  throw new TopologyError(`join '${node}' waits ${graceMs} ms for rows that its table does not keep for as long`, {
    details: { node, graceMs, historyRetentionMs },
    remedy: 'Give the table a store and a historyRetention of at least the grace.',
  });
}
