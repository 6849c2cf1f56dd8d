/**
 * The log on disk: one file of events, replayed when the folder is opened.
 *
 * Invariants
 *   J1  an event is in the file before the call that made it returns, or the call fails and the log takes no more
 *   J2  records and offsets of a transaction may be written late, but before the event that ends it: a file that is cut
 *       anywhere holds whole transactions and open ones, and those end by time-out or initialisation as in Kafka
 *   J3  a checkpoint is a new file of all that is known, put in place by a rename; the file with the highest number counts
 *   J4  nothing in the folder but its lock changes before the newest file was read to its end
 *   J5  one process at a time has a folder open (folder-lock.ts), from before the first read to after the last write
 *   J6  a process that closes the journal says in its lock which file of which size it leaves: only after a crash may the file
 *       end earlier, torn, or be absent
 */
import {
  accessSync,
  closeSync,
  constants,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '../../../host/host.js';
import { InvalidFolderError, StreamsError, UnavailableError } from '../../../model/errors.js';
import { greatest } from '../../../model/lists.js';
import { type FolderLock, lockFolder } from '../folder-lock.js';
import type { LogEvent } from '../log-state.js';
import { decodeEvent, encodeEvent } from './event-codec.js';
import { corrupt, FILE_HEADER, frame, readFrames } from './frames.js';
import { makeFolder } from './make-folder.js';

/** Events wait in memory up to this size unless somebody waits for them. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
const FILE_NAME = /^journal-(\d{8})\.log$/;

export interface JournalOptions {
  readonly dir: string;
  readonly digest: Digest;
  /** Whether to force each write to the disk before it counts: survives a crash of the machine, not only of the process. */
  readonly fsync: boolean;
}

export class Journal {
  private readonly options: JournalOptions;
  private readonly lock: FolderLock;
  private fd: number;
  private number: number;
  private fileBytes: number;
  private buffered: Buffer[] = [];
  private bufferedBytes = 0;
  private failure: unknown;

  private constructor(options: JournalOptions, lock: FolderLock, file: OpenFile) {
    this.options = options;
    this.lock = lock;
    this.fd = file.fd;
    this.number = file.number;
    this.fileBytes = file.fileBytes;
  }

  /**
   * Opens a folder, making it if it is absent, and replays what it holds.
   *
   * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if it is no folder, may not be written to, is in use by a process, or
   *   is corrupt; nothing in it was changed then
   */
  static open(options: JournalOptions, replay: (event: LogEvent) => void): Journal {
    const { dir } = options;
    let lock: FolderLock | null = null;
    try {
      makeFolder(dir);
      if (!statSync(dir).isDirectory()) throw new InvalidFolderError(`${dir} is no folder`, { details: { dir } });
      accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
      lock = lockFolder(dir);
      const newest = greatest(0, journalNumbers(dir));
      checkAsLeft(dir, newest, lock.leftBefore);
      const journal = newest === 0 ? create(options, 1, []) : reopen(options, newest, lock.leftBefore !== '', replay);
      removeOthers(dir, journal.number);
      return new Journal(options, lock, journal);
    } catch (thrown) {
      lock?.release(lock.leftBefore);
      if (thrown instanceof StreamsError) throw thrown;
      throw new InvalidFolderError(`${dir} can't be used as the folder of a log`, { cause: thrown, details: { dir } });
    }
  }

  /** Bytes of the file, with those still waiting to be written. */
  get sizeBytes(): number {
    return this.fileBytes + this.bufferedBytes;
  }

  /** Adds an event; it is written with the next flush, or when much has gathered. */
  write(event: LogEvent): void {
    const framed = frame(encodeEvent(event), this.options.digest);
    this.buffered.push(framed);
    this.bufferedBytes += framed.length;
    if (this.bufferedBytes >= MAX_BUFFERED_BYTES) this.writeBuffered();
  }

  /**
   * Writes all that waits (J1).
   *
   * @throws {UnavailableError} STREAMS_UNAVAILABLE if the disk refuses, now and from then on: how much was written is unknown
   */
  flush(): void {
    this.writeBuffered();
    if (this.options.fsync) this.guarded(() => fdatasyncSync(this.fd));
  }

  /** Begins a new file with these events, which say all that is known (J3). */
  checkpoint(events: Iterable<LogEvent>): void {
    this.flush();
    this.guarded(() => {
      const next = create(this.options, this.number + 1, events);
      closeSync(this.fd);
      this.fd = next.fd;
      this.number = next.number;
      this.fileBytes = next.fileBytes;
      removeOthers(this.options.dir, next.number);
    });
  }

