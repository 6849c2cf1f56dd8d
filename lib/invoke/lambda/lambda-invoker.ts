/**
 * Functions as Lambda functions, invoked asynchronously: Lambda queues the event, and answers before the function runs.
 *
 * The client repeats what was throttled or lost, a few times; a repeated request can start a function twice, which the port
 * allows. What Lambda refuses in the end is STREAMS_UNAVAILABLE whatever the reason: the sender asks again later, and the
 * message says why (a missing permission, a missing function, no concurrency left).
 */
import { InvokeCommand, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';
import type { Host } from '../../host/host.js';
import { InvalidPayloadError, InvalidSettingError, UnavailableError } from '../../model/errors.js';
import type { Invoker } from '../invoker.js';
import type { FunctionName, PayloadOf } from '../payloads.js';

/** What an asynchronous event may have, in bytes of its JSON: what every region and every emulator of Lambda takes. */
export const MAX_PAYLOAD_BYTES = 256 * 1_024;

/** Attempts of the client at one request, unless its configuration says otherwise; it waits between them, with jitter. */
const MAX_ATTEMPTS = 4;
const CONNECT_TIMEOUT_MS = 1_000;
/** Lambda queues an event within milliseconds; a scheduler must not wait long for what it can ask again. */
const REQUEST_TIMEOUT_MS = 3_000;
/** Lambda's answer to an event that it has queued. */
const ACCEPTED = 202;

export interface LambdaInvokerOptions {
  /** Names or ARNs of the functions, or what stands before `task`, `standby` and `scheduler` in their names. */
  readonly functionNames: string | Readonly<Record<FunctionName, string>>;
  /** A client to share; else one is made. */
  readonly client?: LambdaClient;
  /** For the client that is made. */
  readonly clientConfig?: LambdaClientConfig;
  /** Hears of each function that was started, with the request id by which Lambda knows the invocation. */
  readonly host: Pick<Host, 'logger' | 'metrics'>;
}

/**
 * Makes the invoker; nothing is asked of Lambda before the first invocation.
 *
 * `invoke` throws: {UnavailableError} STREAMS_UNAVAILABLE if the request was refused or its fate is unknown ·
 * {InvalidPayloadError} STREAMS_INVALID_PAYLOAD, before anything is sent, if the payload is larger than Lambda takes.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if a function has no name
 */
export function createLambdaInvoker(options: LambdaInvokerOptions): Invoker {
  const { functionNames, host } = options;
  const nameOf = (target: FunctionName): string =>
    typeof functionNames === 'string' ? functionNames + target : functionNames[target];
  for (const target of ['task', 'standby', 'scheduler'] as const)
    if (nameOf(target) === '') throw new InvalidSettingError(`Lambda option functionNames: '${target}' has no name`);
  const client = options.client ?? clientOf(options.clientConfig ?? {});

  return {
    async invoke(target, payload) {
      const name = nameOf(target);
      const event = encode(target, payload);
      const requestId = await send(client, name, event);
      host.logger.info('function-invoked', { function: name, type: payload.type, requestId });
      host.metrics.count('functions-invoked', 1, { function: target });
    },
  };
}

function clientOf(config: LambdaClientConfig): LambdaClient {
  return new LambdaClient({
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...config,
  });
}

function encode<F extends FunctionName>(target: F, payload: PayloadOf[F]): Uint8Array {
  const event = Buffer.from(JSON.stringify(payload));
  if (event.length <= MAX_PAYLOAD_BYTES) return event;
  throw new InvalidPayloadError(`${event.length} bytes are too many for an invocation of ${target}`, {
    details: { target, type: payload.type, bytes: event.length, maxBytes: MAX_PAYLOAD_BYTES },
    remedy: 'Name fewer tasks or partitions in one payload.',
  });
}

/** @returns the request id of the invocation, as Lambda's context and failure records have it */
async function send(client: LambdaClient, name: string, event: Uint8Array): Promise<string | undefined> {
  const details: Record<string, unknown> = { function: name };
  let status: number | undefined;
  let requestId: string | undefined;
  try {
    const answer = await client.send(
      new InvokeCommand({ FunctionName: name, InvocationType: 'Event', Payload: event }),
    );
    status = answer.StatusCode;
    requestId = answer.$metadata.requestId;
  } catch (cause) {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new UnavailableError(`function ${name} was not started: ${reason}`, { cause, details });
  }
  if (status !== ACCEPTED)
    throw new UnavailableError(`function ${name} was not queued`, { details: { ...details, status } });
  return requestId;
}
