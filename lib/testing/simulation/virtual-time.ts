/**
 * Time that passes only when nobody has anything left to do: hours take moments, and the same program takes the same course.
 *
 * Everything that waits must wait on this clock or on something that this clock ends; IO of the machine is not seen.
 */
import { nextTick } from 'node:process';
import { setImmediate } from 'node:timers';
import type { Clock } from '../../host/host.js';
import { AbortedError, SimulationFailedError } from '../../model/errors.js';

/** One for all: sleeps are given up by the thousand, and a stack of each costs more than the rest of it. */
const GIVEN_UP = Object.freeze(new AbortedError('the sleep was given up'));

/** What a person can do about a run in which nobody will ever wake up. */
const STANDSTILL_REMEDY =
  'Something waits for what is no part of the run: most likely a timer, a request or a file of this machine in user code. Let it wait by `sleep` of the environment, and reach services by `remote`.';
const CIRCLES_REMEDY =
  'Something sleeps again and again without end: most likely a loop in user code, or beats that are set to next to nothing.';

/** Sleeps of one run: some dozen times what one of minutes takes. More means that something runs in circles. */
const WAKES_MOST = 500_000;
/** Sleeps after which the machine's own events have their turn, such as word of rejected promises that nobody heard. */
const WAKES_PER_ROUND = 64;

const SETTLED = Promise.resolve();

interface Sleeper {
  readonly dueMs: number;
  readonly order: number;
  readonly wake: () => void;
}

export class VirtualTime {
  readonly clock: Clock;
  private readonly startMs: number;
  private elapsedMs = 0;
  private order = 0;
  private readonly sleepers: Sleeper[] = [];

  constructor(startMs = 1_700_000_000_000) {
    this.startMs = startMs;
    this.clock = {
      now: () => this.startMs + Math.floor(this.elapsedMs), // as Date.now: whole milliseconds
      monotonic: () => this.elapsedMs,
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
  }

  get nowMs(): number {
    return this.elapsedMs;
  }

  /** Lets time pass until the program has come to its end. @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED if nobody will ever wake up again, or too many do */
  run<T>(program: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      let wakes = 0;
      const over = () => {
        isOver = true;
      };
      program.then(over, over);
      const wakeNext = () => {
        if (isOver) return resolve(program);
        const next = this.sleepers.shift();
        if (next === undefined || wakes > WAKES_MOST) return reject(this.stuck(wakes));
        this.elapsedMs = Math.max(this.elapsedMs, next.dueMs);
        next.wake();
        wakes += 1;
        void SETTLED.then(whenQuiet);
      };
      // Every promise that can settle without the clock has settled by then: `nextTick`, called by one of them, comes after all, and costs
      // less than a round of the machine's own events, which has its turn now and then.
      const whenQuiet = () => {
        if (wakes % WAKES_PER_ROUND === 0) setImmediate(wakeNext);
        else nextTick(wakeNext);
      };
      whenQuiet();
    });
  }

  private stuck(wakes: number): SimulationFailedError {
    const [message, remedy] =
      wakes > WAKES_MOST
        ? [`${WAKES_MOST} sleeps by ${this.elapsedMs} ms: the run goes in circles`, CIRCLES_REMEDY]
        : [`after ${this.elapsedMs} ms everybody waits and nobody sleeps`, STANDSTILL_REMEDY];
    return new SimulationFailedError(message, { details: { atMs: this.elapsedMs }, remedy });
  }

  private sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const at = this.sleepers.indexOf(sleeper);
        if (at >= 0) this.sleepers.splice(at, 1);
        reject(GIVEN_UP);
      };
      this.order += 1;
      const sleeper: Sleeper = {
        dueMs: this.elapsedMs + Math.max(0, ms),
        order: this.order,
        wake: () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      if (signal?.aborted === true) {
        reject(GIVEN_UP);
        return;
      }
      signal?.addEventListener('abort', giveUp, { once: true });
      this.insert(sleeper);
    });
  }

  /** Sleepers stand in the order in which they wake up. */
  private insert(sleeper: Sleeper): void {
    let low = 0;
    let high = this.sleepers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.sleepers[middle] as Sleeper;
      if (other.dueMs <= sleeper.dueMs) low = middle + 1;
      else high = middle;
    }
    this.sleepers.splice(low, 0, sleeper);
  }
}
