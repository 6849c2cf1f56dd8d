/** The numbers that `simulate` is given, checked before anything runs. */
import { InvalidSettingError } from '../../../model/errors.js';
import { checkNames } from './check-names.js';
import type { Amount, Seeds } from './simulation-options.js';

/** Seeds of one call; more are a programme of its own. */
const MAX_SEEDS = 100_000;

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING */
export function checkWhole(name: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalid(name, value, `a whole number from ${least} on`);
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING */
export function checkAmount(name: string, value: Amount, least: number): readonly [number, number] {
  if (typeof value !== 'number' && !(Array.isArray(value) && value.length === 2))
    throw invalid(name, value, 'a number, or the least and the most');
  const [from, to] = typeof value === 'number' ? [value, value] : value;
  checkWhole(name, from, least);
  checkWhole(name, to, least);
  if (from > to) throw invalid(name, value, 'the smaller number first');
  return [from, to];
}

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING if there is none, or one that is no whole number */
export function checkSeeds(seeds: Seeds): readonly number[] {
  if (isList(seeds)) {
    if (seeds.length === 0) throw invalid('seeds', seeds, 'one seed at least');
    return [...new Set(seeds.map((seed) => checkWhole('seeds', seed, 0)))];
  }
  if (typeof seeds !== 'number' && (typeof seeds !== 'object' || seeds === null))
    throw invalid('seeds', seeds, 'how many, a list of them, or { from, count }');
  if (typeof seeds === 'object') checkNames('seeds', seeds, ['from', 'count']);
  const { from, count } = typeof seeds === 'number' ? { from: 1, count: seeds } : seeds;
  checkWhole('seeds.from', from, 0);
  checkWhole(typeof seeds === 'number' ? 'seeds' : 'seeds.count', count, 1);
  if (count > MAX_SEEDS) throw invalid('seeds', count, `at most ${MAX_SEEDS} at a time`);
  return Array.from({ length: count }, (_, index) => from + index);
}

function isList(seeds: Seeds): seeds is readonly number[] {
  return Array.isArray(seeds);
}

export function invalid(name: string, value: unknown, wanted: string): InvalidSettingError {
  return new InvalidSettingError(
    `simulate: ${name}: ${JSON.stringify(value)} was given, where there must be ${wanted}`,
    {
      details: { name, value },
      remedy: 'Correct the option that the message names.',
    },
  );
}
