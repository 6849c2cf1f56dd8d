import { InvalidFolderError, StreamsError, UnavailableError } from '../../model/errors.js';

/** Codes that do not go away by trying again: the folder is wrong, or this process may not use it. */
const LASTING = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOTDIR',
  'EISDIR',
  'EEXIST',
  'ENOTSUP',
  'ENOSYS',
  'ENAMETOOLONG',
]);

/** The system's name for an error (`ENOENT`), or an empty text. */
export function errnoOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
}

/** Whether there is no such object: nothing of that name, a folder of that name, or an object where a folder should be. */
export function isAbsent(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errnoOf(thrown));
}

/** An error of the file system as one of ours: a wrong folder is `invalid`, all else (disk full, IO) is `transient`. */
export function asFolderError(what: string, folder: string, thrown: unknown): StreamsError {
  if (thrown instanceof StreamsError) return thrown;
  const errno = errnoOf(thrown);
  const context = { cause: thrown, details: { folder, errno } };
  const message = `${what} in folder ${folder}: ${errno || String(thrown)}`;
  return LASTING.has(errno) ? new InvalidFolderError(message, context) : new UnavailableError(message, context);
}
