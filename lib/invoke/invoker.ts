import type { FunctionName, PayloadOf } from './payloads.js';

/** The port to the other functions. Adapters: `memory/` (in process), `lambda/`. */
export interface Invoker {
  /**
   * Starts a function and returns when the request was accepted; the function may run later, twice, or not at all.
   *
   * @throws {UnavailableError} STREAMS_UNAVAILABLE if the request was refused or its fate is unknown
   */
  invoke<F extends FunctionName>(target: F, payload: PayloadOf[F]): Promise<void>;
}
