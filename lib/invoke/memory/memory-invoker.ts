/**
 * Functions in the same process. An invocation is handed over on a later turn of the clock, never inside `invoke`, so that a
 * caller can't come to depend on what the function does; what the function throws goes to `onFailure`, never to the caller.
 */
import type { Clock } from '../../host/host.js';
import { InternalError, UnavailableError } from '../../model/errors.js';
import { decodePayload } from '../decode-payload.js';
import type { Invoker } from '../invoker.js';
import type { FunctionName, Payload, PayloadOf } from '../payloads.js';

/** Invocations accepted and not yet finished, unless told otherwise; more are refused, as a throttled Lambda refuses. */
export const DEFAULT_MAX_IN_FLIGHT = 1_000;

export interface MemoryInvokerOptions {
  /** Gives the turns; a virtual one makes deliveries part of a simulation. */
  readonly clock: Pick<Clock, 'sleep'>;
  readonly maxInFlight?: number;
  /** Told of each invocation whose function threw; what AWS would send to a failure destination. Must not throw. */
  readonly onFailure?: (failure: InvocationFailure) => void;
}

export interface InvocationFailure {
  readonly target: FunctionName;
  readonly payload: Payload;
  readonly error: unknown;
}

export interface MemoryInvoker extends Invoker {
  /** Says what runs when a function is invoked; once for each name. */
  register<F extends FunctionName>(target: F, run: (payload: PayloadOf[F]) => Promise<unknown>): void;
  /** Resolves when no invocation is in flight. */
  idle(): Promise<void>;
  /** Refuses new invocations and waits for those in flight. May be called twice. */
  close(): Promise<void>;
}

/** Makes an invoker without functions. */
export function createMemoryInvoker(options: MemoryInvokerOptions): MemoryInvoker {
  const { clock, maxInFlight = DEFAULT_MAX_IN_FLIGHT, onFailure } = options;
  const functions = new Map<FunctionName, (payload: unknown) => Promise<unknown>>();
  const inFlight = new Set<Promise<void>>();
  let isClosed = false;

  async function deliver<F extends FunctionName>(target: F, payload: PayloadOf[F]): Promise<void> {
    try {
      await clock.sleep(0);
      const run = functions.get(target);
      if (run === undefined) throw new InternalError(`no function '${target}' is registered`, { details: { target } });
      await run(payload);
    } catch (error) {
      onFailure?.({ target, payload, error });
    }
  }

  async function idle(): Promise<void> {
    while (inFlight.size > 0) await Promise.all(inFlight); // ends when functions stop invoking each other
  }

  return {
    register(target, run) {
      if (functions.has(target)) {
        throw new InternalError(`function '${target}' is registered twice`, { details: { target } });
      }
      functions.set(target, (payload) => run(decodePayload(target, payload)));
    },

    async invoke(target, payload) {
      if (isClosed) throw new UnavailableError('the invoker is closed', { details: { target } });
      if (inFlight.size >= maxInFlight) {
        throw new UnavailableError(`${maxInFlight} invocations are in flight`, { details: { target, maxInFlight } });
      }
      // Through text and back, as between two real functions: what JSON loses is lost here as well.
      const delivery = deliver(target, JSON.parse(JSON.stringify(payload))).finally(() => inFlight.delete(delivery));
      inFlight.add(delivery);
    },

    idle,

    async close() {
      isClosed = true;
      await idle();
    },
  };
}
