/** What is watched in every run. A checker says what is wrong in words; nothing said means nothing wrong. */
import type { Cloud } from '../cloud.js';
import type { Subject } from '../subject.js';
import type { Witness } from '../witness.js';

export interface Checker {
  /** Unique, in kebab-case: what holds, e.g. `one-effective-writer`. Printed with each violation. */
  readonly name: string;
  /** Begins to watch a run. */
  watch(run: CheckedRun): WatchedRun;
}

export interface CheckedRun {
  readonly cloud: Cloud;
  readonly subject: Subject;
  readonly witness: Witness;
  /** Says that something is wrong; the run goes on. */
  readonly wrong: (what: string) => void;
}

/** Hooks of a checker in one run; each is optional. It hears of effects and entries by `cloud.listen` and `timeline.listen`. */
export interface WatchedRun {
  /** Every {@link SAMPLE_INTERVAL_MS} of virtual time while the run lasts. */
  sample?(): Promise<void>;
  /** When all input is processed, nothing goes wrong any more, and members still run or sleep. May let time pass. */
  settled?(): Promise<void>;
  /** When every process has ended. */
  ended?(): Promise<void>;
}

/** Virtual milliseconds between two samples. */
export const SAMPLE_INTERVAL_MS = 500;
