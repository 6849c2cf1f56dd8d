/** One run of one scenario of a user's application: fresh outsides, an application for each process, and the user's own check. */

import { InternalError, SimulationFailedError, UnknownTopicError } from '../../../model/errors.js';
import { resolveSettings, type SettingsInput } from '../../../model/settings.js';
import { messageOf } from '../../../model/thrown.js';
import type { StreamsApp } from '../../../topology/app.js';
import { matchTopics } from '../../../topology/topic-patterns.js';
import type { Checker } from '../checkers/checker.js';
import { offsetsEqualReference } from '../checkers/offsets-equal-reference.js';
import { outputsEqualReference } from '../checkers/outputs-equal-reference.js';
import { stateEqualsChangelog } from '../checkers/state-equals-changelog.js';
import { storesEqualReference } from '../checkers/stores-equal-reference.js';
import type { Cloud } from '../cloud.js';
import { type ReferenceOrder, type ReferenceUpdates, referenceOf } from '../reference.js';
import { runScenario, type ScenarioRun } from '../run-scenario.js';
import type { Scenario, ScenarioInput } from '../scenario.js';
import type { Subject } from '../subject.js';
import { SubjectMap } from '../subject-map.js';
import { VirtualTime } from '../virtual-time.js';
import type { Witness } from '../witness.js';
import { areSame, type Comparisons, compareReferences, weakerOf } from './comparisons.js';
import { DecodedResults, decodeRecords } from './decoded-results.js';
import {
  createWorld,
  makeOutside,
  processEnvironment,
  referenceEnvironment,
  startApp,
  timelessClock,
} from './environment.js';
import { refuseWhatVaries } from './function-of-input.js';
import { DOUBTED_ORDERS, DRAWN_ORDERS, hasCaches, type MakeReference, othersOf } from './references.js';
import { RemoteCalls } from './remote-calls.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { SimulatedRun } from './simulated-run.js';
import type { SimulatedApp, SimulatedWorld } from './simulation-options.js';
import { TASKS_GO_ON, tasksGoOn } from './tasks-go-on.js';
import { contentsOfReference, contentsOfRun } from './topic-contents.js';

/** What an application's results are held to. How the product comes by them is watched in the product's own simulation. */
const RESULT_CHECKERS: readonly Checker[] = [
  outputsEqualReference,
  storesEqualReference,
  stateEqualsChangelog,
  offsetsEqualReference,
];

/** Checkers that hold a run to what its input decides. */
const BY_REFERENCE: ReadonlySet<string> = new Set([outputsEqualReference.name, storesEqualReference.name]);

/** Name of the checker that asks the user's own check. */
export const OWN_CHECKER = 'check';

export interface UserSubject<Outside> {
  readonly app: SimulatedApp<Outside>;
  readonly options: ResolvedOptions;
  readonly outside: (world: SimulatedWorld) => Outside;
  readonly check: ((run: SimulatedRun<Topics, Topics, Outside>) => unknown) | undefined;
}

type Topics = Readonly<Record<string, unknown>>;

export interface UserScenarioRun extends ScenarioRun {
  /** What the user's code has thrown, by the checker that found it: its check, or a task that stopped. */
  readonly thrown: ReadonlyMap<string, unknown>;
  readonly remoteCalls: RemoteCalls;
}

/**
 * How the results of a scenario can be compared.
 *
 * @param drawn how many orders of arrival are drawn, to find out what the input decides
 * @throws {ProcessingError} STREAMS_PROCESSING_FAILED if user code throws though nothing goes wrong · {SimulationFailedError}
 *   STREAMS_SIMULATION_FAILED if it makes one thing now and another then of the same input in the same order
 */
export async function comparisonsOf<Outside>(
  user: UserSubject<Outside>,
  scenario: Scenario,
  drawn: number = DRAWN_ORDERS,
): Promise<Comparisons> {
  const { seed } = scenario;
  const { options } = user;
  const made = (order: ReferenceOrder, updates: ReferenceUpdates) =>
    makeReference(user, { seed, inputs: scenario.inputs, settings: scenario.settings, order, updates });
  const { map, calls, reference: natural } = await made('natural', 'every');
  const { reference: second } = await made('natural', 'every');
  refuseWhatVaries({ seed, map, options, first: natural, second });
  const last = hasCaches(map) ? (await made('natural', 'last')).reference : null;
  const make: MakeReference = async (order, updates) => (await made(order, updates)).reference;
  const others = await othersOf(make, { seed, drawn, last });
  return compareReferences(options, { map, natural, last: last ?? natural, others }, calls);
}

