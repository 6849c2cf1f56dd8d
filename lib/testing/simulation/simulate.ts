/**
 * A user's application in the simulated cloud: whole deployments of it, in virtual time, under faults, from seeds.
 *
 * Scheduler, task, standby and query functions are the ones that are deployed, on the embedded log, tables and snapshots. One
 * seed is one run: which input arrives when, what goes wrong, how long each call takes. The same seed takes the same course.
 */
import { lookUpTopic } from '../../serde/lookups.js';
import { createChance } from './chance.js';
import { aimAtServices } from './door/aim-faults.js';
import { askedPart } from './door/asked-part.js';
import { refuseUncompared } from './door/comparisons.js';
import { encodeInputs } from './door/encode-inputs.js';
import { explainFailure } from './door/explain-failure.js';
import { checkFunctions, type GivenOptions, resolveOptions } from './door/resolve-options.js';
import type { SimulatedApp, SimulationOptions } from './door/simulation-options.js';
import { type SimulationReport, Tally } from './door/tally.js';
import { comparisonsOf, runAndCompare, startReference, type UserSubject } from './door/user-run.js';
import { generateScenario, type ScenarioPlan } from './generate-scenario.js';
import { partOf } from './scenario-part.js';

/**
 * Runs an application under faults, once for each seed, and compares what it has come to with what it comes to without: outputs
 * as readers of committed records see them, stores, committed offsets, and whatever `check` says.
 *
 * Processors run unchanged. Give a function instead of an application where processors keep something or call something: it is
 * called for each execution environment, as a module is imported at each cold start, and is handed what is outside of it.
 * Nothing in user code may wait for a timer of the machine: `sleep` of the environment waits in virtual time.
 *
 * @returns what was tried
 * @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED at the first seed that fails, with the smallest scenario found, its
 *   timeline (`details.timeline`), and as `cause` what `check` or a stopped task's code threw; where a run comes to a standstill
 *   because user code waits for the machine; with `strict`, where something is not compared · {InvalidSettingError} STREAMS_INVALID_SETTING · {UnknownTopicError} STREAMS_UNKNOWN_TOPIC ·
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
  checkFunctions(options as unknown as GivenOptions);
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
  const tally = new Tally(resolved.seeds);
  for (const seed of resolved.seeds) {
    const drawn = generateScenario(plan, seed);
    const decided = await comparisonsOf(user, drawn);
    if (resolved.isStrict) refuseUncompared(decided, seed);
    const whole = aimAtServices(drawn, resolved.kinds, decided.remoteCalls.total);
    const part = askedPart(whole, resolved.part);
    const scenario = partOf(whole, part);
    const { run, comparisons } = await runAndCompare(user, scenario, decided);
    if (resolved.isStrict) refuseUncompared(comparisons, seed);
    if (run.violations.length > 0) throw await explainFailure(user, { scenario, part, comparisons, run });
    tally.add(scenario, comparisons, run);
  }
  return tally.report();
}
