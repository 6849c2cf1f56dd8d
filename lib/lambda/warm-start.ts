/** What an execution environment makes with its first invocation and keeps: the application as set here, and its ports. */

import { isExpired } from '../invoke/decode-payload.js';
import type { Payload } from '../invoke/payloads.js';
import { InvalidPayloadError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import { appInEnvironment, type Environment } from './environment.js';
import type { FunctionPorts } from './invocation.js';
import { once } from './once.js';
import { type PortsFactory, portsFromEnvironment } from './ports-from-environment.js';

/** What every handler factory takes. */
export interface HandlerOptions {
  /** Makes the ports, once per execution environment; default: those that MILLRACE_PORTS names. */
  readonly ports?: PortsFactory;
  /** Default: the process's environment variables. */
  readonly environment?: Environment;
}

export interface Warm {
  readonly app: StreamsApp;
  readonly ports: FunctionPorts;
  readonly environment: Environment;
}

/** A function that answers the same application and ports whenever it is called; errors are not kept. */
export function warmStart(app: StreamsApp, options: HandlerOptions): () => Promise<Warm> {
  return once(async () => {
    const environment = options.environment ?? process.env;
    const here = appInEnvironment(app, environment);
    return { app: here, ports: await (options.ports ?? portsFromEnvironment)(environment, here), environment };
  });
}

/**
 * Whether a payload is to be acted on: one that came too late is logged and ignored.
 *
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD if it is for another application
 */
export function isForNow(payload: Payload, { app, ports: { host } }: Warm): boolean {
  const { type, applicationId, expiresAtMs } = payload;
  if (applicationId !== app.applicationId) {
    throw new InvalidPayloadError(`the payload is for '${applicationId}', this function runs '${app.applicationId}'`);
  }
  const nowMs = host.clock.now();
  if (!isExpired(payload, nowMs)) return true;
  host.logger.warn('payload-expired', { type, expiresAtMs, lateMs: nowMs - expiresAtMs });
  return false;
}
