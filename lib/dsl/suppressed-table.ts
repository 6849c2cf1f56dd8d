import { andThen } from '../model/awaitable.js';
import { asBuffer, bytesOfKey } from '../model/byte-key.js';
import { TopologyError } from '../model/errors.js';
import { Cell } from '../serde/cell.js';
import type { Serde } from '../serde/serde.js';
import { suppressedStore } from '../topology/operator-stores.js';
import { PREFIX } from './names.js';
import { suppress } from './operators/suppress.js';
import { SuppressBuffer } from './operators/suppress-buffer.js';
import type { SuppressOptions } from './options.js';
import type { KTable } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import type { Suppression } from './suppression.js';
import type { TableView } from './table-view.js';
import type { TableParts, Wiring } from './wiring.js';

/** A timestamp that nobody knows. Kafka: `RecordQueue.UNKNOWN`. */
const UNKNOWN_MS = -1;

/** The table whose updates are held back. Kafka: `KTableImpl.suppress`. */
export function suppressedTable<K, V>(
  wiring: Wiring,
  table: TableParts<K, V>,
  suppression: Suppression,
  options: SuppressOptions,
): KTable<K, V> {
  const { names } = wiring.graph;
  const until: unknown = suppression?.until;
  if (until !== 'timeLimit' && until !== 'windowCloses') {
    throw new TopologyError('suppress needs to be told until when', {
      remedy: "Give untilWindowCloses() or untilTimeLimit('5m').",
    });
  }
  const name = options.name ?? names.node(PREFIX.suppress);
  if (table.isVersioned) {
    throw new TopologyError(`${name} holds back updates of a table with history, whose late versions would be lost`, {
      details: { node: name },
      remedy: 'Suppress a table without historyRetention, or one that is aggregated from it.',
    });
  }
  const waitMs = suppression.until === 'timeLimit' ? suppression.limitMs : windowGraceOf(table.node, name);
  const store = options.name === undefined ? names.store(PREFIX.suppress) : `${name}-store`;
  const { key, value } = table;
  const serdes = { key: key as Serde<unknown>, value: value as Serde<unknown> };
  const spec = suppressedStore({ ...options, ...serdes, name: store });
  table.sendOldValues(true); // what a row was downstream is what it was before its first update here
  const node = wiring.graph.add({
    forgetsSources: true,
    name,
    parents: [table.node],
    write(builder, parents) {
      builder
        .addProcessor(name, suppress({ name, format: { store, key, value }, suppression, waitMs }), { parents })
        .addStateStore(spec, name);
    },
  });
  return wiring.table({
    node,
    key,
    value,
    queryableStoreName: null,
    sendOldValues: (force) => table.sendOldValues(force),
    view: () => suppressedView(table.view(), { store, key, value }),
  });
}

/** All that leads to the table must be windowed; of several graces the greatest counts. Kafka: `GraphGraceSearchUtil`. */
function windowGraceOf(node: GraphNode, name: string): number {
  if (node.windowGraceMs !== undefined) return node.windowGraceMs;
  if (node.parents.length > 0)
    return node.parents.map((parent) => windowGraceOf(parent, name)).reduce((a, b) => Math.max(a, b));
  throw new TopologyError(`${name}: only what comes of windows can wait until they close`, {
    details: { node: name },
    remedy: 'Suppress the result of a windowed aggregation, or use untilTimeLimit.',
  });
}

/** Rows as they are downstream: what is held back has not happened yet. */
function suppressedView<K, V>(
  of: TableView<K, V>,
  { store, key, value }: { readonly store: string; readonly key: Serde<K>; readonly value: Serde<V> },
): TableView<K, V> {
  return {
    stores: [store, ...of.stores],
    open(context, reads) {
      const reader = of.open(context, reads);
      const buffer = new SuppressBuffer(context, store);
      return {
        get(cell) {
          const at = cell.byteKey(key);
          if (at === null) return null;
          return andThen(buffer.get(at), (held) => {
            if (held === null) return reader.get(cell);
            if (held.prior === null) return null;
            const bytes = asBuffer(bytesOfKey(held.prior));
            return {
              cell: Cell.read<V | null>(value as Serde<V | null>, bytes, 0, bytes.length),
              timestampMs: UNKNOWN_MS,
            };
          });
        },
      };
    },
  };
}
