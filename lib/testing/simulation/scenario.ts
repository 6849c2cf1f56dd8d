/**
 * One run of the simulation as data: the same scenario takes the same course. `generateScenario` makes one from a seed, the
 * shrinker takes parts of it away, and what is left is printed.
 */
import type { SettingsInput } from '../../model/settings.js';
import type { Fault } from './faults/fault-data.js';

export interface ScenarioInput {
  /** Virtual milliseconds after the start of the run at which the record is appended. */
  readonly atMs: number;
  /** Name on the broker. */
  readonly topic: string;
  readonly partition: number;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  /** Of the record: virtual wall clock, milliseconds since the epoch. */
  readonly timestampMs: number;
}

export interface Scenario {
  /** Of all that is chance while it runs: latencies, ids, what the platform does first. */
  readonly seed: number;
  /** Members wanted at the start. */
  readonly members: number;
  /** Whether the scheduler decides how many are wanted, from none to these. Absent: it does not. */
  readonly elastic?: boolean;
  /** Over the application's own. */
  readonly settings: SettingsInput;
  /** Longest time of one invocation of the task function, in milliseconds. Lambda: `timeout`. */
  readonly taskTimeoutMs: number;
  /** Whether an event source mapping tells the task function of new input. Absent: the schedule alone finds it. */
  readonly doorbells?: boolean;
  /** In order of time. */
  readonly inputs: readonly ScenarioInput[];
  readonly faults: readonly Fault[];
  /** When nothing goes wrong any more, in virtual milliseconds: later than the last input. */
  readonly calmAtMs: number;
}
