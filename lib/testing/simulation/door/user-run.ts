/** One run of one scenario of a user's application: fresh outsides, an application for each process, and the user's own check. */
import { InternalError, UnknownTopicError } from '../../../model/errors.js';
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
import type { OutputComparison, Subject } from '../subject.js';
import { SubjectMap } from '../subject-map.js';
import { VirtualTime } from '../virtual-time.js';
import type { Witness } from '../witness.js';
import { strictestAgreement, undecidedStores } from './decided-by-input.js';
import { DecodedResults, decodeRecords } from './decoded-results.js';
import { createWorld, processEnvironment, referenceEnvironment, startApp, timelessClock } from './environment.js';
import type { ResolvedOptions } from './resolve-options.js';
import type { SimulatedRun } from './simulated-run.js';
import type { SimulatedApp, SimulatedWorld } from './simulation-options.js';
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

/** How the results of a scenario are compared. */
export interface Comparisons {
  readonly outputs: Readonly<Record<string, OutputComparison>>;
  readonly incomparableStores: readonly string[];
}

export interface UserScenarioRun extends ScenarioRun {
  /** What the user's check threw; undefined: nothing. */
  readonly thrown: unknown;
}

/**
 * How the results of a scenario can be compared.
 *
 * @throws {ProcessingError} STREAMS_PROCESSING_FAILED if user code throws though nothing goes wrong
 */
export async function comparisonsOf<Outside>(user: UserSubject<Outside>, scenario: Scenario): Promise<Comparisons> {
  const { seed, inputs } = scenario;
  const { map, reference: natural } = await runReference(user, { seed, inputs, order: 'natural' });
  const { reference: contrary } = await runReference(user, { seed, inputs, order: 'contrary' });
  const outputs = [...user.options.outputs].map(([topic, comparison]) => {
    return [topic, comparison === 'auto' ? strictestAgreement(topic, natural, contrary) : comparison] as const;
  });
  return { outputs: Object.fromEntries(outputs), incomparableStores: undecidedStores(map, natural, contrary) };
}

export async function runUserScenario<Outside>(
  user: UserSubject<Outside>,
  scenario: Scenario,
  comparisons: Comparisons,
): Promise<UserScenarioRun> {
  const running = new UserRun(user, scenario, comparisons);
  const run = await runScenario(running.subject, scenario, [...RESULT_CHECKERS, running.checker]);
  return { ...run, thrown: running.thrown };
}

/** The application of a reference, with an outside of its own. */
export function startReference<Outside>(
  { app, outside }: Pick<UserSubject<Outside>, 'app' | 'outside'>,
  seed: number,
): { readonly app: StreamsApp; readonly outside: Outside } {
  const world = createWorld(seed, timelessClock(new VirtualTime().clock.now()), true);
  const made = outside(world);
  return { app: startApp(app, referenceEnvironment(world, made)), outside: made };
}

interface ReferenceInput {
  readonly seed: number;
  readonly inputs: readonly ScenarioInput[];
  readonly order: ReferenceOrder;
}

async function runReference<Outside>(user: UserSubject<Outside>, { seed, inputs, order }: ReferenceInput) {
  const { app, outside } = startReference(user, seed);
  const map = new SubjectMap({ app, topics: user.options.topics });
  const nowMs = new VirtualTime().clock.now();
  return { app, outside, map, reference: await referenceOf(map, inputs, { updates: 'every', nowMs, order }) };
}

class UserRun<Outside> {
  readonly subject: Subject;
  readonly checker: Checker;
  thrown: unknown;
  private readonly user: UserSubject<Outside>;
  private surroundings: { readonly cloud: Cloud; readonly world: SimulatedWorld; readonly outside: Outside } | null =
    null;

  constructor(user: UserSubject<Outside>, { seed }: Scenario, comparisons: Comparisons) {
    this.user = user;
    this.subject = {
      app: startReference(user, seed).app,
      topics: user.options.topics,
      ...comparisons,
      createApp: (process) => {
        const { cloud, world, outside } = this.around();
        return startApp(user.app, processEnvironment(world, outside, { process, cloud }));
      },
    };
    this.checker = {
      name: OWN_CHECKER,
      watch: ({ cloud, witness, wrong }) => {
        const world = createWorld(seed, cloud.time.clock, false);
        this.surroundings = { cloud, world, outside: user.outside(world) };
        return { ended: () => this.check(witness, wrong) };
      },
    };
  }

  private async check(witness: Witness, wrong: (what: string) => void): Promise<void> {
    const { check } = this.user;
    if (check === undefined) return;
    try {
      await check(await this.results(witness));
    } catch (thrown) {
      this.thrown = thrown;
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
        if (serdes === undefined) throw new UnknownTopicError(`topic '${topic}' has no inputs`, { details: { topic } });
        return decodeRecords(contents.get(topic) ?? [], serdes);
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
