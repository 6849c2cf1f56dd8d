/** What is left of a scenario: which of its faults, which of its inputs, how many members. The short form of a shrunk one. */
import type { Scenario } from './scenario.js';

export interface ScenarioPart {
  /** Indices into the scenario's faults, ascending. */
  readonly faults: readonly number[];
  /** Indices into the scenario's inputs, ascending. */
  readonly inputs: readonly number[];
  readonly members: number;
}

/** All of a scenario. */
export function wholeOf({ faults, inputs, members }: Scenario): ScenarioPart {
  return { faults: [...faults.keys()], inputs: [...inputs.keys()], members };
}

/** The scenario with nothing but this part; chance, settings and times stay. */
export function partOf(scenario: Scenario, part: ScenarioPart): Scenario {
  return {
    ...scenario,
    members: part.members,
    faults: chosen(scenario.faults, part.faults),
    inputs: chosen(scenario.inputs, part.inputs),
  };
}

function chosen<T>(items: readonly T[], indices: readonly number[]): readonly T[] {
  return indices.flatMap((index) => items.slice(index, index + 1));
}
