/** What the seeds of one call came to, added up. */
import type { Scenario } from '../scenario.js';
import type { OutputComparison } from '../subject.js';
import type { Comparisons, StoreComparison } from './comparisons.js';
import type { UserScenarioRun } from './user-run.js';

/** What a call of `simulate` has tried, all of it without a failure. */
export interface SimulationReport {
  readonly seeds: readonly number[];
  /** Times that each kind of fault took effect, over all seeds; kinds that were drawn and never took effect are there with 0. */
  readonly faults: Readonly<Record<string, number>>;
  /** Input records over all seeds. */
  readonly records: number;
  /** Virtual milliseconds over all seeds. */
  readonly virtualMs: number;
  /** How each output topic was compared: the weakest comparison of all seeds. */
  readonly outputs: Readonly<Record<string, OutputComparison>>;
  /** Whether each store was compared: `none` if it was not in one seed at least. */
  readonly stores: Readonly<Record<string, StoreComparison>>;
  /** Why a topic or store was compared more weakly than it could be: on which key two references disagree, or what forbids it. */
  readonly why: {
    readonly outputs: Readonly<Record<string, string>>;
    readonly stores: Readonly<Record<string, string>>;
  };
  /** Calls of services by `remote`, over all seeds. */
  readonly remote: {
    readonly calls: number;
    /**
     * Calls beyond those that a run without faults makes: how often a record was processed again after a service had been
     * called for it. 0 says that nothing was tried of what happens then. What wall-clock timers call counts as well.
     */
    readonly repeated: number;
  };
  /** By seed; the same for runs that took the same course. */
  readonly digests: Readonly<Record<number, string>>;
}

/** From the weakest on. */
const BY_WEAKNESS: readonly (OutputComparison | StoreComparison)[] = [
  'none',
  'last',
  'multiset',
  'sequence',
  'content',
];

export class Tally {
  private readonly seeds: readonly number[];
  private readonly faults = new Map<string, number>();
  private readonly outputs = new Map<string, OutputComparison>();
  private readonly stores = new Map<string, StoreComparison>();
  private readonly whyOutputs = new Map<string, string>();
  private readonly whyStores = new Map<string, string>();
  private readonly digests = new Map<number, string>();
  private records = 0;
  private virtualMs = 0;
  private calls = 0;
  private repeated = 0;

  constructor(seeds: readonly number[]) {
    this.seeds = seeds;
  }

  add({ seed, inputs, faults }: Scenario, comparisons: Comparisons, run: UserScenarioRun): void {
    for (const { kind } of faults) this.faults.set(kind, this.faults.get(kind) ?? 0);
    for (const [kind, times] of run.faultsFired) this.faults.set(kind, (this.faults.get(kind) ?? 0) + times);
    for (const [topic, { comparison, why }] of comparisons.topics)
      weakest(this.outputs, this.whyOutputs, topic, { comparison, why });
    for (const [store, { comparison, why }] of comparisons.stores)
      weakest(this.stores, this.whyStores, store, { comparison, why });
    this.digests.set(seed, run.digest);
    this.records += inputs.length;
    this.virtualMs += run.lastedMs;
    this.calls += run.remoteCalls.total;
    this.repeated += run.remoteCalls.beyond(comparisons.remoteCalls);
  }

  report(): SimulationReport {
    return {
      seeds: this.seeds,
      faults: Object.fromEntries(this.faults),
      records: this.records,
      virtualMs: this.virtualMs,
      outputs: Object.fromEntries(this.outputs),
      stores: Object.fromEntries(this.stores),
      why: { outputs: Object.fromEntries(this.whyOutputs), stores: Object.fromEntries(this.whyStores) },
      remote: { calls: this.calls, repeated: this.repeated },
      digests: Object.fromEntries(this.digests),
    };
  }
}

function weakest<C extends OutputComparison | StoreComparison>(
  all: Map<string, C>,
  reasons: Map<string, string>,
  name: string,
  { comparison, why }: { readonly comparison: C; readonly why: string | null },
): void {
  const before = all.get(name);
  if (before !== undefined && BY_WEAKNESS.indexOf(before) <= BY_WEAKNESS.indexOf(comparison)) return;
  all.set(name, comparison);
  if (why !== null) reasons.set(name, why);
}
