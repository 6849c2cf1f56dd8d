/** The query function: one key of one store, as of what is committed now, over HTTP. */
import { asStreamsError, InvalidSettingError, QueryRefusedError, type StreamsError } from '../model/errors.js';
import { QueryService } from '../query/query-service.js';
import type { StreamsApp } from '../topology/app.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { errorResponse, type HttpResponse, jsonResponse } from './http-response.js';
import { duringInvocation } from './invocation.js';
import type { LambdaContext } from './lambda-context.js';
import { once } from './once.js';
import { decodeQueryEvent } from './query-event.js';
import { parseQueryKey } from './query-key.js';
import { type HandlerOptions, type Warm, warmStart } from './warm-start.js';

export interface QueryHandlerOptions extends HandlerOptions {
  /** Stores that may be read; default: none. Any other is answered with 403, whether or not it exists. */
  readonly stores?: readonly string[];
}

/**
 * Makes the handler of the query function: `GET /stores/{store}/{key}` at a function URL (docs/architecture.md has the
 * answers). Errors are answers too; the handler throws only what keeps ports from being made (STREAMS_INVALID_SETTING).
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if a named store is not in the topology
 * @example export const handler = createQueryHandler(app, { stores: ['counts'] });
 */
export function createQueryHandler(app: StreamsApp, options: QueryHandlerOptions = {}) {
  const specs = readableStores(app, options.stores ?? []);
  const warm = warmStart(app, options);
  const service = once(async () => new QueryService(await warm()));

  const answer = async (event: unknown, context: LambdaContext): Promise<HttpResponse> => {
    const { store, keyText } = decodeQueryEvent(event);
    const spec = specs.get(store);
    if (spec === undefined) return errorResponse(notReadable(store), 403);
    const key = parseQueryKey(store, spec.keySerde, keyText);
    const { ports } = await warm();
    const { found, value, asOf } = await duringInvocation(ports, context, async () =>
      (await service()).get(store, key),
    );
    return jsonResponse(found ? 200 : 404, { store, key, value, asOf });
  };

  return async (event: unknown, context: LambdaContext): Promise<HttpResponse> => {
    try {
      return await answer(event, context);
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (!isOfRequest(error)) report(error, await warm());
      return errorResponse(error);
    }
  };
}

function readableStores(app: StreamsApp, names: readonly string[]): ReadonlyMap<string, StoreSpec> {
  const specs = new Map<string, StoreSpec>();
  for (const name of names) {
    const spec = app.topology.stores.get(name);
    if (spec === undefined) {
      throw new InvalidSettingError(`stores: '${name}' is no store of the topology`, {
        details: { name, known: [...app.topology.stores.keys()] },
        remedy: "Name stores of the topology in the query handler's `stores`.",
      });
    }
    specs.set(name, spec);
  }
  return specs;
}

function notReadable(store: string): QueryRefusedError {
  return new QueryRefusedError(`store '${store}' may not be read here`, {
    remedy: "Name the store in the query handler's `stores`, if it may be read.",
  });
}

/** Whether asking otherwise would help: then the answer says all, and nothing is logged. */
function isOfRequest({ code }: StreamsError): boolean {
  return code === 'STREAMS_QUERY_REFUSED' || code === 'STREAMS_INVALID_PAYLOAD';
}

/** Logs what the answer does not say. */
function report({ code, message, details, cause }: StreamsError, { ports }: Warm): void {
  ports.host.logger.error('query-failed', { code, message, details, cause: String(cause ?? '') });
}
