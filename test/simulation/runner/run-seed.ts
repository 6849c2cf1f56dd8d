/** One seed of the product's own scenarios, run and summed up. */
import { ALL_CHECKERS } from '../../../lib/testing/simulation/checkers/all-checkers.js';
import type { Fault } from '../../../lib/testing/simulation/faults/fault.js';
import { faultKind } from '../../../lib/testing/simulation/faults/fault-kinds.js';
import { generateScenario } from '../../../lib/testing/simulation/generate-scenario.js';
import { runScenario, type ScenarioRun } from '../../../lib/testing/simulation/run-scenario.js';
import type { Scenario } from '../../../lib/testing/simulation/scenario.js';
import { storeScenario } from '../../../lib/testing/simulation/scenario-json.js';
import { partOf, type ScenarioPart, wholeOf } from '../../../lib/testing/simulation/scenario-part.js';
import { shrinkScenario } from '../../../lib/testing/simulation/shrink.js';
import { timelineLines } from '../../../lib/testing/simulation/timeline.js';
import { standardPlan } from '../../support/simulation/standard-plan.js';
import type { Counts, Job, SeedResult } from './worker-jobs.js';

/** Stands for the checker where a run could not be brought to its end. */
const THE_RUN_ITSELF = 'the-run-itself';

export async function runSeed({ type, seed, part }: Job): Promise<SeedResult> {
  const whole = generateScenario(standardPlan(seed), seed);
  const scenario = part === undefined ? whole : partOf(whole, part);
  const run = await runOne(seed, scenario);
  if (type === 'run') return summary(seed, scenario, run);
  if (type === 'show') return shown(seed, scenario, run, part ?? wholeOf(whole), 1);
  const checker = run.violations[0]?.checker;
  if (checker === undefined) return shown(seed, scenario, run, wholeOf(whole), 1);
  const fails = async (smaller: Scenario) =>
    (await runOne(seed, smaller)).violations.some((violation) => violation.checker === checker);
  const shrunk = await shrinkScenario({ scenario: whole, fails });
  return shown(seed, shrunk.scenario, await runOne(seed, shrunk.scenario), shrunk.part, shrunk.runs);
}

/** A run that throws has found something as well. */
async function runOne(seed: number, scenario: Scenario): Promise<ScenarioRun> {
  try {
    return await runScenario(standardPlan(seed).subject, scenario, ALL_CHECKERS);
  } catch (thrown) {
    const what = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return {
      violations: [{ checker: THE_RUN_ITSELF, what }],
      faultsFired: new Map(),
      faultEffects: [],
      transitions: new Map(),
      timeline: [],
      digest: '',
      lastedMs: 0,
    };
  }
}

function summary(seed: number, { faults }: Scenario, run: ScenarioRun): SeedResult {
  return {
    seed,
    violations: run.violations,
    digest: run.digest,
    lastedMs: run.lastedMs,
    faultsDrawn: countBy(faults.map(({ kind }) => kind)),
    faultsFired: Object.fromEntries(run.faultsFired),
    transitions: Object.fromEntries(run.transitions),
    events: countBy(run.timeline.map(({ event }) => event)),
  };
}

function shown(seed: number, scenario: Scenario, run: ScenarioRun, part: ScenarioPart, runs: number): SeedResult {
  return {
    ...summary(seed, scenario, run),
    shown: {
      part,
      runs,
      faults: scenario.faults.map(inWords),
      effects: run.faultEffects,
      timeline: timelineLines(run.timeline),
      scenario: storeScenario(scenario),
    },
  };
}

function inWords({ kind, ...parameters }: Fault): string {
  return `${kind}: ${faultKind(kind).about} ${JSON.stringify(parameters)}`;
}

function countBy(names: readonly string[]): Counts {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
