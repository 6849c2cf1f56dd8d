/**
 * The ports through which a task restores: what is read through them is counted, and paced where there is a limit.
 *
 * What a running task reads does not come this way: live input is never slowed.
 */
import type { Clock } from '../host/host.js';
import type { FetchOptions, FetchRequest, FetchResult, Log } from '../log/log.js';
import type { RecordSet } from '../model/record-set.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import type { RestorePace } from './restore-pace.js';

/** What a record takes in a batch besides key and value: lengths, deltas of offset and timestamp. */
const RECORD_OVERHEAD_BYTES = 12;

/** What a restore has read, and how long it was made to wait for it. */
export interface RestoreMeter {
  logBytes: number;
  snapshotBytes: number;
  throttledMs: number;
  /** Monotonic milliseconds from which on the restore is not held back any more: its deletes must not expire under it. Infinity: never. */
  hurryAtMs: number;
}

export function createMeter(): RestoreMeter {
  return { logBytes: 0, snapshotBytes: 0, throttledMs: 0, hurryAtMs: Number.POSITIVE_INFINITY };
}

export interface MeteredPorts<P> {
  readonly ports: P;
  readonly meter: RestoreMeter;
  /** Null: as fast as it goes. */
  readonly pace: RestorePace | null;
  /** Ends a wait; what was read is answered all the same. */
  readonly signal: AbortSignal;
}

/** The same ports, with log and snapshots metered and paced. */
export function meteredPorts<P extends PortsRead>(metered: MeteredPorts<P>): P {
  const { ports } = metered;
  return { ...ports, log: meteredLog(ports.log, metered), snapshots: meteredSnapshots(ports.snapshots, metered) };
}

interface PortsRead {
  readonly log: Log;
  readonly snapshots: SnapshotStore;
  readonly host: { readonly clock: Clock };
}

function meteredLog(log: Log, metered: MeteredPorts<PortsRead>): Log {
  const fetch = async (ranges: readonly FetchRequest[], options: FetchOptions): Promise<readonly FetchResult[]> => {
    const { pace, meter } = metered;
    const maxBytes = pace === null ? options.maxBytes : Math.min(options.maxBytes, pace.fetchMaxBytes);
    const results = await log.fetch(ranges, { ...options, maxBytes });
    const bytes = results.reduce((sum, { records }) => sum + bytesOf(records), 0);
    meter.logBytes += bytes;
    await pay(bytes, metered);
    return results;
  };
  return new Proxy(log, {
    get(target, property) {
      if (property === 'fetch') return fetch;
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function meteredSnapshots(snapshots: SnapshotStore, metered: MeteredPorts<PortsRead>): SnapshotStore {
  return {
    async read(name, range) {
      const bytes = await snapshots.read(name, range);
      metered.meter.snapshotBytes += bytes?.length ?? 0;
      await pay(bytes?.length ?? 0, metered);
      return bytes;
    },
    list: (prefix, options) => snapshots.list(prefix, options),
    create: (name, bytes) => snapshots.create(name, bytes),
    remove: (name) => snapshots.remove(name),
  };
}

async function pay(bytes: number, { ports, pace, meter, signal }: MeteredPorts<PortsRead>): Promise<void> {
  if (pace === null || bytes === 0) return;
  const { clock } = ports.host;
  const nowMs = clock.monotonic();
  const waitMs = Math.min(pace.spend(bytes, nowMs), meter.hurryAtMs - nowMs);
  if (waitMs <= 0 || signal.aborted) return;
  try {
    await clock.sleep(waitMs, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    meter.throttledMs += clock.monotonic() - nowMs;
  }
}

/** Bytes of records as they were written; on their way they may have been compressed. */
export function bytesOf({ size, keyStarts, keyEnds, valueStarts, valueEnds }: RecordSet): number {
  let bytes = size * RECORD_OVERHEAD_BYTES;
  for (let index = 0; index < size; index += 1) {
    const keyStart = keyStarts[index] as number;
    const valueStart = valueStarts[index] as number;
    if (keyStart >= 0) bytes += (keyEnds[index] as number) - keyStart;
    if (valueStart >= 0) bytes += (valueEnds[index] as number) - valueStart;
  }
  return bytes;
}
