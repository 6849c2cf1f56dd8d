/** What `simulate` is given. */
import type { SettingsInput } from '../../../model/settings.js';
import type { Serde } from '../../../serde/serde.js';
import type { StreamsApp } from '../../../topology/app.js';
import type { Chance } from '../chance.js';
import type { OutputComparison } from '../subject.js';
import type { SimulatedRun } from './simulated-run.js';
import type { SimulationFault } from './simulation-faults.js';

/** A record that arrives in the course of a run. */
export interface SimulatedInput<K, V> {
  readonly key: K | null;
  readonly value: V | null;
  /** Default: by key, as Kafka's producers do; a record without key goes by its value. */
  readonly partition?: number;
  /** Whole milliseconds since the epoch, from 0 on; default: the moment at which it arrives, on the virtual wall clock. */
  readonly timestampMs?: number;
}

/** The records of one topic: the same for all seeds, or drawn from the chance of each. */
export type SimulatedInputs<K, V> =
  | readonly SimulatedInput<K, V>[]
  | ((chance: Chance) => readonly SimulatedInput<K, V>[]);

/** Serdes and records by topic; the types of the records are those of the serdes. */
export type InputTopics<K, V> = { readonly [T in keyof K]: { readonly key: Serde<K[T]> } } & {
  readonly [T in keyof V]: { readonly value: Serde<V[T]> };
} & RecordsByTopic<NoInfer<K>, NoInfer<V>>;

type RecordsByTopic<K, V> = {
  readonly [T in keyof K & keyof V]: {
    /** Default 3; at most 256. */
    readonly partitions?: number;
    /** In the order in which they arrive; records of different topics arrive in any order. */
    readonly records: SimulatedInputs<K[T], V[T]>;
  };
};

/** A range of whole numbers, both ends inclusive, or one number. */
export type Amount = number | readonly [least: number, most: number];

/** Which seeds to run: how many, from 1 on; or from where on; or each by name. */
export type Seeds = number | { readonly from: number; readonly count: number } | readonly number[];

/**
 * A part of one seed's scenario, as a failure prints it: which of its faults and inputs, by number from 0 (`3`, `0-4,7`, both
 * ends inclusive; `''`: none; absent: all), and how many members at the start.
 */
export interface SimulatedPart {
  readonly faults?: string;
  readonly inputs?: string;
  readonly members?: number;
}

/**
 * The world around the application in one run: what {@link SimulationOptions.outside} is handed, and, with more to it, each
 * execution environment. Fakes of services take their time (`sleep`), their clock (`nowMs`) and their whims (`chance`) from it,
 * so that the same seed takes the same course; `isReference` lets them leave out whims where results are made to compare with.
 */
export interface SimulatedWorld {
  readonly seed: number;
  /** Whether this run has no faults: it tells what the results should be. */
  readonly isReference: boolean;
  /** Chance of this run for what is outside; the same for the same seed. */
  readonly chance: Chance;
  /** Virtual wall clock, in milliseconds since the epoch. */
  nowMs(): number;
  /** Waits in virtual time. What user code waits for must end by this: timers of the machine are not part of the run. */
  sleep(ms: number): Promise<void>;
}

/** One execution environment: a function's process with the memory that it has from its cold start to its death. */
export interface SimulatedEnvironment<Outside> extends SimulatedWorld {
  /** Unique within the run, such as `task#3`. */
  readonly name: string;
  /** What is outside of every process of this run, from {@link SimulationOptions.outside}. */
  readonly outside: Outside;
  /**
   * A service as this process reaches it: over a network. Calls take time, and the process may die or stand still before a
   * call has arrived, or after it and before the answer. Its methods answer promises.
   */
  remote<S extends object>(service: S): Remote<S>;
}

/** A service whose methods all answer promises. */
export type Remote<S> = {
  readonly [M in keyof S]: S[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : S[M];
};

/** An application, or what makes the one of each execution environment, as importing its module does at a cold start. */
export type SimulatedApp<Outside> = StreamsApp | ((environment: SimulatedEnvironment<Outside>) => StreamsApp);

/** How the records of an output topic are compared with the reference's; `auto` finds out what the input decides. */
export type SimulatedComparison = OutputComparison | 'auto';

export interface SimulationOptions<K, V, Outside> {
  /** By topic. Each must be read by the application; topics that it reads and that are not named stay empty. */
  readonly inputs: InputTopics<K, V>;
  /**
   * Partitions of topics that the application reads or writes and that have no input. Default: as many as the input topic that
   * has most. Topics whose names the application makes from records must be here.
   */
  readonly topics?: Readonly<Record<string, number>>;
  /** Kinds of faults to draw from. Default: all that the product makes good without loss; none: `[]`. */
  readonly faults?: readonly SimulationFault[];
  /** Faults of each run. Default `[3, 6]`; at most 100. */
  readonly faultsPerRun?: Amount;
  /** Default 20. A seed is one run: input, faults, latencies and the order of all that happens at once. */
  readonly seeds?: Seeds;
  /** Members (task functions that run at once) at the start. Default `[1, 3]`; at most 64. */
  readonly members?: Amount;
  /** By output topic. Default: `auto`. At least once, repeats are allowed. */
  readonly outputs?: Readonly<Record<string, SimulatedComparison>>;
  /** By store: `none` leaves its content out. Default: `auto`, which compares it where the input decides it, under exactly once. */
  readonly stores?: Readonly<Record<string, 'auto' | 'none'>>;
  /** Whether to reject where a topic or store is left out of the comparison without being told to. Default false. */
  readonly strict?: boolean;
  /** Over the application's own, and over the quick beats of a simulation (commits every 100 ms, …). */
  readonly settings?: SettingsInput;
  /**
   * Makes what is outside of the processes of one run: fakes of services, ledgers. Called anew for each run. For its type to be
   * inferred, a parameter needs its own: `(world: SimulatedWorld) => …`.
   */
  readonly outside?: (world: SimulatedWorld) => Outside;
  /**
   * What else must hold when all input is processed and every process has ended. Throw (or `expect`) to say that it does not;
   * `false` says so as well.
   * A promise is waited for; it may read stores, and wait for nothing else.
   */
  readonly check?: (run: SimulatedRun<NoInfer<K>, NoInfer<V>, NoInfer<Outside>>) => unknown;
  /** Runs a part of one seed: what a failure was made smaller to. Needs one seed in `seeds`. */
  readonly part?: SimulatedPart;
  /**
   * Runs that may be spent on making a failing scenario smaller. Default 100; 0: none. One that fails without faults as well is
   * not made smaller.
   */
  readonly shrinkRuns?: number;
}
