import { type Duration, durationMs } from '../model/duration.js';
import { TopologyError } from '../model/errors.js';
import { messageOf } from '../model/thrown.js';

/**
 * Where a source starts that has no committed offsets. Kafka: `AutoOffsetReset`.
 *
 * `earliest`, `latest` · `none`: nowhere, the task fails until offsets were committed by hand · `{ byDuration }`: at the first record that is
 * no older than that, by the wall clock of the start (KIP-1106)
 */
export type OffsetReset = 'earliest' | 'latest' | 'none' | { readonly byDuration: Duration };

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming the source */
export function checkOffsetReset(reset: unknown, node: string): void {
  if (reset === 'earliest' || reset === 'latest' || reset === 'none') return;
  const duration = typeof reset === 'object' && reset !== null ? (reset as { byDuration?: unknown }).byDuration : null;
  if (typeof duration === 'number' || typeof duration === 'string') {
    expectDuration(duration as Duration, node);
    return;
  }
  throw new TopologyError(`source '${node}': its offsetReset is none of earliest, latest, none, { byDuration }`, {
    details: { node, offsetReset: reset },
  });
}

function expectDuration(duration: Duration, node: string): void {
  try {
    durationMs(duration, 'byDuration');
  } catch (cause) {
    const why = messageOf(cause);
    throw new TopologyError(`source '${node}': ${why}`, { cause, details: { node, byDuration: duration } });
  }
}

/** Whether two sources would start alike. */
export function isSameReset(one: OffsetReset | undefined, other: OffsetReset | undefined): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return one === other;
  return durationMs(one.byDuration, 'byDuration') === durationMs(other.byDuration, 'byDuration');
}
