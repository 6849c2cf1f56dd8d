/** One run of one scenario of a user's application: fresh outsides, an application for each process, and the user's own check. */
import { InternalError, SimulationFailedError, UnknownTopicError } from '../../../model/errors.js';
import type { StreamsApp } from '../../../topology/app.js';
import type { Checker } from '../checkers/checker.js';
import { offsetsEqualReference } from '../checkers/offsets-equal-reference.js';
import { outputsEqualReference } from '../checkers/outputs-equal-reference.js';
import { stateEqualsChangelog } from '../checkers/state-equals-changelog.js';
import { storesEqualReference } from '../checkers/stores-equal-reference.js';
import type { Cloud } from '../cloud.js';
import { type ReferenceOrder, referenceOf } from '../reference.js';
import { runScenario, type ScenarioRun } from '../run-scenario.js';
import type { Scenario, ScenarioInput } from '../scenario.js';
import type { Subject } from '../subject.js';
import { SubjectMap } from '../subject-map.js';
import { VirtualTime } from '../virtual-time.js';
import type { Witness } from '../witness.js';
import { type Comparisons, compareReferences } from './comparisons.js';
import { DecodedResults, decodeRecords } from './decoded-results.js';
import {
  createWorld,
  makeOutside,
  processEnvironment,
  referenceEnvironment,
  startApp,
  timelessClock,
} from './environment.js';
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
 * @throws {ProcessingError} STREAMS_PROCESSING_FAILED if user code throws though nothing goes wrong
 */
export async function comparisonsOf<Outside>(user: UserSubject<Outside>, scenario: Scenario): Promise<Comparisons> {
  const { seed, inputs } = scenario;
  const { app, map, calls, reference: natural } = await runReference(user, { seed, inputs, order: 'natural' });
  const { reference: contrary } = await runReference(user, { seed, inputs, order: 'contrary' });
  return compareReferences({ app, options: user.options, map, natural, contrary, remoteCalls: calls });
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
  const world = createWorld(seed, timelessClock(new VirtualTime().clock.now()), true);
  const made = makeOutside(outside, world);
  const calls = new RemoteCalls();
  return { app: startApp(app, referenceEnvironment(world, made, calls)), outside: made, calls };
}

interface ReferenceInput {
  readonly seed: number;
  readonly inputs: readonly ScenarioInput[];
  readonly order: ReferenceOrder;
}

async function runReference<Outside>(user: UserSubject<Outside>, { seed, inputs, order }: ReferenceInput) {
  const { app, outside, calls } = startReference(user, seed);
  const map = new SubjectMap({ app, topics: user.options.topics });
  const nowMs = new VirtualTime().clock.now();
  return { app, outside, calls, map, reference: await referenceOf(map, inputs, { updates: 'every', nowMs, order }) };
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
      wrong(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  private async results(witness: Witness): Promise<SimulatedRun<Topics, Topics, Outside>> {
    const { cloud, outside } = this.around();
    const { inputs } = cloud;
    const { seed } = cloud.scenario;
    const contents = contentsOfRun(witness, inputs);
    const results = new DecodedResults(this.subject.app, contents, outside);
    const expected = await runReference(this.user, { seed, inputs, order: 'natural' });
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