  /** Writes what waits, and leaves the folder to others even if that fails. */
  close(): void {
    let left = '';
    try {
      this.flush();
      left = `${fileName(this.number)} ${this.fileBytes}`;
    } finally {
      closeSync(this.fd);
      this.lock.release(left);
    }
  }

  private writeBuffered(): void {
    if (this.bufferedBytes === 0) return;
    this.guarded(() => {
      const bytes = this.buffered.length === 1 ? (this.buffered[0] as Buffer) : Buffer.concat(this.buffered);
      writeWhole(this.fd, bytes, this.fileBytes);
      this.fileBytes += bytes.length;
      this.buffered = [];
      this.bufferedBytes = 0;
    });
  }

  private guarded(action: () => void): void {
    this.checkWorks();
    try {
      action();
    } catch (thrown) {
      this.failure = thrown;
      this.checkWorks();
    }
  }

  /** @throws {UnavailableError} STREAMS_UNAVAILABLE if a write has failed */
  checkWorks(): void {
    if (this.failure === undefined) return;
    throw new UnavailableError(`${this.options.dir} can't be written to any more`, {
      cause: this.failure,
      details: { dir: this.options.dir },
      remedy: 'See that the disk has room and can be written to, then open the log again.',
    });
  }
}

interface OpenFile {
  readonly fd: number;
  readonly number: number;
  readonly fileBytes: number;
}

function create({ dir, digest, fsync }: JournalOptions, number: number, events: Iterable<LogEvent>): OpenFile {
  const temporary = join(dir, `${fileName(number)}.tmp`);
  const fd = openSync(temporary, 'w+');
  let fileBytes = writeWhole(fd, FILE_HEADER, 0);
  let frames: Buffer[] = [];
  let gatheredBytes = 0;
  const writeGathered = (): void => {
    fileBytes += writeWhole(fd, Buffer.concat(frames, gatheredBytes), fileBytes);
    frames = [];
    gatheredBytes = 0;
  };
  for (const event of events) {
    const framed = frame(encodeEvent(event), digest);
    frames.push(framed);
    gatheredBytes += framed.length;
    if (gatheredBytes >= MAX_BUFFERED_BYTES) writeGathered();
  }
  writeGathered();
  // Whatever `fsync` says: the files before it are removed next.
  fsyncSync(fd);
  renameSync(temporary, join(dir, fileName(number)));
  if (fsync) syncFolder(dir);
  return { fd, number, fileBytes };
}

/** J6. */
function checkAsLeft(dir: string, newest: number, left: string): void {
  if (left === '') return;
  const path = join(dir, fileName(newest));
  const found = newest === 0 ? 'no file' : `${fileName(newest)} ${statSync(path).size}`;
  if (found !== left) throw corrupt(newest === 0 ? dir : path, 0, `it was left as '${left}', and is '${found}' now`);
}

function reopen(
  { dir, digest }: JournalOptions,
  number: number,
  wasClosed: boolean,
  replay: (event: LogEvent) => void,
): OpenFile {
  const path = join(dir, fileName(number));
  const fd = openSync(path, 'r+');
  try {
    const { size: sizeBytes } = statSync(path);
    const { endBytes } = readFrames({ fd, path, sizeBytes }, digest, (payload) => {
      try {
        replay(decodeEvent(payload));
      } catch (thrown) {
        throw corrupt(path, 0, 'an event in it makes no sense', thrown);
      }
    });
    if (endBytes < sizeBytes && wasClosed) throw corrupt(path, endBytes, 'its end is broken although it was closed');
    if (endBytes < sizeBytes) ftruncateSync(fd, endBytes);
    return { fd, number, fileBytes: endBytes };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

function writeWhole(fd: number, bytes: Buffer, position: number): number {
  let written = 0;
  while (written < bytes.length) written += writeSync(fd, bytes, written, bytes.length - written, position + written);
  return written;
}

function journalNumbers(dir: string): readonly number[] {
  return readdirSync(dir).flatMap((name) => {
    const match = FILE_NAME.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
}

/** Removes older journals and checkpoints that were never finished. */
function removeOthers(dir: string, keep: number): void {
  for (const name of readdirSync(dir)) {
    const match = FILE_NAME.exec(name.replace(/\.tmp$/, ''));
    if (match !== null && name !== fileName(keep)) rmSync(join(dir, name), { force: true });
  }
}

function syncFolder(dir: string): void {
  const fd = openSync(dir, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function fileName(number: number): string {
  return `journal-${String(number).padStart(8, '0')}.log`;
}
