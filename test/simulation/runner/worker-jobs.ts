/** What the runner asks of a worker process, and what it answers. */

import type { FaultEffect, Violation } from '../../../lib/testing/simulation/run-scenario.js';
import type { StoredScenario } from '../../../lib/testing/simulation/scenario-json.js';
import type { ScenarioPart } from '../../../lib/testing/simulation/scenario-part.js';

export interface Job {
  /**
   * `run` tells what came of it · `show` gives the timeline too · `shrink` makes what fails smaller and shows what is left.
   */
  readonly type: 'run' | 'show' | 'shrink';
  readonly seed: number;
  /** What of the seed's scenario is run; absent: all. */
  readonly part?: ScenarioPart;
}

/** By name; names that are missing did not happen. */
export type Counts = Readonly<Record<string, number>>;

export interface SeedResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  /** The same for runs that took the same course. */
  readonly digest: string;
  /** Virtual milliseconds. */
  readonly lastedMs: number;
  readonly faultsDrawn: Counts;
  readonly faultsFired: Counts;
  /** Of leases and slots. */
  readonly transitions: Counts;
  /** Entries of the timeline by the name of the event. */
  readonly events: Counts;
  /** For `show` and `shrink`. */
  readonly shown?: ShownRun;
}

export interface ShownRun {
  readonly part: ScenarioPart;
  /** Runs that the shrinking took. */
  readonly runs: number;
  /** Each fault in words. */
  readonly faults: readonly string[];
  /** Which of them took effect, by their place in that list. */
  readonly effects: readonly FaultEffect[];
  readonly timeline: readonly string[];
  readonly scenario: StoredScenario;
}

export type Answer =
  | { readonly ok: true; readonly result: SeedResult }
  | { readonly ok: false; readonly error: string };