/** A run, and how it was compared in the end. */
export interface ComparedRun {
  readonly run: UserScenarioRun;
  readonly comparisons: Comparisons;
}

/**
 * Runs a scenario. Where its results differ from the reference's it is asked once more, of many more orders of arrival, what its
 * input decides: what holds by that is no failure.
 */
export async function runAndCompare<Outside>(
  user: UserSubject<Outside>,
  scenario: Scenario,
  comparisons: Comparisons,
): Promise<ComparedRun> {
  const run = await runUserScenario(user, scenario, comparisons);
  if (!run.violations.some(({ checker }) => BY_REFERENCE.has(checker))) return { run, comparisons };
  const doubted = weakerOf(comparisons, await comparisonsOf(user, scenario, DOUBTED_ORDERS));
  if (areSame(doubted, comparisons)) return { run, comparisons };
  return { run: await runUserScenario(user, scenario, doubted), comparisons: doubted };
}

export async function runUserScenario<Outside>(
  user: UserSubject<Outside>,
  scenario: Scenario,
  comparisons: Comparisons,
): Promise<UserScenarioRun> {
  const running = new UserRun(user, scenario, comparisons);
  const goOn = tasksGoOn((cause) => running.noteThrown(TASKS_GO_ON, cause));
  try {
    const run = await runScenario(running.subject, scenario, [...RESULT_CHECKERS, goOn, running.checker]);
    return { ...run, thrown: running.thrown, remoteCalls: running.calls };
  } catch (error) {
    throw ofSeed(error, scenario.seed);
  }
}

/** An error that ends a run before its checkers, with the seed that shows it again. */
function ofSeed(error: unknown, seed: number): unknown {
  if (!(error instanceof SimulationFailedError)) return error;
  const { message, remedy, details } = error;
  return new SimulationFailedError(
    `simulate: with seed ${seed}, ${message}. ${remedy} To run it again: simulate(app, { …, seeds: [${seed}] })`,
    { cause: error, remedy, details: { ...details, seed, checker: 'the-run-itself' } },
  );
}

/** The application of a reference, with an outside of its own. */
export function startReference<Outside>(
  { app, outside }: Pick<UserSubject<Outside>, 'app' | 'outside'>,
  seed: number,
): { readonly app: StreamsApp; readonly outside: Outside; readonly calls: RemoteCalls } {
  const world = referenceWorld({ outside }, seed);
  return { app: startApp(app, world.environment), outside: world.outside, calls: world.calls };
}

function referenceWorld<Outside>({ outside }: Pick<UserSubject<Outside>, 'outside'>, seed: number) {
  const world = createWorld(seed, timelessClock(new VirtualTime().clock.now()), true);
  const made = makeOutside(outside, world);
  const calls = new RemoteCalls();
  return { environment: referenceEnvironment(world, made, calls), outside: made, calls };
}

interface ReferenceInput {
  readonly seed: number;
  readonly inputs: readonly ScenarioInput[];
  /** Of the scenario: over the application's own. */
  readonly settings: SettingsInput;
  readonly order: ReferenceOrder;
  readonly updates: ReferenceUpdates;
  readonly offsetOf?: (input: ScenarioInput) => number | undefined;
}

/** One reference with an outside of its own, and an application for each of its tasks, as each may run in a process of its own. */
async function makeReference<Outside>(user: UserSubject<Outside>, given: ReferenceInput) {
  const { seed, inputs, order, updates, offsetOf } = given;
  const { environment, outside, calls } = referenceWorld(user, seed);
  const createApp = () => matchTopics(startApp(user.app, environment), Object.keys(user.options.topics));
  const shape = startApp(user.app, environment);
  const app = { ...shape, settings: resolveSettings({ ...shape.settings, ...given.settings }) };
  const map = new SubjectMap({ app, topics: user.options.topics });
  const nowMs = new VirtualTime().clock.now();
  const options = { updates, nowMs, order, createApp, ...(offsetOf === undefined ? {} : { offsetOf }) };
  return { app, outside, calls, map, reference: await referenceOf(map, inputs, options) };
}

