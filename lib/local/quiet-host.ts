import { createJsonLinesLogger } from '../host/node/json-lines-logger.js';
import { createNodeHost, type NodeHost } from '../host/node/node-host.js';

/** This machine, logging warnings and errors to the standard error stream. */
export function quietHost(): NodeHost {
  return createNodeHost({ logger: createJsonLinesLogger({ level: 'warn' }) });
}
