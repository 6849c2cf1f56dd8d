/** From a run that failed to the error that tells of it: whether it takes faults at all, and how few. */
import { SimulationFailedError } from '../../../model/errors.js';
import type { Scenario } from '../scenario.js';
import type { ScenarioPart } from '../scenario-part.js';
import { shrinkScenario } from '../shrink.js';
import { timelineLines } from '../timeline.js';
import type { Comparisons } from './comparisons.js';
import { describeFailure } from './describe-failure.js';
import { TASKS_GO_ON } from './tasks-go-on.js';
import { OWN_CHECKER, runAndCompare, startReference, type UserScenarioRun, type UserSubject } from './user-run.js';

export interface FailedRun {
  readonly scenario: Scenario;
  /** What the scenario is of the seed's whole one. */
  readonly part: ScenarioPart;
  readonly comparisons: Comparisons;
  readonly run: UserScenarioRun;
}

const COME_AND_GO =
  'results depend on what is kept outside of stores, on chance or on the time: processes come and go in every run, each with a memory of its own.';

const WITHOUT_FAULTS: Readonly<Record<string, string>> = {
  'outputs-equal-reference': `Either the input does not decide the topic as strictly as \`outputs\` asks: use 'multiset' or 'auto'. Or ${COME_AND_GO}`,
  'stores-equal-reference': `Most likely ${COME_AND_GO} Or it is left to timing what the store holds: \`stores\` takes 'none' for it.`,
  'input-is-processed':
    'Most likely user code waits for a timer, a request or a file of this machine, which is no part of the run: let it wait by `sleep` of the environment, and reach services by `remote`.',
  [OWN_CHECKER]: 'Either the check asks for more than the input decides, or the application is wrong by itself.',
};
const WITHOUT_FAULTS_ELSE = 'The application, or its input, is wrong by itself.';

/** Asks first whether it fails without faults; if not, makes the scenario smaller while the same checker finds it wrong. */
export async function explainFailure(user: UserSubject<unknown>, failed: FailedRun): Promise<SimulationFailedError> {
  const { scenario, part, comparisons, run } = failed;
  const { violations } = run;
  const checker = (violations.find((one) => one.checker === TASKS_GO_ON) ?? violations[0])?.checker ?? '';
  const violates = (one: UserScenarioRun) => one.violations.find((violation) => violation.checker === checker);
  const calm = { ...scenario, faults: [] };
  const runOf = async (one: Scenario) => (await runAndCompare(user, one, comparisons)).run;
  const calmRun = scenario.faults.length === 0 ? run : await runOf(calm);
  if (violates(calmRun) !== undefined)
    return errorOf(user, { ...failed, scenario: calm, part: { ...part, faults: [] }, run: calmRun }, checker, {
      shrinkRuns: 0,
      withoutFaults: WITHOUT_FAULTS[checker] ?? WITHOUT_FAULTS_ELSE,
    });
  let smallest = run;
  const shrunk = await shrinkScenario({
    scenario,
    runsMost: user.options.part === null ? user.options.shrinkRuns : 0,
    fails: async (smaller) => {
      if (smaller.faults.length === 0) return false; // with all of the input that was asked above
      const again = await runOf(smaller);
      if (violates(again) === undefined) return false;
      // A user's check may count on all of the input: what it says of a part counts only if it is content without faults.
      const hasLessInput = smaller.inputs.length < scenario.inputs.length;
      if (checker === OWN_CHECKER && hasLessInput) {
        const quiet = await runOf({ ...smaller, faults: [] });
        if (violates(quiet) !== undefined) return false;
      }
      smallest = again;
      return true;
    },
  });
  const of = { scenario: shrunk.scenario, part: within(part, shrunk.part), comparisons, run: smallest };
  return errorOf(user, of, checker, { shrinkRuns: shrunk.runs, withoutFaults: null });
}

function errorOf(
  user: UserSubject<unknown>,
  { scenario, part, run }: FailedRun,
  checker: string,
  told: { readonly shrinkRuns: number; readonly withoutFaults: string | null },
): SimulationFailedError {
  const { timeline, faultEffects } = run;
  const what = run.violations.find((one) => one.checker === checker)?.what ?? '';
  const { applicationId } = startReference(user, scenario.seed).app;
  const { inputs } = user.options;
  const message = describeFailure({
    ...{ applicationId, inputs, checker, what, scenario, part, timeline, faultEffects },
    ...told,
  });
  const details = { seed: scenario.seed, checker, part };
  const remedy = told.withoutFaults;
  // Not enumerable: test runners print what is, and this is some thousand lines.
  Object.defineProperty(details, 'timeline', { value: timelineLines(timeline), enumerable: false });
  const cause = run.thrown.get(checker);
  return new SimulationFailedError(message, {
    details,
    ...(remedy === null ? {} : { remedy }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A part of a part, as indices into the whole. */
function within(outer: ScenarioPart, { faults, inputs, members }: ScenarioPart): ScenarioPart {
  const of = (all: readonly number[], indices: readonly number[]) => indices.flatMap((index) => all[index] ?? []);
  return { faults: of(outer.faults, faults), inputs: of(outer.inputs, inputs), members };
}
