/**
 * A folder outside the clone for what is fetched or compiled once and used by every run.
 *
 * The name of each entry holds a hash of what it was made from, so that it never goes stale; it is built beside its place and
 * moved there whole, so that two processes at once and a process that dies halfway do no harm.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** `MILLRACE_CACHE`, else `~/.cache/millrace`. */
export function cacheFolder(): string {
  return process.env.MILLRACE_CACHE ?? join(homedir(), '.cache/millrace');
}

/** The folder, built if it is not there; what `build` puts in its folder must bear to be moved. */
export async function buildOnce(folder: string, build: (building: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const building = `${folder}.${randomUUID()}`;
  await mkdir(building);
  try {
    await build(building);
    await rename(building, folder);
  } catch (error) {
    // Somebody else may have been quicker; a folder that is there is whole.
    await rm(building, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** A short hash of the contents of files. */
export async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
