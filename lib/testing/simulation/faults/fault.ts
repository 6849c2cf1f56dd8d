/**
 * Faults as data, and the kinds that make and work them.
 *
 * A fault is a JSON value in a scenario. Its kind draws it from chance when the scenario is made, and turns it into an
 * {@link ActiveFault} when the scenario is run: an object that the ports and the platform ask at each step. A fault that came
 * to nothing (its moment never came) has not fired and is not counted.
 */
import type { Chance } from '../chance.js';
import type { Cloud } from '../cloud.js';
import type { Delivery, Invocation } from '../function-platform.js';
import type { PortCall } from '../simulated-ports.js';
import type { SimulatedProcess } from '../simulated-process.js';

export interface Fault {
  readonly kind: string;
  /** What the kind has drawn: times in virtual milliseconds, counts from 0. */
  readonly [parameter: string]: string | number | boolean;
}

/** What a kind may know of the scenario it makes a fault for. */
export interface ScenarioSize {
  /** Virtual time during which input arrives and faults begin, in milliseconds. */
  readonly activeMs: number;
  readonly members: number;
  readonly sessionTimeoutMs: number;
  readonly transactionTimeoutMs: number;
  /** Names on the broker. */
  readonly sourceTopics: readonly string[];
}

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

export interface FaultKind {
  /** Unique, in kebab-case. */
  readonly kind: string;
  /** What it does to the system, in one sentence. */
  readonly about: string;
  /** How often it is drawn, compared with others. Absent: 1. */
  readonly weight?: number;
  /**
   * What is damaged so that results can not be exact, and what the product has to say of it; what one fault of the kind has
   * damaged in a run is in `cloud.harms`. Absent: nothing, results must be exact.
   */
  readonly harms?: string;
  make(chance: Chance, size: ScenarioSize): Fault;
  /** @param fired to be called when it takes effect, with what there is to say */
  activate(fault: Fault, cloud: Cloud, fired: (details?: Readonly<Record<string, unknown>>) => void): ActiveFault;
}
