/** `npm run bench -- <name> [options]`: runs one bench. It says what it does on the standard error stream, and prints one JSON line. */
import { decide } from './decide.js';
import { failover } from './failover.js';
import { restore } from './restore.js';
import { throughput } from './throughput.js';

const benches: Readonly<Record<string, (args: string[]) => Promise<unknown>>> = {
  throughput,
  decide,
  failover,
  restore,
};

const [name = '', ...args] = process.argv.slice(2);
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  process.stderr.write(`usage: npm run bench -- NAME [options]; names: ${Object.keys(benches).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.stdout.write(`${JSON.stringify(await bench(args))}\n`);
}
