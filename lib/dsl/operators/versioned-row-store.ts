import { type Awaitable, andThen } from '../../model/awaitable.js';
import type { ByteKey, Encoded } from '../../model/byte-key.js';
import type { ProcessorContext } from '../../processor/processor-context.js';
import type { StoredValue } from '../../state/byte-store.js';
import type { StateStore } from '../../state/state-store.js';
import type { VersionBytes } from '../../state/version-bytes.js';
import { type RowFormat, type RowPut, RowStore } from './row-store.js';

/** An operator's store of rows with their history; reads give the newest version (KIP-889, KIP-914). Kafka: `KeyValueStoreWrapper`. */
export class VersionedRowStore<K, V> extends RowStore<K, V> {
  private readonly versions: VersionBytes;

  constructor(context: ProcessorContext<never, never>, format: RowFormat<K, V>) {
    super(context, format);
    this.versions = context.getStateStore<StateStore & { readonly versions: VersionBytes }>(format.store).versions;
  }

  override get(key: ByteKey): Awaitable<StoredValue | null> {
    return this.versions.newest(key);
  }

  /** The row that was valid at a time. */
  getAsOf(key: ByteKey, asOfMs: number): Awaitable<StoredValue | null> {
    return this.versions.validAt(key, asOfMs);
  }

  override putRow(key: ByteKey, value: Encoded | null, timestampMs: number): Awaitable<RowPut> {
    return andThen(this.versions.put(key, value, timestampMs), ({ isPut, validToMs }) => {
      if (!isPut) return 'expired';
      return validToMs === null ? 'latest' : 'outdated';
    });
  }
}

/** The store of an operator's rows, of the kind that its format says. */
export function openRows<K, V>(context: ProcessorContext<never, never>, format: RowFormat<K, V>): RowStore<K, V> {
  return format.historyRetentionMs === undefined
    ? new RowStore(context, format)
    : new VersionedRowStore(context, format);
}
