import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Folders above one another that are made at most; no system has longer paths. */
const MAX_DEPTH = 1_000;

/**
 * Makes a folder and those above it, as far as they are absent. What is there already, of any kind, is left as it is.
 *
 * Node's own `recursive` does not end where a file system says of an absent folder that it is absent when it is to be made, as
 * Linux' `/proc` does.
 *
 * @throws what the system answers
 */
export function makeFolder(path: string): void {
  const absent: string[] = [];
  for (let at = path; absent.length < MAX_DEPTH; at = dirname(at)) {
    const errno = tryToMake(at);
    if (errno === null) break;
    if (errno.code !== 'ENOENT' || dirname(at) === at) throw errno;
    absent.push(at);
  }
  for (const folder of absent.reverse()) {
    const errno = tryToMake(folder);
    if (errno !== null) throw errno;
  }
}

function tryToMake(path: string): NodeJS.ErrnoException | null {
  try {
    mkdirSync(path);
    return null;
  } catch (thrown) {
    const errno = thrown as NodeJS.ErrnoException;
    return errno.code === 'EEXIST' ? null : errno;
  }
}
