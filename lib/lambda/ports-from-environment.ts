/**
 * Which adapters a deployed function runs on: MILLRACE_PORTS names a set of them.
 *
 * A new set is one more row of PORT_SETS; the handler factories only know `FunctionPorts`.
 */
import { InvalidSettingError } from '../model/errors.js';
import type { StreamsApp } from '../topology/app.js';
import { awsPorts } from './aws-ports.js';
import { embeddedPorts } from './embedded-ports.js';
import type { Environment } from './environment.js';
import type { FunctionPorts } from './invocation.js';

/** Makes the ports of one execution environment. */
export type PortsFactory = (environment: Environment, app: StreamsApp) => Promise<FunctionPorts>;

const PORT_SETS: Readonly<Record<string, PortsFactory>> = { aws: awsPorts, embedded: embeddedPorts };

/**
 * The ports that MILLRACE_PORTS names.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it is not set or names no known set
 */
export async function portsFromEnvironment(environment: Environment, app: StreamsApp): Promise<FunctionPorts> {
  const name = environment.MILLRACE_PORTS;
  const known = Object.keys(PORT_SETS);
  const make = name !== undefined && Object.hasOwn(PORT_SETS, name) ? PORT_SETS[name] : undefined;
  if (make === undefined) {
    throw new InvalidSettingError(`MILLRACE_PORTS: ${name === undefined ? 'nothing' : `'${name}'`} was given`, {
      details: { name, known },
      remedy: `Set MILLRACE_PORTS to one of: ${known.join(', ')}; or give the handler \`options.ports\`.`,
    });
  }
  return make(environment, app);
}
