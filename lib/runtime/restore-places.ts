/**
 * The places of a member's tasks, and of its copies, in the line of those that are to restore (restore-queue.ts): reports, reads, and waits.
 *
 * Without a limit nobody waits, and nothing is read or written for it.
 */
import type { Clock, Logger, Random } from '../host/host.js';
import type { RestoreReport } from '../leases/records.js';
import { AbortedError, asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import { mayClaim, mayRestore, mustGiveWay } from './restore-queue.js';
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

/** A task that asks for a place, or a copy of it. */
export interface PlaceRequest {
  readonly taskId: TaskId;
  /** Bytes that are to be read, as far as is known. */
  readonly leftBytes: number;
  readonly signal: AbortSignal;
  /** Called if it has to wait. */
  readonly waits: () => void;
  /** Of a copy: called once tasks wait for its place (Q4), which it gives back as soon as it reads no more. Absent: it is the task itself. */
  readonly givesWay?: () => void;
}

interface Place {
  report: RestoreReport;
  /** Until it was called. */
  givesWay: (() => void) | null;
  readonly admit: () => void;
  readonly refuse: (error: Error) => void;
}

export class RestorePlaces {
  private readonly init: RestorePlacesInit;
  /** By task, those of copies apart. */
  private readonly places = new Map<string, Place>();
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
  async enter({ taskId, leftBytes, signal, waits, givesWay }: PlaceRequest): Promise<void> {
    if (signal.aborted) throw new AbortedError('the task is asked to stop', { cause: signal.reason });
    const state = this.init.limit === 0 ? 'restoring' : 'waiting';
    const of = { taskId, ...(givesWay === undefined ? {} : { copy: true }) };
    const key = keyOf(of);
    let stop = () => {};
    let place: Place | undefined;
    const admitted = new Promise<void>((admit, refuse) => {
      const report: RestoreReport = { ...of, state, leftBytes };
      place = { report, admit, refuse, givesWay: givesWay ?? null };
      this.places.set(key, place);
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
      if (this.places.get(key) === place) this.leave(of);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The task, or its copy, has restored, or has given it up. May be called twice. */
  leave(of: Pick<RestoreReport, 'taskId' | 'copy'>): void {
    if (!this.places.delete(keyOf(of)) || this.init.limit === 0) return;
    this.wakeup.wake();
    this.init.changed();
  }

  /** Until nobody waits, and no copy may have to give way; each turn is bounded by two reports and two reads, each pause by {@link LOOK_AGAIN_MOST_MS}. Never throws. */
  private async look(): Promise<void> {
    const { clock, random, logger } = this.init;
    this.isLooking = true;
    try {
      while (this.hasReasonToLook()) {
        await this.turn().catch((thrown: unknown) => {
          const error = asStreamsError(thrown);
          if (error.kind !== 'transient' || error instanceof AbortedError) throw error;
          this.moveAll('claiming', 'waiting');
          logger.warn('restore-place-unknown', { code: error.code, message: error.message });
        });
        const pauseMs = LOOK_AGAIN_LEAST_MS + random.next() * (LOOK_AGAIN_MOST_MS - LOOK_AGAIN_LEAST_MS); // Q3
        if (this.hasReasonToLook()) await this.wakeup.sleep(clock, pauseMs);
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
    if (this.report().some(({ state }) => state !== 'restoring')) await reported();
    const seen = await readOthers();
    this.giveWay(seen);
    for (const one of mayClaim({ mine: this.report(), others: seen, limit })) this.move(one, 'claiming');
    if (!this.report().some(({ state }) => state === 'claiming')) return;
    await reported();
    const others = await readOthers();
    for (const one of mayRestore({ mine: this.report(), others, limit })) {
      this.move(one, 'restoring');
      this.places.get(keyOf(one))?.admit();
    }
    this.moveAll('claiming', 'waiting');
  }

  /** Q4. */
  private giveWay(others: readonly RestoreReport[]): void {
    for (const one of mustGiveWay({ mine: this.report(), others, limit: this.init.limit })) {
      const place = this.places.get(keyOf(one));
      place?.givesWay?.();
      if (place !== undefined) place.givesWay = null;
    }
  }

  private hasReasonToLook(): boolean {
    return [...this.places.values()].some(({ report, givesWay }) => report.state !== 'restoring' || givesWay !== null);
  }

  private move(one: RestoreReport, state: RestoreReport['state']): void {
    const place = this.places.get(keyOf(one));
    if (place !== undefined) place.report = { ...place.report, state };
  }

  private moveAll(from: RestoreReport['state'], to: RestoreReport['state']): void {
    for (const { report } of this.places.values()) if (report.state === from) this.move(report, to);
  }
}

function keyOf({ taskId, copy = false }: Pick<RestoreReport, 'taskId' | 'copy'>): string {
  return copy ? `copy of ${taskId}` : taskId;
}
