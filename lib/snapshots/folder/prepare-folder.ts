import { accessSync, constants, mkdirSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidFolderError } from '../../model/errors.js';
import { asFolderError, isAbsent } from './folder-errors.js';

/** Where objects are written before they get their name; no name of an object starts with a dot. */
export const TEMPORARY_FOLDER = '.temporary';

/** Temporary files older than this belong to a process that has ended. */
const TEMPORARY_AGE_MS = 3_600_000;
/** Temporary files looked at when a folder is opened. */
const MAX_SWEPT = 1_000;

/**
 * Checks a folder before anything uses it, and makes it if it is absent.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if the path is empty or a file, or may not be read and written
 */
export function prepareFolder(folder: string): void {
  if (folder === '') throw new InvalidFolderError('the folder has no name');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    mkdirSync(join(folder, TEMPORARY_FOLDER), { recursive: true });
    accessSync(join(folder, TEMPORARY_FOLDER), constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { message, cause: original, details } = asFolderError('cannot read and write', folder, cause);
    throw new InvalidFolderError(message, { cause: original, details });
  }
  sweepTemporaries(join(folder, TEMPORARY_FOLDER));
}

function sweepTemporaries(folder: string): void {
  const oldest = Date.now() - TEMPORARY_AGE_MS;
  for (const name of readdirSync(folder).slice(0, MAX_SWEPT)) {
    try {
      if (statSync(join(folder, name)).mtimeMs < oldest) unlinkSync(join(folder, name));
    } catch (cause) {
      if (!isAbsent(cause)) throw asFolderError(`cannot remove ${name}`, folder, cause);
    }
  }
}
