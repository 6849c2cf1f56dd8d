/**
 * `npm run simulate`: the whole system under faults, from seeds (docs/testing.md). `--help` says what can be asked for.
 *
 * The last line says whether all held, and so does the exit code.
 */
import process from 'node:process';
import { exploreProtocol } from '../../lib/testing/index.js';
import { runMutantsMode } from './runner/mutants-mode.js';
import { HELP, parseOptions, type SimulateOptions } from './runner/options.js';
import { runSeedMode } from './runner/seed-mode.js';
import { runSeedsMode } from './runner/seeds-mode.js';

const REFUSED = 2;

function optionsOrNull(): SimulateOptions | null {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : String(thrown)}\n\n${HELP}`);
    return null;
  }
}

async function main(): Promise<number> {
  const options = optionsOrNull();
  if (options === null) return REFUSED;
  switch (options.mode) {
    case 'help':
      console.log(HELP);
      return 0;
    case 'seed':
      return runSeedMode(options);
    case 'mutants':
      return runMutantsMode(options);
    case 'model':
      return exploreProtocol({}, (line) => console.log(line)).held ? 0 : 1;
    case 'seeds':
      return runSeedsMode(options);
  }
}

process.exitCode = await main();
