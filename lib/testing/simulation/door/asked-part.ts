/** The part of a scenario that the option `part` asks for. */
import { parseIndexRanges } from '../index-ranges.js';
import type { Scenario } from '../scenario.js';
import { type ScenarioPart, wholeOf } from '../scenario-part.js';
import { invalid } from './invalid-option.js';
import type { SimulatedPart } from './simulation-options.js';

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if the scenario has no such fault or input */
export function askedPart(scenario: Scenario, asked: SimulatedPart | null): ScenarioPart {
  const whole = wholeOf(scenario);
  if (asked === null) return whole;
  return {
    faults: asked.faults === undefined ? whole.faults : indices('faults', asked.faults, scenario.faults.length),
    inputs: asked.inputs === undefined ? whole.inputs : indices('inputs', asked.inputs, scenario.inputs.length),
    members: asked.members ?? whole.members,
  };
}

function indices(name: 'faults' | 'inputs', text: unknown, end: number): readonly number[] {
  if (typeof text !== 'string') throw invalid(`part.${name}`, text, "numbers such as '3' or '0-4,7'");
  try {
    return parseIndexRanges(text, end);
  } catch (thrown) {
    throw invalid(`part.${name}`, text, `numbers below ${end} (${thrown instanceof Error ? thrown.message : ''})`);
  }
}
