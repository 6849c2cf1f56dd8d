import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { asFolderError } from '../../../lib/snapshots/folder/folder-errors.js';
import { createFolderSnapshotStore } from '../../../lib/snapshots/folder/folder-snapshot-store.js';

const scratch = mkdtempSync(join(tmpdir(), 'millrace-folder-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(scratch, 'test-')), 'snapshots');
});

describe('a folder of snapshots', () => {
  it('is made if it is absent, with the folders above it', async () => {
    const store = createFolderSnapshotStore(join(folder, 'deep', 'down'));

    await store.create('a/b', Buffer.from('1'));

    expect(existsSync(join(folder, 'deep', 'down', 'a', 'b'))).toBe(true);
  });

  it('keeps its objects from one opening to the next', async () => {
    await createFolderSnapshotStore(folder).create('a/b', Buffer.from('1'));

    expect((await createFolderSnapshotStore(folder).list('')).map((entry) => entry.name)).toEqual(['a/b']);
  });

  it('is refused if the path is a file, below a file, or empty', () => {
    writeFileSync(join(folder, '..', 'file'), 'x');
    const invalid = expect.objectContaining({ code: 'STREAMS_INVALID_FOLDER', kind: 'invalid' });

    for (const path of [join(folder, '..', 'file'), join(folder, '..', 'file', 'below'), '']) {
      expect(() => createFolderSnapshotStore(path)).toThrow(invalid);
    }
  });

  it('leaves no temporary file and no empty folder behind', async () => {
    const store = createFolderSnapshotStore(folder);
    await store.create('a/b/c', Buffer.from('1'));
    await store.create('a/b/c', Buffer.from('2'));

    await store.remove('a/b/c');

    expect(readdirSync(folder)).toEqual(['.temporary']);
    expect(readdirSync(join(folder, '.temporary'))).toEqual([]);
  });

  it('sweeps temporary files of processes that have ended, not those of living ones', () => {
    createFolderSnapshotStore(folder);
    writeFileSync(join(folder, '.temporary', 'old'), 'x');
    writeFileSync(join(folder, '.temporary', 'young'), 'x');
    utimesSync(join(folder, '.temporary', 'old'), 1, 1);

    createFolderSnapshotStore(folder);

    expect(readdirSync(join(folder, '.temporary'))).toEqual(['young']);
  });

  it('lists no files of others', async () => {
    const store = createFolderSnapshotStore(folder);
    writeFileSync(join(folder, '.DS_Store'), 'x');
    writeFileSync(join(folder, 'my notes.txt'), 'x');

    expect(await store.list('')).toEqual([]);
  });

  it('goes on when the whole folder is deleted under it', async () => {
    const store = createFolderSnapshotStore(folder);
    await store.create('a', Buffer.from('1'));
    rmSync(folder, { recursive: true });

    expect(await store.list('')).toEqual([]);
    expect(await store.read('a')).toBe(null);
    expect(await store.create('a', Buffer.from('2'))).toBe(true);
  });
});

describe('an error of the file system', () => {
  it.each([
    ['EACCES', 'STREAMS_INVALID_FOLDER'],
    ['EROFS', 'STREAMS_INVALID_FOLDER'],
    ['ENOSPC', 'STREAMS_UNAVAILABLE'],
    ['EIO', 'STREAMS_UNAVAILABLE'],
    ['EMFILE', 'STREAMS_UNAVAILABLE'],
  ])('%s becomes %s and keeps its cause', (errno, code) => {
    const cause = Object.assign(new Error('from the system'), { code: errno });

    expect(asFolderError('cannot read a', '/data', cause)).toMatchObject({ code, cause, details: { errno } });
  });
});
