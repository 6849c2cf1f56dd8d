/**
 * Makes a scenario that fails smaller while it fails in the same way, so that what is left is what matters. Pure over the
 * caller's `fails`, which runs a scenario and says whether the same checker finds it wrong.
 *
 * Faults go first (a run with fewer is the easier to read), then inputs, then members; halves of a list before smaller parts of
 * it, single ones last. Chance that a run draws is in streams by name, so what is left mostly goes its way as before.
 */
import type { Scenario } from './scenario.js';
import { partOf, type ScenarioPart, wholeOf } from './scenario-part.js';

/** Runs of one shrinking, unless given. */
export const SHRINK_RUNS_MOST = 120;

export interface Shrinking {
  /** Fails as it is. */
  readonly scenario: Scenario;
  readonly fails: (scenario: Scenario) => Promise<boolean>;
  /** Runs at most; what has been reached by then is the answer. */
  readonly runsMost?: number;
}

export interface Shrunk {
  readonly part: ScenarioPart;
  readonly scenario: Scenario;
  /** Runs that it took. */
  readonly runs: number;
}

/** The smallest part found that still fails; the whole if none does. */
export async function shrinkScenario({ scenario, fails, runsMost = SHRINK_RUNS_MOST }: Shrinking): Promise<Shrunk> {
  let part = wholeOf(scenario);
  let runs = 0;
  const isOver = () => runs >= runsMost;
  /** Takes a smaller part if it fails too. */
  const take = async (smaller: Partial<ScenarioPart>): Promise<boolean> => {
    if (isOver()) return false;
    runs += 1;
    const candidate = { ...part, ...smaller };
    if (!(await fails(partOf(scenario, candidate)))) return false;
    part = candidate;
    return true;
  };
  await fewer(part.faults, (faults) => take({ faults }), isOver);
  await fewer(part.inputs, (inputs) => take({ inputs }), isOver);
  for (let members = 1; members < part.members && !isOver(); members += 1) if (await take({ members })) break;
  return { part, scenario: partOf(scenario, part), runs };
}

/** Leaves out all, then half of what is left, then smaller parts of it, as long as `take` agrees. */
async function fewer(
  indices: readonly number[],
  take: (kept: readonly number[]) => Promise<boolean>,
  isOver: () => boolean,
): Promise<void> {
  if (indices.length === 0 || (await take([]))) return;
  let kept = indices;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < kept.length && !isOver(); ) {
      const candidate = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (candidate.length > 0 && (await take(candidate))) kept = candidate;
      else from += size;
    }
  }
}
