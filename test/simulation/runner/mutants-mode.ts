import { MUTANTS } from '../mutants/all-mutants.js';
import type { Mutant } from '../mutants/mutant.js';
import type { SimulateOptions } from './options.js';
import { endProgress, showProgress } from './progress.js';
import { table } from './report.js';
import { catchMutant } from './run-mutant.js';

/** Switches off one protection at a time, and prints which seed and checker catch it. @returns the exit code */
export async function runMutantsMode({ only, from, seeds, jobs, json }: SimulateOptions): Promise<number> {
  const mutants = MUTANTS.filter(({ name }) => only === null || name === only);
  if (mutants.length === 0) {
    console.error(`no mutant is called ${only}; there are: ${MUTANTS.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const rows: (readonly string[])[] = [];
  for (const mutant of mutants) rows.push(await rowOf(mutant));
  endProgress();
  for (const line of table(['mutant', 'seed', 'checker', 'protects'], rows)) console.log(line);
  if (json)
    console.log(JSON.stringify(rows.map(([name, seed, checker]) => ({ name, seed: Number(seed) || null, checker }))));
  const missed = rows.filter(([, seed]) => seed === MISSED).map(([name]) => name);
  console.log(`${mutants.length} mutants, ${missed.length} not caught within ${seeds} seeds`);
  console.log(missed.length === 0 ? 'all held' : `NOT all held: not caught: ${missed.join(', ')}`);
  return missed.length === 0 ? 0 : 1;

  async function rowOf(mutant: Mutant): Promise<readonly string[]> {
    const { name, protects } = mutant;
    const caught = await catchMutant({
      mutant,
      from,
      seeds,
      jobs,
      onSeed: (seed) => showProgress(`${rows.length + 1} of ${mutants.length}: ${name}, seed ${seed}`),
    });
    return [name, caught === null ? MISSED : String(caught.seed), caught?.checkers.join(' ') ?? '', protects];
  }
}

const MISSED = '–';
