/** Joins of a table with a table, by their keys (here) or by a key that its rows name (foreign-key.ts). Kafka: `KTableImpl.doJoin`. */
import { TopologyError } from '../../model/errors.js';
import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import { expectOptions } from '../../topology/expect-options.js';
import { otherSide } from '../joinable.js';
import { materialize, rowFormat } from '../materialize.js';
import { PREFIX } from '../names.js';
import { TABLE_JOINS } from '../operator-options.js';
import { tableMerge } from '../operators/table-merge.js';
import { joinedView, type PairJoiner, tableTableJoin } from '../operators/table-table-join.js';
import { isMaterialized } from '../options.js';
import type { KTable } from '../streams.js';
import { storeView } from '../table-view.js';
import { userFunction } from '../user-function.js';
import type { TableParts, Wiring } from '../wiring.js';
import { joinByForeignKey } from './foreign-key.js';
import { type AnyForeignKeyJoin, type AnyJoin, type JoinKind, operatorOf } from './join-options.js';

export type AnyTableJoin = AnyJoin & AnyForeignKeyJoin & { readonly foreignKey?: unknown };

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if the other side is no table of the same builder, or the joiner no function */
export function joinTable<K, V>(
  wiring: Wiring,
  parts: TableParts<K, V>,
  join: { readonly kind: JoinKind; readonly other: unknown; readonly options: AnyTableJoin },
): KTable<K, never> {
  const { kind, options } = join;
  const operator = operatorOf(kind);
  const other = otherSide(join.other, wiring.graph, operator);
  if (other.kind !== 'table') {
    throw new TopologyError(`${operator}: a table cannot be joined with a ${other.kind}`, { details: { operator } });
  }
  const joiner = userFunction(options?.joiner, operator, 'function joiner') as PairJoiner<K, V, unknown, unknown>;
  if (options.foreignKey !== undefined) {
    if (kind === 'outer') {
      throw new TopologyError('outerJoin: a join by foreign key is inner or left', { details: { operator } });
    }
    const foreignKey = userFunction(options.foreignKey, operator, 'function foreignKey');
    const request = { isLeft: kind === 'left', foreignKey: foreignKey as never, joiner, options };
    return joinByForeignKey(wiring, parts, other.parts, request) as KTable<K, never>;
  }
  expectOptions(operator, options, TABLE_JOINS.key, 'without foreignKey ');
  return joinTables(wiring, parts, other.parts as TableParts<K, unknown>, { kind, options, joiner }) as KTable<
    K,
    never
  >;
}

function joinTables<K, V, VO, VR>(
  wiring: Wiring,
  mine: TableParts<K, V>,
  other: TableParts<K, VO>,
  join: { readonly kind: JoinKind; readonly options: AnyTableJoin; readonly joiner: PairJoiner<K, V, VO, VR> },
): KTable<K, VR> {
  const { names } = wiring.graph;
  const { kind, options, joiner } = join;
  const { key } = mine;
  const value = (options.value ?? nullable(mine.value)) as Serde<VR>;
  const store = options.store ?? (isMaterialized(options) ? names.store(PREFIX.tableMerge) : undefined);
  const name = names.orGenerated(options.name, PREFIX.tableMerge);
  if (kind !== 'inner') mine.sendOldValues(true);
  if (kind === 'outer') other.sendOldValues(true);
  const mineName = names.suffixedOrGenerated(options.name, '-join-this', PREFIX.tableJoinThis);
  const otherName = names.suffixedOrGenerated(options.name, '-join-other', PREFIX.tableJoinOther);
  const spec = store === undefined ? null : materialize(store, key, value, options);
  const format = spec === null ? null : rowFormat(spec, key, value);
  const views = { mine: mine.view(), other: other.view() };
  const needsMine = kind !== 'outer';
  const needsOther = kind === 'inner';
  let sendOldValues = false;
  const node = wiring.graph.add({
    name,
    parents: [mine.node, other.node],
    copartitions: true,
    write(builder, [mineParent = '', otherParent = mineParent]) {
      const mineSide = tableTableJoin<K, V, VO, VR>({
        other: views.other,
        needsOwn: needsMine,
        needsOther,
        joiner,
        sendOldValues,
        isVersioned: mine.isVersioned === true,
      });
      const otherSide = tableTableJoin<K, VO, V, VR>({
        other: views.mine,
        needsOwn: needsOther,
        needsOther: needsMine,
        joiner: (its, own, at) => joiner(own, its, at),
        sendOldValues,
        isVersioned: other.isVersioned === true,
      });
      builder
        .addProcessor(mineName, mineSide, { parents: mineParent })
        .addProcessor(otherName, otherSide, { parents: otherParent })
        .addProcessor(name, tableMerge({ format, cached: spec?.cached ?? false, sendOldValues }), {
          parents: [mineName, otherName],
        })
        .connectProcessorAndStateStores(mineName, ...views.other.stores)
        .connectProcessorAndStateStores(otherName, ...views.mine.stores);
      if (spec !== null) builder.addStateStore(spec, name);
    },
  });
  return wiring.table({
    node,
    key,
    value,
    queryableStoreName: options.store ?? null,
    isVersioned: format?.historyRetentionMs !== undefined,
    sendOldValues() {
      mine.sendOldValues(true);
      other.sendOldValues(true);
      sendOldValues = true;
      return true;
    },
    view() {
      if (format !== null) return storeView(format);
      return joinedView(views.mine, { other: views.other, needsOwn: needsMine, needsOther, joiner });
    },
  });
}
