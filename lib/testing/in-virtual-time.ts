/** Runs a program in time that passes only when nobody has anything left to do. */
import type { Host, Logger } from '../host/host.js';
import { createJsonLinesLogger } from '../host/node/json-lines-logger.js';
import { createNodeHost } from '../host/node/node-host.js';
import { createChance } from './simulation/chance.js';
import { VirtualTime } from './simulation/virtual-time.js';

export interface VirtualTimeOptions {
  /** Of all that is chance. Default 1. */
  readonly seed?: number;
  /** Default: errors, to the standard error stream. */
  readonly logger?: Logger;
}

/**
 * Runs a program on a host of virtual time and seeded chance, for `LocalStreams.start({ host })`: hours take moments, and the same
 * program takes the same course each time.
 *
 * Whatever the program waits for has to be on the host's clock or in this process's memory: timers, requests and files of this machine are
 * not seen, so an embedded log in memory, and no `dir`.
 *
 * @param program gets the host, whose clock it sleeps on
 * @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED if nobody will ever wake up again · what the program throws
 */
export function inVirtualTime<T>(program: (host: Host) => Promise<T>, options: VirtualTimeOptions = {}): Promise<T> {
  const time = new VirtualTime();
  const { next, id } = createChance(options.seed ?? 1, 'virtual time');
  const logger = options.logger ?? createJsonLinesLogger({ level: 'error' });
  return time.run(program({ ...createNodeHost({ random: { next, id }, logger, threads: false }), clock: time.clock }));
}
