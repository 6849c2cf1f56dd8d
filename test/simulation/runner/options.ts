/** What `npm run simulate` is asked for on its command line. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export const HELP = `npm run simulate -- [options]

Runs the whole system under faults in virtual time, one run for each seed, and says whether all held.

  --seeds N       runs this many seeds (default 200)
  --from N        begins with this seed (default 1)
  --jobs N        worker processes (default: one for each core)
  --seed N        runs one seed and prints its digest, and its timeline if it fails
  --timeline      with --seed: prints the timeline in any case
  --faults LIST   with --seed: leaves all faults out but these, by number from 0, such as 1,4 or none
  --inputs LIST   with --seed: leaves all inputs out but these, such as 0-120
  --members N     with --seed: this many members
  --mutants       switches off one protection of the product at a time, and runs seeds until one catches it (default 500 each)
  --only NAMES    with --mutants: these alone, such as self-stop,keeper
  --model         explores the protocol of slots and leases exhaustively: some 20 s of processor time for the whole,
                  and more for the explorations without each protection
  --json          prints the report as one line of JSON before the last line
  --help          prints this

The last line of a run says whether all held, that of --model whether every protection is needed; so does the exit code: 0 yes, 1 no,
2 for options that are not understood, after which there is no such line.`;

export interface SimulateOptions {
  readonly mode: 'seeds' | 'seed' | 'mutants' | 'model' | 'help';
  /** First seed, or the one. */
  readonly from: number;
  readonly seeds: number;
  readonly jobs: number;
  readonly timeline: boolean;
  readonly json: boolean;
  /** Names of mutants; null: all. */
  readonly only: readonly string[] | null;
  /** Lists as they were written; null: all. */
  readonly faults: string | null;
  readonly inputs: string | null;
  readonly members: number | null;
}

export const DEFAULT_SEEDS = 200;
const DEFAULT_MUTANT_SEEDS = 500;
const MODES = ['help', 'seed', 'mutants', 'model'] as const;
/** Options that mean something in one mode alone. */
const ONLY_WITH: Readonly<Record<string, SimulateOptions['mode']>> = {
  timeline: 'seed',
  faults: 'seed',
  inputs: 'seed',
  members: 'seed',
  only: 'mutants',
};

/** @throws {TypeError | RangeError} if there is no such option, its value is none, or two do not go together */
export function parseOptions(args: readonly string[]): SimulateOptions {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      jobs: { type: 'string' },
      seed: { type: 'string' },
      timeline: { type: 'boolean' },
      faults: { type: 'string' },
      inputs: { type: 'string' },
      members: { type: 'string' },
      mutants: { type: 'boolean' },
      only: { type: 'string' },
      model: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const given = MODES.filter((mode) => values[mode] !== undefined && values[mode] !== false);
  if (given.length > 1) throw new RangeError(`--${given.join(' and --')} do not go together`);
  const mode = given[0] ?? 'seeds';
  for (const [option, wanted] of Object.entries(ONLY_WITH))
    if (option in values && mode !== wanted) throw new RangeError(`--${option} goes with --${wanted} alone`);
  for (const option of ['seeds', 'from', 'jobs'] as const)
    if (mode === 'seed' && option in values) throw new RangeError(`--seed and --${option} do not go together`);
  return {
    mode,
    from: number('seed', values.seed) ?? number('from', values.from) ?? 1,
    seeds: number('seeds', values.seeds, 1) ?? (mode === 'mutants' ? DEFAULT_MUTANT_SEEDS : DEFAULT_SEEDS),
    jobs: number('jobs', values.jobs, 1) ?? availableParallelism(),
    timeline: values.timeline === true,
    json: values.json === true,
    only: values.only?.split(',') ?? null,
    faults: listOf(values.faults),
    inputs: listOf(values.inputs),
    members: number('members', values.members, 1),
  };
}

function number(name: string, text: string | undefined, least = 0): number | null {
  if (text === undefined) return null;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RangeError(`--${name} ${text}: a whole number from ${least} on is wanted`);
}

function listOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text === 'none' ? '' : text;
}
