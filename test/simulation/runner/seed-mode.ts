import { generateScenario } from '../../../lib/testing/simulation/generate-scenario.js';
import { parseIndexRanges } from '../../../lib/testing/simulation/index-ranges.js';
import type { FaultEffect } from '../../../lib/testing/simulation/run-scenario.js';
import { type ScenarioPart, wholeOf } from '../../../lib/testing/simulation/scenario-part.js';
import { standardPlan } from '../../support/simulation/standard-plan.js';
import type { SimulateOptions } from './options.js';
import { reproducePart } from './reproduce.js';
import { RUN_MOST_MS } from './run-seeds.js';
import { bundleWorker } from './worker-bundle.js';
import { WorkerPool } from './worker-pool.js';

/** Runs one seed, or a part of it, and prints the same bytes each time. @returns the exit code */
export async function runSeedMode(options: SimulateOptions): Promise<number> {
  const part = partAsked(options);
  if (part === null) return 2;
  const seed = options.from;
  const bundle = await bundleWorker();
  const pool = new WorkerPool({ file: bundle.file, workers: 1 });
  try {
    const { violations, digest, lastedMs, faultsFired, shown } = await pool.run(
      { type: 'show', seed, part },
      RUN_MOST_MS,
    );
    const failed = violations.length > 0;
    console.log(reproducePart(seed, part));
    for (const [index, fault] of (shown?.faults ?? []).entries()) {
      console.log(`fault ${part.faults[index]}: ${fault}`);
      console.log(`  ${whatItDid(shown?.effects ?? [], index)}`);
    }
    if (failed || options.timeline) for (const line of shown?.timeline ?? []) console.log(line);
    if (options.json) console.log(JSON.stringify({ seed, digest, lastedMs, faultsFired, violations }));
    for (const { checker, what } of violations) console.log(`VIOLATION ${checker}: ${what}`);
    console.log(`digest ${digest}`);
    console.log(`${failed ? 'NOT all held' : 'all held'}: seed ${seed}, ${violations.length} violations`);
    return failed ? 1 : 0;
  } finally {
    pool.close();
    await bundle.remove();
  }
}

/** Null, with words on stderr, if the scenario has no such part. */
function partAsked({ from: seed, faults, inputs, members }: SimulateOptions): ScenarioPart | null {
  const scenario = generateScenario(standardPlan(seed), seed);
  const whole = wholeOf(scenario);
  try {
    return {
      faults: faults === null ? whole.faults : indices('faults', faults, scenario.faults.length),
      inputs: inputs === null ? whole.inputs : indices('inputs', inputs, scenario.inputs.length),
      members: members ?? whole.members,
    };
  } catch (thrown) {
    console.error(thrown instanceof Error ? thrown.message : String(thrown));
    return null;
  }
}

/** @throws {RangeError} that names the option */
function indices(option: string, text: string, end: number): readonly number[] {
  try {
    return parseIndexRanges(text, end);
  } catch (thrown) {
    throw new RangeError(`--${option} ${text}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** When a fault took effect, and on what; a fault whose moment never came has done nothing. */
function whatItDid(effects: readonly FaultEffect[], index: number): string {
  const own = effects.filter(({ fault }) => fault === index);
  if (own.length === 0) return 'took no effect: its moment never came';
  return own.map(({ atMs, details }) => `took effect at ${atMs.toFixed(3)} ms: ${JSON.stringify(details)}`).join('; ');
}
