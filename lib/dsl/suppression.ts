/** What a suppression waits for, and how much it may hold back meanwhile. Kafka: `Suppressed`, `BufferConfig`. */
import { type Duration, durationMs } from '../model/duration.js';
import { TopologyError } from '../model/errors.js';
import { expectOptions } from '../topology/expect-options.js';

/** How much may be held back; absent: any amount. Kafka: `BufferConfig.maxRecords`, `maxBytes`. */
export interface BufferLimits {
  /** Keys that are held at most. */
  readonly maxRecords?: number;
  /** Bytes that their keys, values and headers come to at most. */
  readonly maxBytes?: number;
}

/** What becomes of a buffer that is full. Kafka: `BufferFullStrategy`. */
export type WhenFull =
  /** What has waited longest is given out before its time. */
  | 'emitEarly'
  /** The task stops with STREAMS_SUPPRESSION_FULL. */
  | 'shutDown';

/** Made by {@link untilTimeLimit}. */
export interface TimeLimit {
  readonly until: 'timeLimit';
  readonly limitMs: number;
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly whenFull: WhenFull;
}

/** Made by {@link untilWindowCloses}. */
export interface WindowClosing {
  readonly until: 'windowCloses';
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly whenFull: 'shutDown';
}

const BUFFER = ['maxRecords', 'maxBytes', 'whenFull'];

export type Suppression = TimeLimit | WindowClosing;

/**
 * Holds the results of a window back until it has closed, so that there is one final result for each. Kafka:
 * `Suppressed.untilWindowCloses`.
 *
 * A window has closed when stream time has passed its end and its grace (for sessions also their gap). A buffer that is full stops the
 * task: what were given out early would not be final.
 *
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for a limit that is no whole number from 0
 */
export function untilWindowCloses(buffer: BufferLimits & { readonly whenFull?: 'shutDown' } = {}): WindowClosing {
  const { whenFull = 'shutDown' } = expectOptions('untilWindowCloses', buffer, BUFFER);
  if (whenFull !== 'shutDown') {
    throw new TopologyError('untilWindowCloses may give nothing out early: it would not be final', {
      details: { whenFull },
      remedy: "Leave whenFull out, or say 'shutDown'.",
    });
  }
  return { until: 'windowCloses', ...limitsOf(buffer), whenFull };
}

/**
 * Holds updates of a row back until `limit` has passed since the first of them, by stream time, so that only the last one goes on.
 * Kafka: `Suppressed.untilTimeLimit`.
 *
 * @param buffer how much may be held; when it is full, what has waited longest is given out early, unless `whenFull` says to stop
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for no duration · {TopologyError} STREAMS_INVALID_TOPOLOGY for no limit
 */
export function untilTimeLimit(
  limit: Duration,
  buffer: BufferLimits & { readonly whenFull?: WhenFull } = {},
): TimeLimit {
  const { whenFull = 'emitEarly' } = expectOptions('untilTimeLimit', buffer, BUFFER);
  if (whenFull !== 'emitEarly' && whenFull !== 'shutDown')
    throw new TopologyError(`a full buffer can not '${String(whenFull)}'`, { details: { whenFull } });
  return { until: 'timeLimit', limitMs: durationMs(limit, 'untilTimeLimit'), ...limitsOf(buffer), whenFull };
}

function limitsOf({ maxRecords, maxBytes }: BufferLimits): { readonly maxRecords: number; readonly maxBytes: number } {
  return { maxRecords: limitOf('maxRecords', maxRecords), maxBytes: limitOf('maxBytes', maxBytes) };
}

function limitOf(name: string, limit: number | undefined): number {
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (Number.isSafeInteger(limit) && limit >= 0) return limit;
  throw new TopologyError(`${name} of a suppression must be a whole number from 0, not ${limit}`, {
    details: { [name]: limit },
  });
}
