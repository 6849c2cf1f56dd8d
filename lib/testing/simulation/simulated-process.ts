/**
 * One execution environment: a process that runs one invocation at a time, keeps its memory from one to the next, can stand
 * still, and can die at any moment.
 */
import { setMaxListeners } from 'node:events';
import type { FunctionName } from '../../invoke/payloads.js';
import { KeptStores } from '../../runtime/kept-stores.js';
import { CRASH } from '../../runtime/mortal-ports.js';
import type { VirtualTime } from './virtual-time.js';

export type SimulatedFunction = FunctionName | 'query';

export class SimulatedProcess {
  /** `task#3` */
  readonly name: string;
  readonly runs: SimulatedFunction;
  /** Milliseconds that its wall clock is ahead of the true one. */
  skewMs = 0;
  /** Stores that it holds and that no task of it runs on: of a task function. */
  readonly kept = new KeptStores();
  /** Virtual milliseconds at which it last went on after having stood still; 0: it never stood still. */
  thawedAtMs = 0;
  private readonly time: VirtualTime;
  private readonly death = new AbortController();
  private frozen: Promise<void> | null = null;
  private cause: string | null = null;

  constructor(name: string, runs: SimulatedFunction, time: VirtualTime) {
    this.name = name;
    this.runs = runs;
    this.time = time;
    setMaxListeners(0, this.death.signal); // one for each invocation that it has run
  }

  /** Fires when it dies, with the reason that means death to the engines. */
  get deathSignal(): AbortSignal {
    return this.death.signal;
  }

  get isDead(): boolean {
    return this.death.signal.aborted;
  }

  /** Why it died; null while it lives. */
  get causeOfDeath(): string | null {
    return this.cause;
  }

  /** Ends it now: nothing it does from here on has any effect. */
  kill(cause: string): void {
    if (this.isDead) return;
    this.cause = cause;
    this.death.abort(CRASH);
  }

  /** Lets it stand still for a while; what others do to the world goes on. */
  freeze(ms: number): void {
    if (this.frozen !== null || this.isDead) return;
    const until = this.time.clock.sleep(ms).then(() => {
      if (this.frozen !== until) return;
      this.frozen = null;
      this.thawedAtMs = this.time.nowMs;
    });
    this.frozen = until;
  }

  get isFrozen(): boolean {
    return this.frozen !== null;
  }

  /** Resolves when it does not stand still. */
  async thawed(): Promise<void> {
    while (this.frozen !== null) await this.frozen; // each freeze has an end of its own
  }
}