class UserRun<Outside> {
  readonly subject: Subject;
  readonly checker: Checker;
  readonly thrown = new Map<string, unknown>();
  readonly calls = new RemoteCalls();
  private readonly user: UserSubject<Outside>;
  private surroundings: { readonly cloud: Cloud; readonly world: SimulatedWorld; readonly outside: Outside } | null =
    null;

  constructor(user: UserSubject<Outside>, { seed }: Scenario, comparisons: Comparisons) {
    this.user = user;
    this.subject = {
      app: startReference(user, seed).app,
      topics: user.options.topics,
      outputs: Object.fromEntries([...comparisons.topics].map(([topic, { comparison }]) => [topic, comparison])),
      comparedParts: Object.fromEntries([...comparisons.topics].map(([topic, { parts }]) => [topic, parts])),
      beginReference: () => this.referenceApps(seed),
      storesWithoutOrigins: [...comparisons.stores].flatMap(([store, { hasOrigins }]) => (hasOrigins ? [] : [store])),
      incomparableStores: [...comparisons.stores].flatMap(([store, { comparison }]) =>
        comparison === 'none' ? [store] : [],
      ),
      createApp: (process) => {
        const { cloud, world, outside } = this.around();
        return startApp(user.app, processEnvironment(world, outside, { process, cloud, calls: this.calls }));
      },
    };
    this.checker = {
      name: OWN_CHECKER,
      watch: ({ cloud, witness, wrong }) => {
        const world = createWorld(seed, cloud.time.clock, false);
        this.surroundings = { cloud, world, outside: makeOutside(user.outside, world) };
        witness.transactions.listen(({ process, producer, offsets }) => {
          const upTo = Object.fromEntries([...offsets].map(([input, { nextOffset }]) => [input, nextOffset]));
          cloud.timeline.add(process, 'transaction-committed', { of: producer.transactionalId, upTo });
        });
        return { ended: () => this.check(witness, wrong) };
      },
    };
  }

  /** Those of one reference share what is outside. */
  private referenceApps(seed: number): () => StreamsApp {
    const { environment } = referenceWorld(this.user, seed);
    return () => matchTopics(startApp(this.user.app, environment), Object.keys(this.user.options.topics));
  }

  /** The first that user code threw. */
  noteThrown(checker: string, thrown: unknown): void {
    if (!this.thrown.has(checker)) this.thrown.set(checker, thrown);
  }

  private async check(witness: Witness, wrong: (what: string) => void): Promise<void> {
    const { check } = this.user;
    if (check === undefined) return;
    try {
      const answer: unknown = await check(await this.results(witness));
      if (answer === false) wrong('check answered false: let it throw, or `expect`, to say what is wrong');
    } catch (thrown) {
      this.noteThrown(OWN_CHECKER, thrown);
      wrong(messageOf(thrown));
    }
  }

  private async results(witness: Witness): Promise<SimulatedRun<Topics, Topics, Outside>> {
    const { cloud, outside } = this.around();
    const { inputs } = cloud;
    const { seed } = cloud.scenario;
    const contents = contentsOfRun(witness, inputs);
    const results = new DecodedResults(this.subject.app, contents, outside);
    const expected = await makeReference(this.user, {
      ...{ seed, inputs, settings: cloud.scenario.settings, order: 'natural', updates: 'every' },
      offsetOf: (input) => cloud.offsetOf(input),
    });
    return {
      seed,
      outside,
      outputs: results.outputs.bind(results),
      stores: results.stores.bind(results),
      inputs: (topic) => {
        const serdes = this.user.options.inputs.get(topic);
        if (serdes === undefined) throw unknownInput(topic, [...this.user.options.inputs.keys()]);
        return decodeRecords(topic, contents.get(topic) ?? [], serdes);
      },
      reference: new DecodedResults(
        expected.app,
        contentsOfReference(expected.reference, { map: witness.map, inputs }),
        expected.outside,
      ),
    };
  }

  private around() {
    if (this.surroundings === null) throw new InternalError('a process starts before its run is watched');
    return this.surroundings;
  }
}

function unknownInput(topic: string, known: readonly string[]): UnknownTopicError {
  return new UnknownTopicError(`topic '${topic}' has no inputs; there are those of ${known.join(', ')}`, {
    details: { topic, known },
    remedy: 'Name one of them, or read what the application has written by `outputs`.',
  });
}
