import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('watch-owner.mjs', import.meta.url));

/**
 * Sees to it that what this process started ends with it, even when it is killed: a process of its own (watch-owner.mjs), in a
 * session of its own so that Ctrl-C spares it, waits for the end of a pipe that only this process holds open.
 */
export class Watchdog {
  private readonly process: ChildProcess;

  constructor() {
    this.process = spawn(process.execPath, [program], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    this.process.on('error', () => {});
    this.process.stdin?.on('error', () => {});
    this.process.unref();
    const { stdin } = this.process;
    if (stdin !== null && 'unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  }

  /** Ends this process when we end. */
  watch(pid: number): void {
    this.tell(`start ${pid}`);
  }

  /** The process has ended; its number may soon belong to another. */
  forget(pid: number): void {
    this.tell(`end ${pid}`);
  }

  /** Removes the folder when we end. */
  removeAtEnd(folder: string): void {
    this.tell(`folder ${folder}`);
  }

  /** Ends what is still watched and removes the folders, now. */
  close(): void {
    this.process.stdin?.end();
  }

  private tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }
}
