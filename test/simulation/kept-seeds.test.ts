import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ALL_CHECKERS } from '../../lib/testing/simulation/checkers/all-checkers.js';
import { runScenario } from '../../lib/testing/simulation/run-scenario.js';
import { restoreScenario, type StoredScenario } from '../../lib/testing/simulation/scenario-json.js';
import { standardPlan } from '../support/simulation/standard-plan.js';

/** A scenario that once found something: kept as data, for a seed may come to mean another one. */
interface KeptSeed {
  /** What went wrong, and what was wrong. */
  readonly found: string;
  readonly scenario: StoredScenario;
}

const folder = fileURLToPath(new URL('./seeds', import.meta.url));
const kept = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, ...(JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as KeptSeed) }));

describe('kept seeds', () => {
  it('say what they have found', () => {
    expect(kept.filter(({ found }) => found.trim() === '').map(({ file }) => file)).toEqual([]);
    expect(kept.length).toBeGreaterThan(0);
  });

  it.each(kept)('$file holds: $found', async ({ scenario }) => {
    const { subject } = standardPlan(scenario.seed);

    const { violations } = await runScenario(subject, restoreScenario(scenario), ALL_CHECKERS);

    expect(violations).toEqual([]);
  });
});
