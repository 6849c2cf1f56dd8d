/**
 * The places of a member's tasks in the line of those that are to restore (restore-queue.ts): reports, reads, and waits.
 *
 * Without a limit nobody waits, and nothing is read or written for it.
 */
import type { Clock, Logger, Random } from '../host/host.js';
import type { RestoreReport } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import { mayClaim, mayRestore } from './restore-queue.js';
import { Wakeup } from './wakeup.js';

/** Longest and shortest pause before a member that waits for a place looks again. */
const LOOK_AGAIN_MOST_MS = 1_000;
const LOOK_AGAIN_LEAST_MS = 250;

export interface RestorePlacesInit {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Tasks of the application at the same time; 0: any number. */
  readonly limit: number;
  /** Resolves once what {@link RestorePlaces.report} says now, or later, is where the others read it. */
  readonly reported: () => Promise<void>;
  /** What the other members that are alive have reported; consistent. */
  readonly readOthers: () => Promise<readonly RestoreReport[]>;
  /** Called when a place was given back: there may be something to report. */
  readonly changed: () => void;
}

/** A task that asks for a place. */
export interface PlaceRequest {
  readonly taskId: TaskId;
  /** Bytes that are to be read, as far as is known. */
  readonly leftBytes: number;
  readonly signal: AbortSignal;
  /** Called if it has to wait. */
  readonly waits: () => void;
}

interface Place {
  report: RestoreReport;
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

export class RestorePlaces {
  private readonly init: RestorePlacesInit;
  private readonly places = new Map<TaskId, Place>();
  private readonly wakeup = new Wakeup();
  private isLooking = false;

  constructor(init: RestorePlacesInit) {
    this.init = init;
  }

  get limit(): number {
    return this.init.limit;
  }

  /** What the member reports, in the order in which the tasks have asked. */
  report(): readonly RestoreReport[] {
    return [...this.places.values()].map(({ report }) => report);
  }

  /**
   * Waits until the task may restore; {@link leave} gives its place back.
   *
   * @throws {AbortedError} STREAMS_ABORTED as soon as the signal fires · what the tables throw that trying again does not mend
   */
  async enter({ taskId, leftBytes, signal, waits }: PlaceRequest): Promise<void> {
    if (signal.aborted) throw new AbortedError('the task is asked to stop', { cause: signal.reason });
    const state = this.init.limit === 0 ? 'restoring' : 'waiting';
    let stop = () => {};
    const admitted = new Promise<void>((admit, refuse) => {
      this.places.set(taskId, { report: { taskId, state, leftBytes }, admit, refuse });
      stop = () => refuse(new AbortedError('the task is asked to stop', { cause: signal.reason }));
    });
    if (state === 'restoring') return;
    signal.addEventListener('abort', stop, { once: true });
    waits();
    if (this.isLooking) this.wakeup.wake();
    else void this.look();
    try {
      await admitted;
    } catch (error) {
      this.leave(taskId);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The task has restored, or has given it up. May be called twice. */
  leave(taskId: TaskId): void {
    if (!this.places.delete(taskId) || this.init.limit === 0) return;
    this.wakeup.wake();
    this.init.changed();
  }

  /** Until nobody waits; each turn is bounded by two reports and two reads, each pause by {@link LOOK_AGAIN_MOST_MS}. Never throws. */
  private async look(): Promise<void> {
    const { clock, random, logger } = this.init;
    this.isLooking = true;
    try {
      while (this.isAnybodyWaiting()) {
        await this.turn().catch((thrown: unknown) => {
          const error = asStreamsError(thrown);
          if (error.kind !== 'transient' || error instanceof AbortedError) throw error;
          this.moveAll('claiming', 'waiting');
          logger.warn('restore-place-unknown', { code: error.code, message: error.message });
        });
        const pauseMs = LOOK_AGAIN_LEAST_MS + random.next() * (LOOK_AGAIN_MOST_MS - LOOK_AGAIN_LEAST_MS); // Q3
        if (this.isAnybodyWaiting()) await this.wakeup.sleep(clock, pauseMs);
      }
    } catch (thrown) {
      const error = asStreamsError(thrown);
      for (const { report, refuse } of this.places.values()) if (report.state !== 'restoring') refuse(error);
    } finally {
      this.isLooking = false;
    }
  }

  private async turn(): Promise<void> {
    const { limit, reported, readOthers } = this.init;
    await reported();
    const claim = mayClaim({ mine: this.report(), others: await readOthers(), limit });
    for (const taskId of claim) this.move(taskId, 'claiming');
    if (!this.report().some(({ state }) => state === 'claiming')) return;
    await reported();
    const others = await readOthers();
    for (const taskId of mayRestore({ mine: this.report(), others, limit })) {
      this.move(taskId, 'restoring');
      this.places.get(taskId)?.admit();
    }
    this.moveAll('claiming', 'waiting');
  }

  private isAnybodyWaiting(): boolean {
    return this.report().some(({ state }) => state !== 'restoring');
  }

  private move(taskId: TaskId, state: RestoreReport['state']): void {
    const place = this.places.get(taskId);
    if (place !== undefined) place.report = { ...place.report, state };
  }

  private moveAll(from: RestoreReport['state'], to: RestoreReport['state']): void {
    for (const [taskId, { report }] of this.places) if (report.state === from) this.move(taskId, to);
  }
}
