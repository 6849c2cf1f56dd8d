/**
 * One process at a time has a folder open: a lock file says which, and a process that has ended loses it to the next.
 *
 * ```
 *   lock-00000007   { "pid", "startedAt", "bootId", "hostName" }, or after a clean end: free, and what was left
 * ```
 *
 * Invariants
 *   K1  the file with the highest number counts; taking over is creating the next number, which the file system grants to one
 *   K2  the highest file is never removed, only marked free, so that numbers grow and a slow process can't win an old one
 *   K3  a lock is taken over only from a process that has certainly ended: of this machine, and either gone or followed by
 *       another one under its number. Where that can't be told, the folder is refused
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { InvalidFolderError } from '../../model/errors.js';
import { greatest } from '../../model/lists.js';

const FILE_NAME = /^lock-(\d{8})$/;
/** Others may take and leave the folder while this process looks at it. */
const MAX_TRIES = 20;
const FREE = 'free ';

/** Which process has the folder, as far as another one can find out. */
interface Holder {
  readonly pid: number;
  /** When the process started, in the system's own unit; empty where the system does not tell. */
  readonly startedAt: string;
  /** Changes when the machine starts; empty where the system does not tell. */
  readonly bootId: string;
  readonly hostName: string;
}

export interface FolderLock {
  /** What the process before wrote when it released; empty if it never did, wrote nothing, or there was none. */
  readonly leftBefore: string;
  /**
   * Leaves the folder to others. May be called twice.
   *
   * @param left one line for the next process
   */
  release(left: string): void;
}

/**
 * Takes a folder that exists.
 *
 * @throws {InvalidFolderError} STREAMS_INVALID_FOLDER if a process has it, this one included, or no lock can be written
 */
export function lockFolder(dir: string): FolderLock {
  const self: Holder = {
    pid: process.pid,
    startedAt: startOf(process.pid) ?? '',
    bootId: read('/proc/sys/kernel/random/boot_id')?.trim() ?? '',
    hostName: hostname(),
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const newest = greatest(0, lockNumbers(dir));
    const leftBefore = newest === 0 ? '' : leftIn(dir, join(dir, fileName(newest)), self);
    const number = newest + 1;
    if (!createWhole(dir, number, JSON.stringify(self))) continue;
    for (const older of lockNumbers(dir)) if (older < number) rmSync(join(dir, fileName(older)), { force: true });
    return { leftBefore, release: (left) => markFree(join(dir, fileName(number)), JSON.stringify(self), left) };
  }
  throw new InvalidFolderError(`other processes keep taking ${dir}`, { details: { dir } });
}

function leftIn(dir: string, path: string, self: Holder): string {
  const text = read(path);
  if (text === null) return ''; // somebody took over a moment ago: the next number is not free
  if (text.startsWith(FREE)) return text.slice(FREE.length);
  const holder = holderIn(text);
  if (holder !== null && hasEnded(holder, self)) return '';
  const who = holder === null ? 'an unknown process' : `process ${holder.pid} of ${holder.hostName}`;
  throw new InvalidFolderError(`${dir} is in use by ${who}`, {
    details: { dir, lockFile: path, ...holder },
    remedy: `Give each process a folder of its own, or end the other first. If it has certainly ended, remove ${path}.`,
  });
}

/** K3. */
function hasEnded(holder: Holder, self: Holder): boolean {
  if (holder.hostName !== self.hostName) return false;
  if (holder.bootId !== self.bootId) return true;
  if (!isAlive(holder.pid)) return true;
  const startedAt = startOf(holder.pid);
  return startedAt !== null && holder.startedAt !== '' && startedAt !== holder.startedAt;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** When a process started, in ticks since the machine did; null where the system does not tell, or there is no such process. */
function startOf(pid: number): string | null {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program, in parentheses, may hold anything: fields are counted from behind it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
}

function holderIn(text: string): Holder | null {
  try {
    const { pid, startedAt, bootId, hostName } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    const isWhole = Number.isSafeInteger(pid) && (pid as number) > 0;
    return isWhole
      ? { pid: pid as number, startedAt: String(startedAt), bootId: String(bootId), hostName: String(hostName) }
      : null;
  } catch {
    return null;
  }
}

/** @returns whether the number was free; the file is there with all of its content or not at all */
function createWhole(dir: string, number: number, text: string): boolean {
  const temporary = join(dir, `${fileName(number)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, text);
    linkSync(temporary, join(dir, fileName(number)));
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new InvalidFolderError(`${dir} can't be locked for this process`, { cause: thrown, details: { dir } });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** K2. A lock that somebody took over meanwhile, or that is gone with its folder, is not ours to mark. */
function markFree(path: string, text: string, left: string): void {
  if (read(path) !== text) return;
  try {
    writeFileSync(`${path}.tmp`, `${FREE}${left}`);
    renameSync(`${path}.tmp`, path);
  } catch {
    // A process that can't say that it leaves is found to have ended instead.
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function lockNumbers(dir: string): readonly number[] {
  return readdirSync(dir).flatMap((name) => {
    const match = FILE_NAME.exec(name);
    return match === null ? [] : [Number(match[1])];
  });
}

function fileName(number: number): string {
  return `lock-${String(number).padStart(8, '0')}`;
}
