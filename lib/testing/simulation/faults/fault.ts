/**
 * Faults as data, and the kinds that make and work them.
 *
 * A fault is a JSON value in a scenario. Its kind draws it from chance when the scenario is made, and turns it into an
 * {@link ActiveFault} when the scenario is run: an object that the ports and the platform ask at each step. A fault that came
 * to nothing (its moment never came) has not fired and is not counted.
 */
import type { Chance } from '../chance.js';
import type { Cloud } from '../cloud.js';
import type { ActiveFault } from './active-fault.js';
import type { Fault } from './fault-data.js';

export type { ActiveFault } from './active-fault.js';
export type { Fault } from './fault-data.js';

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
