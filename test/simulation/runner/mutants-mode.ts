import { MUTANTS } from '../mutants/all-mutants.js';
import type { Mutant } from '../mutants/mutant.js';
import type { SimulateOptions } from './options.js';
import { endProgress, showProgress } from './progress.js';
import { table } from './report.js';
import { catchMutant } from './run-mutant.js';

/** Switches off one protection at a time, and prints which seed and checker catch it. @returns the exit code */
export async function runMutantsMode({ only, from, seeds, jobs, json }: SimulateOptions): Promise<number> {
  const known = MUTANTS.map(({ name }) => name);
  const unknown = (only ?? []).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`no mutant is called ${unknown}; there are: ${known.join(', ')}`);
    return 2;
  }
  const mutants = MUTANTS.filter(({ name }) => only === null || only.includes(name));
  const rows: (readonly string[])[] = [];
  for (const mutant of mutants) {
    const row = await rowOf(mutant);
    rows.push(row);
    endProgress();
    const [name, seed, checkers] = row;
    console.log(seed === MISSED ? `NOT CAUGHT ${name}` : `caught ${name} by seed ${seed}: ${checkers}`);
  }
  console.log('');
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
