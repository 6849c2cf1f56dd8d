/**
 * Runs recorded cases of Kafka Streams' behaviour: `npm run parity -- [--cases DIR] [--family FOLDER]`.
 *
 * A case's family is the folder it lies in. Prints a line for each failed case and, last, `N passed, N failed`; ends with 1 if
 * any failed. What cannot be built or checked yet fails with its reason. The folder `not-wanted` holds answers that are not to
 * be equalled: it runs only when it is asked for.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Family, families } from './families.js';

const DEFAULT_CASES = fileURLToPath(new URL('./cases', import.meta.url));
const NOT_WANTED = 'not-wanted';
/** Differences shown of one case. */
const MAX_SHOWN = 3;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { cases: { type: 'string' }, family: { type: 'string' } } });
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
