/** ministack, an emulator of AWS in Python, installed once into an environment of its own outside the clone. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildOnce, cacheFolder, hashOf } from '../build-once.js';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));

const lookTimeoutMs = 20_000;
const installTimeoutMs = 300_000;
/** ministack needs this much of Python 3. */
const lowestMinor = 10;

/** The `python` that has ministack; installs it if it is not cached. */
export async function ministackPython(): Promise<string> {
  const folder = await buildOnce(await ministackFolder(), async (building) => {
    await run('python3', ['-m', 'venv', building], { timeout: installTimeoutMs });
    const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    await run(pythonOf(building), install, { timeout: installTimeoutMs });
  });
  // An environment that was moved finds itself; only its scripts keep the old path, so modules are run by name.
  return pythonOf(folder);
}

/** What this machine lacks to run ministack, for people; empty: nothing. */
export async function missingForMinistack(): Promise<string> {
  if (existsSync(await ministackFolder())) return '';
  const look = `import sys, venv, ensurepip; sys.exit(sys.version_info < (3, ${lowestMinor}))`;
  const { status } = spawnSync('python3', ['-c', look], { timeout: lookTimeoutMs, stdio: 'ignore' });
  return status === 0 ? '' : `Python 3.${lowestMinor} or newer with its module venv`;
}

async function ministackFolder(): Promise<string> {
  return join(cacheFolder(), `ministack-${await hashOf([requirements])}`);
}

function pythonOf(folder: string): string {
  return join(folder, 'bin/python');
}
