/** The query function: one key of one store, as of what is committed now, over HTTP. */
import { createJsonLinesLogger } from '../host/node/json-lines-logger.js';
import {
  asStreamsError,
  InvalidSettingError,
  QueryRefusedError,
  type StreamsError,
  UnavailableError,
} from '../model/errors.js';
import { QueryService } from '../query/query-service.js';
import type { StreamsApp } from '../topology/app.js';
import type { StoreSpec } from '../topology/store-spec.js';
import { errorResponse, type HttpResponse, jsonResponse } from './http-response.js';
import { duringInvocation } from './invocation.js';
import { deadlineOf, type LambdaContext } from './lambda-context.js';
import { once } from './once.js';
import { decodeQueryEvent } from './query-event.js';
import { parseQueryKey } from './query-key.js';
import { type HandlerOptions, type Warm, warmStart } from './warm-start.js';

/** Between the last moment at which an answer may come and Lambda's end, which would be an answer without words. */
const ANSWER_MARGIN_MS = 1_000;

export interface QueryHandlerOptions extends HandlerOptions {
  /** Stores that may be read; default: none. Any other is answered with 403, whether or not it exists. */
  readonly stores?: readonly string[];
}

/**
 * Makes the handler of the query function: `GET /stores/{store}/{key}` at a function URL (docs/architecture.md has the
 * answers). Errors are answers too, what takes longer than the function may run among them (STREAMS_UNAVAILABLE). The handler
 * throws only what keeps ports from being made until somebody changes something (STREAMS_INVALID_SETTING).
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if a named store is not in the topology
 * @example export const handler = createQueryHandler(app, { stores: ['counts'] });
 */
export function createQueryHandler(app: StreamsApp, options: QueryHandlerOptions = {}) {
  const specs = readableStores(app, options.stores ?? []);
  const warm = warmStart(app, options);
  const service = once(async () => new QueryService(await warm()));
  let here: Warm | null = null;

  const answer = async (event: unknown, context: LambdaContext): Promise<HttpResponse> => {
    const { store, keyText } = decodeQueryEvent(event);
    const spec = specs.get(store);
    if (spec === undefined) return errorResponse(notReadable(store), 403);
    const key = parseQueryKey(store, spec.keySerde, keyText);
    here = await warm();
    const { found, value, asOf } = await duringInvocation(here.ports, context, async () =>
      (await service()).get(store, key),
    );
    return jsonResponse(found ? 200 : 404, { store, key, value, asOf });
  };

  return async (event: unknown, context: LambdaContext): Promise<HttpResponse> => {
    try {
      return await inTime(answer(event, context), context);
    } catch (thrown) {
      const error = asStreamsError(thrown);
      if (isOfRequest(error)) return errorResponse(error);
      if (here === null && error.kind !== 'transient') throw thrown;
      report(error, here);
      return errorResponse(error);
    }
  };
}

function readableStores(app: StreamsApp, names: readonly string[]): ReadonlyMap<string, StoreSpec> {
  const specs = new Map<string, StoreSpec>();
  for (const name of names) {
    const spec = app.topology.stores.get(name);
    if (spec === undefined) {
      const known = [...app.topology.stores.keys()];
      const has = known.length === 0 ? 'It has none' : `It has ${known.map((one) => `'${one}'`).join(', ')}`;
      throw new InvalidSettingError(`stores: '${name}' is no store of the topology`, {
        details: { name, known },
        remedy: `${has}: name those that may be read in the query handler's \`stores\` (functions/app.ts: \`queryStores\`).`,
      });
    }
    specs.set(name, spec);
  }
  return specs;
}

function notReadable(store: string): QueryRefusedError {
  return new QueryRefusedError(`store '${store}' may not be read here`, {
    remedy: "Name the store in the query handler's `stores` (functions/app.ts: `queryStores`), if it may be read.",
  });
}

/** Whether asking otherwise would help: then the answer says all, and nothing is logged. */
function isOfRequest({ code }: StreamsError): boolean {
  return code === 'STREAMS_QUERY_REFUSED' || code === 'STREAMS_INVALID_PAYLOAD';
}

/**
 * The answer, or an error before Lambda ends the invocation. What was begun goes on when the execution environment is next used,
 * and the next question finds it further.
 */
async function inTime(answer: Promise<HttpResponse>, context: LambdaContext): Promise<HttpResponse> {
  const leftMs = deadlineOf(context, 0, ANSWER_MARGIN_MS);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new UnavailableError(`there was no answer within ${leftMs} ms`, { details: { leftMs } });
    timer = setTimeout(() => reject(error), leftMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Logs what the answer does not say; where the ports could not be made, plainly. */
function report({ code, message, details, cause }: StreamsError, here: Warm | null): void {
  const logger = here?.ports.host.logger ?? createJsonLinesLogger();
  logger.error('query-failed', { code, message, details, cause: String(cause ?? '') });
}
