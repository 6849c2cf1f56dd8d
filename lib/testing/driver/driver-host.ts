import type { Host, LogFields, Logger } from '../../host/host.js';
import { createNodeCodec } from '../../host/node/node-codec.js';
import { createNodeDigest } from '../../host/node/node-digest.js';
import { createSystemClock } from '../../host/node/system-clock.js';
import type { DroppedRecord } from '../../task/task-output.js';

import { DriverSleep } from './driver-sleep.js';

/** Digits of an identifier (Random.id). */
const ID_DIGITS = 16;

/** The host of a test driver: its wall clock stands still until the test moves it, and identifiers count up. */
export interface DriverHost extends Host {
  nowMs: number;
  /** How operators wait for what they have called. */
  readonly waits: DriverSleep;
  /** Records that did not go through, by reason: those of global stores are only logged. */
  readonly dropped: Map<DroppedRecord['reason'], number>;
}

/** Sleeping moves the monotonic clock alone: whoever waits for something that can not come gives up at once. */
export function createDriverHost(nowMs: number): DriverHost {
  const dropped = new Map<DroppedRecord['reason'], number>();
  let elapsedMs = 0;
  let ids = 0;
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: (event, fields) => countDropped(dropped, event, fields),
    error: () => undefined,
    child: () => logger,
  };
  const host: DriverHost = {
    nowMs,
    waits: new DriverSleep(() => host.nowMs, createSystemClock()),
    dropped,
    clock: {
      now: () => host.nowMs,
      monotonic: () => elapsedMs,
      sleep: async (ms) => {
        elapsedMs += ms;
      },
    },
    random: {
      next: () => 0,
      id: () => {
        ids += 1;
        return ids.toString(16).padStart(ID_DIGITS, '0');
      },
    },
    logger,
    metrics: { count: () => undefined, gauge: () => undefined },
    codec: createNodeCodec(false),
    digest: createNodeDigest(),
  };
  return host;
}

/** An engine says what it dropped in a line of its log. */
function countDropped(dropped: DriverHost['dropped'], event: string, fields: LogFields = {}): void {
  if (event !== 'records-dropped') return;
  const { reason, count } = fields as unknown as DroppedRecord;
  dropped.set(reason, (dropped.get(reason) ?? 0) + count);
}
