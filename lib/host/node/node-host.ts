import type { Host, Logger, Random } from '../host.js';
import { createMetricsRegistry, type MetricsRegistry } from '../metrics-registry.js';
import { createJsonLinesLogger } from './json-lines-logger.js';
import { createNodeCodec } from './node-codec.js';
import { createNodeDigest } from './node-digest.js';
import { createNodeRandom } from './node-random.js';
import { createSystemClock } from './system-clock.js';

export interface NodeHostOptions {
  /** Default: JSON lines from `info` up, to the standard error stream. */
  readonly logger?: Logger;
  /** Default: the operating system's randomness. */
  readonly random?: Random;
  /** Whether compression may work on other threads; default true. False in virtual time. */
  readonly threads?: boolean;
}

/** A host whose metrics can be read back. */
export interface NodeHost extends Host {
  readonly metrics: MetricsRegistry;
}

/** The machine that we run on: its clock, its randomness, its compression. */
export function createNodeHost(options: NodeHostOptions = {}): NodeHost {
  return {
    clock: createSystemClock(),
    random: options.random ?? createNodeRandom(),
    logger: options.logger ?? createJsonLinesLogger(),
    metrics: createMetricsRegistry(),
    codec: createNodeCodec(options.threads),
    digest: createNodeDigest(),
  };
}
