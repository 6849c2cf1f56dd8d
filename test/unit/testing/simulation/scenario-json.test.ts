import { expect, it } from 'vitest';
import { generateScenario } from '../../../../lib/testing/simulation/generate-scenario.js';
import { restoreScenario, storeScenario } from '../../../../lib/testing/simulation/scenario-json.js';
import { standardPlan } from '../../../support/simulation/standard-plan.js';

it.each([1, 2, 3])('a scenario comes back from JSON as it was (seed %i)', (seed) => {
  const scenario = generateScenario(standardPlan(seed), seed);

  expect(restoreScenario(JSON.parse(JSON.stringify(storeScenario(scenario))))).toEqual(scenario);
});
