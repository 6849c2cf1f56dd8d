/**
 * How an incarnation takes over from the one before it in its slot, which drains before its deadline: it copies the stores of the tasks that the
 * other still runs, and says that it has read the plan only when it holds them. The other works on until then (hand-over.ts), so that a
 * deployment pauses a task for no longer than a move does.
 *
 * Invariants
 *   D1  warming up ends: with the copies, or after {@link warmUpPatienceMs}
 *   D2  leases that the other still holds {@link RELEASE_PATIENCE_MS} later are taken as they are: it may have died
 */
import type { Clock } from '../host/host.js';
import type { Settings } from '../model/settings.js';

/** How long a successor that is ready lets its predecessor finish before it takes what that still holds. */
export const RELEASE_PATIENCE_MS = 1_000;

/**
 * Longest time that both sides give the copies. With the age of the predecessor's last renewal, a heartbeat, and half as much again until it finds its
 * successor, it stays within the session time-out, for which a member that can not renew its slot may work on.
 */
export function warmUpPatienceMs({ sessionTimeoutMs }: Pick<Settings, 'sessionTimeoutMs'>): number {
  return sessionTimeoutMs / 3;
}

export class Predecessor {
  private readonly clock: Pick<Clock, 'monotonic'>;
  private readonly patienceMs: number;
  private readonly startedMs: number;
  /** When there was nothing more to prepare, in monotonic milliseconds; null: there is. */
  private readyMs: number | null;

  /** @param drains whether there is one, and hands over */
  constructor(clock: Pick<Clock, 'monotonic'>, settings: Pick<Settings, 'sessionTimeoutMs'>, drains: boolean) {
    this.clock = clock;
    this.patienceMs = warmUpPatienceMs(settings);
    this.startedMs = clock.monotonic();
    this.readyMs = drains ? null : Number.NEGATIVE_INFINITY;
  }

  /** Whether the tasks that it holds are still being copied here (D1). */
  get isWarmingUp(): boolean {
    return this.readyMs === null && this.clock.monotonic() - this.startedMs < this.patienceMs;
  }

  /** Whether its leases are left to it for the moment (D2). */
  get isFinishing(): boolean {
    const readyMs = this.readyMs ?? this.startedMs + this.patienceMs;
    return this.clock.monotonic() - readyMs < RELEASE_PATIENCE_MS;
  }

  /** There is nothing more to prepare. */
  ready(): void {
    this.readyMs ??= this.clock.monotonic();
  }
}
