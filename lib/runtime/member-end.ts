/** Why a member ends; `lost` overrules everything, a request to stop everything but that. */
export type EndReason = 'lost' | 'stopped' | 'drained' | 'retired' | 'idle';

/** A doorbell's member that is told to stay resident still ends after this long without work. */
const DOORBELL_IDLE_MS = 1_000;

/** What the decision looks at. Times are monotonic milliseconds. */
export interface EndQuestion {
  readonly isLost: boolean;
  /** Asked by the caller, or something failed that trying again does not mend. */
  readonly isAskedToStop: boolean;
  readonly nowMs: number;
  /** When handing over has to begin; Infinity without a deadline. */
  readonly drainAtMs: number;
  /** Whether the newest plan has the slot; null before the first plan. */
  readonly isListed: boolean | null;
  readonly isForDoorbell: boolean;
  /** Whether the newest plan puts the application to rest. */
  readonly isAtRest: boolean;
  /** 0 keeps a member resident. */
  readonly idleTimeoutMs: number;
  /** Work that is known of, though no task may be busy with it: a lease waited for, an offset to reach. */
  readonly hasWork: boolean;
  /** Last moment at which there was work, or the start. */
  readonly activeAtMs: number;
}

/** Whether a member ends now, and why; null: it goes on. Pure. */
export function whyEnd(question: EndQuestion): EndReason | null {
  const { nowMs, isForDoorbell } = question;
  if (question.isLost) return 'lost';
  if (question.isAskedToStop) return 'stopped';
  if (nowMs >= question.drainAtMs) return 'drained';
  // A plan lists every slot that is wanted; a doorbell's member works where there may be none.
  if (question.isAtRest || (question.isListed === false && !isForDoorbell)) return 'retired';
  const idleMs = question.idleTimeoutMs === 0 && isForDoorbell ? DOORBELL_IDLE_MS : question.idleTimeoutMs;
  if (idleMs === 0 || question.hasWork) return null;
  return nowMs - question.activeAtMs >= idleMs ? 'idle' : null;
}
