/**
 * Runs recorded cases of Kafka Streams' behaviour: `npm run parity -- [--cases DIR] [--family FOLDER]`, or random ones:
 * `npm run parity -- --random N [--from SEED] [--family FAMILY] [--keep DIR]`, which asks Kafka Streams itself (Java 17, Maven the
 * first time), prints the seed and the first differences of each case that fails, made smaller, and writes it to DIR if that is given.
 * FAMILY: `processing` (default; the DSL), `processors` (the Processor API), `topology`, or `assignment`, whose cases are neither
 * made smaller nor written.
 *
 * A case's family is the folder it lies in. Prints a line for each failed case and, last, `N passed, N failed`; ends with 1 if
 * any failed. What cannot be built or checked yet fails with its reason. The folder `not-wanted` holds answers that are not to
 * be equalled: it runs only when it is asked for.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Family, families } from './families.js';
import { isRandomKind } from './random/random-kind.js';
import { type Failure, runRandom } from './random/run-random.js';
import { type PlacementFailure, runRandomPlacements } from './random/run-random-placements.js';

const DEFAULT_CASES = fileURLToPath(new URL('./cases', import.meta.url));
const NOT_WANTED = 'not-wanted';
/** Differences shown of one case. */
const MAX_SHOWN = 3;

async function main(): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { cases: text, family: text, random: text, from: text, keep: text } });
  if (values.random !== undefined) {
    const [count, from] = [Number(values.random), Number(values.from ?? '1')];
    if (values.family === 'assignment') return placements(count, from);
    return random(count, from, values.family ?? 'processing', values.keep);
  }
  const root = values.cases ?? DEFAULT_CASES;
  const files = await caseFiles(root);
  let passed = 0;
  let failed = 0;
  for (const file of files) {
    const folders = relative(root, file).split(/[\\/]/).slice(0, -1);
    const family = folders[0] ?? 'processing';
    if (values.family === undefined ? family === NOT_WANTED : family !== values.family) continue;
    const differences = await run(families[family === NOT_WANTED ? 'processing' : family], file);
    if (differences.length === 0) passed += 1;
    else {
      failed += 1;
      const more = differences.length > MAX_SHOWN ? ` (and ${differences.length - MAX_SHOWN} more)` : '';
      console.log(`FAILED ${relative(root, file)}: ${differences.slice(0, MAX_SHOWN).join(' | ')}${more}`);
    }
  }
  if (passed + failed === 0) console.log(`no cases in ${root}${values.family ? ` of family ${values.family}` : ''}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
}

async function random(count: number, from: number, kind: string, keep: string | undefined): Promise<number> {
  if (!isRandomKind(kind))
    throw new Error(`no random cases of family ${kind}: processing, processors, topology or assignment`);
  const failures = await runRandom({ kind, count, from, smaller: true, onFailure: print });
  if (keep !== undefined) {
    for (const { seed, case: of } of failures)
      await writeFile(join(keep, `random-${seed}.json`), `${JSON.stringify(of, null, 1)}\n`);
  }
  console.log(`${count - failures.length} passed, ${failures.length} failed`);
  return failures.length === 0 && count > 0 ? 0 : 1;
}

async function placements(count: number, from: number): Promise<number> {
  const onFailure = ({ seed, differences, step }: PlacementFailure) => {
    console.log(`FAILED seed ${seed}: ${differences.slice(0, MAX_SHOWN).join(' | ')}\n${JSON.stringify(step)}`);
  };
  const failures = await runRandomPlacements({ count, from, onFailure });
  console.log(`${count - failures.length} passed, ${failures.length} failed`);
  return failures.length === 0 && count > 0 ? 0 : 1;
}

function print({ seed, differences, case: of }: Failure): void {
  const given = 'partitions' in of ? { partitions: of.partitions } : { inputs: of.inputs };
  console.log(`FAILED seed ${seed}: ${differences.slice(0, MAX_SHOWN).join(' | ')}`);
  console.log(JSON.stringify({ config: of.config, topology: of.topology, ...given }));
}

async function caseFiles(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const json = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  return json.map((entry) => join(entry.parentPath, entry.name)).sort();
}

async function run(family: Family | undefined, file: string): Promise<readonly string[]> {
  if (family === undefined) return ['missing family'];
  const text = await readFile(file, 'utf8');
  return Promise.resolve(text)
    .then((json) => family(JSON.parse(json)))
    .catch((thrown: unknown) => [thrown instanceof Error ? thrown.message : String(thrown)]);
}

process.exitCode = await main();
