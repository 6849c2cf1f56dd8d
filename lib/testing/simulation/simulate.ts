/**
 * A user's application in the simulated cloud: whole deployments of it, in virtual time, under faults, from seeds.
 *
 * Scheduler, task, standby and query functions are the ones that are deployed, on the embedded log, tables and snapshots. One
 * seed is one run: which input arrives when, what goes wrong, how long each call takes. The same seed takes the same course.
 */
import { SimulationFailedError } from '../../model/errors.js';
import { lookUpTopic } from '../../serde/lookups.js';
import { createChance } from './chance.js';
import { describeFailure } from './door/describe-failure.js';
import { encodeInputs } from './door/encode-inputs.js';
import { type GivenOptions, type ResolvedOptions, resolveOptions } from './door/resolve-options.js';
import type { SimulatedApp, SimulationOptions } from './door/simulation-options.js';
import {
  type Comparisons,
  comparisonsOf,
  OWN_CHECKER,
  runUserScenario,
  startReference,
  type UserScenarioRun,
  type UserSubject,
} from './door/user-run.js';
import { generateScenario, type ScenarioPlan } from './generate-scenario.js';
import type { Scenario } from './scenario.js';
import { shrinkScenario } from './shrink.js';
import type { OutputComparison } from './subject.js';

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
  /** By seed; the same for runs that took the same course. */
  readonly digests: Readonly<Record<number, string>>;
}

/** From the weakest on. */
const BY_WEAKNESS: readonly OutputComparison[] = ['none', 'last', 'multiset', 'sequence'];

/**
 * Runs an application under faults, once for each seed, and compares what it has come to with what it comes to without: outputs
 * as readers of committed records see them, stores, committed offsets, and whatever `check` says.
 *
 * Processors run unchanged. Give a function instead of an application where processors keep something or call something: it is
 * called for each execution environment, as a module is imported at each cold start, and is handed what is outside of it.
 * Nothing in user code may wait for a timer of the machine: `sleep` of the environment waits in virtual time.
 *
 * @returns what was tried
 * @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED at the first seed that fails, with the smallest scenario found; its
 *   `cause` is what `check` threw · {InvalidSettingError} STREAMS_INVALID_SETTING · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC ·
 *   {SerializationError} STREAMS_SERIALIZATION_FAILED before anything runs · {ProcessingError} STREAMS_PROCESSING_FAILED if user
 *   code throws where nothing goes wrong
 * @example
 * await simulate(({ outside, remote }) => chargesApp(remote(outside.payments)), {
 *   inputs: { orders: { key: string(), value: json<Order>(), records: (chance) => someOrders(chance, 50) } },
 *   outside: () => ({ payments: new FakePayments() }),
 *   seeds: 50,
 *   check: ({ outside, inputs }) => expect(outside.payments.charges).toHaveLength(inputs('orders').length),
 * });
 */
export async function simulate<K extends object, V extends object, Outside = undefined>(
  app: SimulatedApp<NoInfer<Outside>>,
  options: SimulationOptions<K, V, Outside>,
): Promise<SimulationReport> {
  const { check, outside } = options;
  const start = { app: app as SimulatedApp<unknown>, outside: outside ?? (() => undefined) };
  const shape = startReference(start, 0).app;
  const resolved = resolveOptions(shape, options as unknown as GivenOptions);
  const user: UserSubject<unknown> = { ...start, options: resolved, check: check as UserSubject<unknown>['check'] };
  const plan: ScenarioPlan = {
    subject: { app: shape, topics: resolved.topics, outputs: {} },
    inputs: (chance) => encodeInputs(resolved.inputs, chance),
    kinds: resolved.kinds,
    faults: resolved.faultsPerRun,
    members: resolved.members,
    settings: () => resolved.settings,
  };
  for (const [topic, serdes] of resolved.inputs) await lookUpTopic(topic, serdes);
  encodeInputs(resolved.inputs, createChance(resolved.seeds[0] ?? 0, 'inputs'));
  const tally = new Tally(resolved);
  for (const seed of resolved.seeds) {
    const scenario = generateScenario(plan, seed);
    const comparisons = await comparisonsOf(user, scenario);
    const run = await runUserScenario(user, scenario, comparisons);
    if (run.violations.length > 0) throw await failed(user, { scenario, comparisons, run });
    tally.add(scenario, comparisons, run);
  }
  return tally.report();
}

interface FailedRun {
  readonly scenario: Scenario;
  readonly comparisons: Comparisons;
  readonly run: UserScenarioRun;
}

/** Makes the scenario smaller while the same checker finds it wrong, and says what is left. */
async function failed(
  user: UserSubject<unknown>,
  { scenario, comparisons, run }: FailedRun,
): Promise<SimulationFailedError> {
  const checker = run.violations[0]?.checker ?? '';
  const violates = ({ violations }: UserScenarioRun) => violations.find((one) => one.checker === checker);
  /** A user's check may count on all of the input: what it says of a part counts only if it is content without faults. */
  const holdsWithoutFaults = async (smaller: Scenario) =>
    smaller.faults.length > 0 &&
    violates(await runUserScenario(user, { ...smaller, faults: [] }, comparisons)) === undefined;
  let smallest = run;
  const shrunk = await shrinkScenario({
    scenario,
    runsMost: user.options.shrinkRuns,
    fails: async (smaller) => {
      const again = await runUserScenario(user, smaller, comparisons);
      if (violates(again) === undefined) return false;
      const hasLessInput = smaller.inputs.length < scenario.inputs.length;
      if (checker === OWN_CHECKER && hasLessInput && !(await holdsWithoutFaults(smaller))) return false;
      smallest = again;
      return true;
    },
  });
  const message = describeFailure({
    app: startReference(user, scenario.seed).app,
    inputs: user.options.inputs,
    checker,
    what: violates(smallest)?.what ?? '',
    scenario: shrunk.scenario,
    timeline: smallest.timeline,
    shrinkRuns: shrunk.runs,
  });
  const { thrown } = smallest;
  const details = { seed: scenario.seed, checker };
  return new SimulationFailedError(message, { details, ...(thrown === undefined ? {} : { cause: thrown }) });
}

class Tally {
  private readonly options: ResolvedOptions;
  private readonly faults = new Map<string, number>();
  private readonly outputs = new Map<string, OutputComparison>();
  private readonly digests = new Map<number, string>();
  private records = 0;
  private virtualMs = 0;

  constructor(options: ResolvedOptions) {
    this.options = options;
  }

  add({ seed, inputs, faults }: Scenario, { outputs }: Comparisons, run: UserScenarioRun): void {
    for (const { kind } of faults) this.faults.set(kind, this.faults.get(kind) ?? 0);
    for (const [kind, times] of run.faultsFired) this.faults.set(kind, (this.faults.get(kind) ?? 0) + times);
    for (const [topic, comparison] of Object.entries(outputs)) this.outputs.set(topic, this.weaker(topic, comparison));
    this.digests.set(seed, run.digest);
    this.records += inputs.length;
    this.virtualMs += run.lastedMs;
  }

  report(): SimulationReport {
    return {
      seeds: this.options.seeds,
      faults: Object.fromEntries(this.faults),
      records: this.records,
      virtualMs: this.virtualMs,
      outputs: Object.fromEntries(this.outputs),
      digests: Object.fromEntries(this.digests),
    };
  }

  private weaker(topic: string, comparison: OutputComparison): OutputComparison {
    const before = this.outputs.get(topic) ?? comparison;
    return BY_WEAKNESS.indexOf(comparison) < BY_WEAKNESS.indexOf(before) ? comparison : before;
  }
}
