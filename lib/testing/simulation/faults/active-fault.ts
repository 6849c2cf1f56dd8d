import type { Delivery, Invocation } from '../function-platform.js';
import type { PortCall } from '../simulated-ports.js';
import type { SimulatedProcess } from '../simulated-process.js';

/** A fault at work in one run. Each hook is optional. */
export interface ActiveFault {
  /** When the run begins: the place to wait for a moment (`cloud.inBackground`). */
  begin?(): void;
  /** Before a call of a process takes effect: wait, throw, freeze or kill the process. */
  before?(call: PortCall): Promise<void> | undefined;
  /** After it took effect and before the process hears of it. */
  after?(call: PortCall, answer: unknown): Promise<void> | undefined;
  /** What the process hears instead of the answer, or undefined for the answer; asked after every `after`. */
  answer?(call: PortCall, answer: unknown): Promise<unknown> | undefined;
  /** When an asynchronous invocation is accepted: how it is delivered instead, or undefined for as it would be. */
  delivery?(invocation: Invocation): readonly Delivery[] | undefined;
  /** When an execution environment starts. */
  environment?(process: SimulatedProcess): void;
  /** When nothing is to go wrong any more: mends what would last. */
  calm?(): void;
  /** Milliseconds that an invocation is given, or undefined for the function's own time-out. */
  timeoutMs?(invocation: Invocation): number | undefined;
}
