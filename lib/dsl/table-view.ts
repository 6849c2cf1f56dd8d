/** How operators after a table look its rows up, whether it is kept or not. Kafka: `KTableValueGetterSupplier`, `KTableValueGetter`. */
import { type Awaitable, andThen } from '../model/awaitable.js';
import type { ProcessorContext } from '../processor/processor-context.js';
import type { Cell } from '../serde/cell.js';
import type { StoredValue } from '../state/byte-store.js';
import type { RowFormat } from './operators/row-store.js';
import { openRows, VersionedRowStore } from './operators/versioned-row-store.js';

/** A row as it is looked up; its value is not null. */
export interface TableRow<V> {
  readonly cell: Cell<V | null>;
  readonly timestampMs: number;
}

/** Rows by key, as one node of one task reads them. */
export interface TableReader<K, V> {
  /** The row, or null; a null key has none. */
  get(key: Cell<K>): Awaitable<TableRow<V> | null>;
  /** The row that was valid at a time; only where the table keeps its history. */
  readonly getAsOf?: (key: Cell<K>, asOfMs: number) => Awaitable<TableRow<V> | null>;
}

/**
 * Which rows of a table with a ttl are found: `live` those that have not ended, `told` those that its updates have told of, where the end
 * of a row may still have to be told. What takes back what it gave out before has to look at the latter.
 */
export type TableReads = 'live' | 'told';

/** A table to be looked up. */
export interface TableView<K, V> {
  /** Stores to which a node that reads is connected. */
  readonly stores: readonly string[];
  /** Present where rows as they were can be looked up, and how long ago. */
  readonly historyRetentionMs?: number;
  /** @param reads default: `live` */
  open(context: ProcessorContext<never, never>, reads?: TableReads): TableReader<K, V>;
}

/** A table that is kept in a store. Kafka: `KTableMaterializedValueGetterSupplier`. */
export function storeView<K, V>(format: RowFormat<K, V>): TableView<K, V> {
  return {
    stores: [format.store],
    ...history(format),
    open(context, reads) {
      const rows = openRows(context, format);
      const asRow = (stored: StoredValue | null): TableRow<V> | null =>
        stored === null ? null : { cell: rows.cell(stored), timestampMs: stored.timestampMs };
      const get = (key: Cell<K>) => {
        const at = key.byteKey(format.key);
        return at === null ? null : andThen(reads === 'told' ? rows.getTold(at) : rows.get(at), asRow);
      };
      if (!(rows instanceof VersionedRowStore)) return { get };
      return {
        get,
        getAsOf(key, asOfMs) {
          const at = key.byteKey(format.key);
          return at === null ? null : andThen(rows.getAsOf(at, asOfMs), asRow);
        },
      };
    },
  };
}

function history({ historyRetentionMs }: Pick<TableView<never, never>, 'historyRetentionMs'>) {
  return historyRetentionMs === undefined ? {} : { historyRetentionMs };
}

/** A table that is made of another, row by row, each time it is looked up. */
export function derivedView<K, V, V2>(
  of: TableView<K, V>,
  step: (key: K, row: Cell<V | null>) => Awaitable<Cell<V2 | null>>,
): TableView<K, V2> {
  return {
    stores: of.stores,
    ...history(of),
    open(context, reads) {
      const reader = of.open(context, reads);
      const derived = (key: Cell<K>, row: TableRow<V> | null): Awaitable<TableRow<V2> | null> => {
        if (row === null) return null;
        return andThen(step(key.value, row.cell), (cell) =>
          cell.isNull ? null : { cell, timestampMs: row.timestampMs },
        );
      };
      const get = (key: Cell<K>) => andThen(reader.get(key), (row) => derived(key, row));
      const { getAsOf } = reader;
      if (getAsOf === undefined) return { get };
      return { get, getAsOf: (key, asOfMs) => andThen(getAsOf(key, asOfMs), (row) => derived(key, row)) };
    },
  };
}
