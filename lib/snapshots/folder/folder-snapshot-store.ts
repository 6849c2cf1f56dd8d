/**
 * Snapshots as files below one folder; the segments of a name are sub-folders.
 *
 * An object is written to a temporary file and then linked to its name: the link fails if the name is taken, so a reader
 * sees all of an object or nothing, and of two creators one wins, in one process or in several. Folders that become empty
 * are removed, so that a long run leaves no heap of them.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkObjectName, isObjectName } from '../object-name.js';
import type { ObjectEntry, SnapshotStore } from '../snapshot-store.js';
import { asFolderError, errnoOf, isAbsent } from './folder-errors.js';
import { namesInOrder } from './names-in-order.js';
import { prepareFolder, TEMPORARY_FOLDER } from './prepare-folder.js';

/** Tries to link into a folder that somebody else removes because it became empty. */
const MAX_LINK_TRIES = 5;

/**
 * Opens a folder of snapshots; an absent one is created.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if the path is a file or this process may not read and write there
 */
export function createFolderSnapshotStore(folder: string): SnapshotStore {
  prepareFolder(folder);
  const pathOf = (name: string): string => {
    checkObjectName(name);
    return join(folder, ...name.split('/'));
  };

  return {
    async create(name, bytes) {
      const path = pathOf(name);
      const temporary = join(folder, TEMPORARY_FOLDER, randomUUID());
      try {
        await writeDurably(temporary, bytes);
        return await linkNew(temporary, path);
      } catch (cause) {
        throw asFolderError(`cannot create ${name}`, folder, cause);
      } finally {
        await unlink(temporary).catch(() => undefined); // a later start sweeps what is left
      }
    },

    async read(name, range) {
      try {
        return await readRange(pathOf(name), range);
      } catch (cause) {
        if (isAbsent(cause)) return null;
        throw asFolderError(`cannot read ${name}`, folder, cause);
      }
    },

    async list(prefix, { limit = Number.MAX_SAFE_INTEGER, after = '' } = {}) {
      const found: ObjectEntry[] = [];
      if (limit <= 0) return found;
      try {
        for await (const name of namesInOrder({ list: (path) => listFolder(join(folder, path)), prefix, after })) {
          if (!isObjectName(name)) continue; // somebody else's file
          const entry = await describeObject(name, pathOf(name));
          if (entry !== null) found.push(entry);
          if (found.length >= limit) break;
        }
      } catch (cause) {
        throw asFolderError(`cannot list ${prefix}`, folder, cause);
      }
      return found;
    },

    async remove(name) {
      const path = pathOf(name);
      try {
        await unlink(path);
      } catch (cause) {
        if (isAbsent(cause)) return;
        throw asFolderError(`cannot remove ${name}`, folder, cause);
      }
      await removeEmptyParents(path, name.split('/').length - 1);
    },
  };
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true }); // the whole folder may have been deleted since it was opened
  const file = await open(path, 'wx');
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    await mkdir(dirname(to), { recursive: true });
    try {
      await link(from, to);
      return true;
    } catch (cause) {
      if (errnoOf(cause) === 'EEXIST') return false;
      if (errnoOf(cause) !== 'ENOENT' || tries >= MAX_LINK_TRIES) throw cause;
    }
  }
}

async function readRange(
  path: string,
  range: { readonly from: number; readonly to: number } | undefined,
): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    if (range === undefined) return await file.readFile();
    const { size } = await file.stat();
    const from = Math.min(Math.max(0, range.from), size);
    const bytes = Buffer.alloc(Math.max(0, Math.min(range.to, size) - from));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function listFolder(path: string): Promise<readonly { readonly name: string; readonly isFolder: boolean }[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch (cause) {
    if (isAbsent(cause)) return [];
    throw cause;
  }
}

async function describeObject(name: string, path: string): Promise<ObjectEntry | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { name, sizeBytes: size, modifiedAtMs: mtimeMs };
  } catch (cause) {
    if (isAbsent(cause)) return null; // removed since the folder was listed
    throw cause;
  }
}

async function removeEmptyParents(path: string, depth: number): Promise<void> {
  let parent = dirname(path);
  for (let level = 0; level < depth; level += 1) {
    try {
      await rmdir(parent);
    } catch {
      return; // not empty, or somebody else was faster: either is fine
    }
    parent = dirname(parent);
  }
}
