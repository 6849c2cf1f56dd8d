/** What functions are invoked with. Payloads are plain JSON; `decode…` (beside) refuses malformed ones with STREAMS_INVALID_PAYLOAD. */
import type { Offset } from '../model/offset.js';

interface Expiring {
  readonly applicationId: string;
  /**
   * Wall-clock milliseconds of the sender after which the receiver must ignore the payload: an event can be hours late. The receiver adds what
   * their clocks may be apart (`CLOCK_TOLERANCE_MS` of decode-payload.ts).
   */
  readonly expiresAtMs: number;
}

interface SlotIncarnation {
  readonly memberId: `member-${number}`;
  readonly incarnation: number;
}

/** The scheduler, or a draining incarnation, asks for an incarnation of a slot. */
export interface RunMember extends Expiring, SlotIncarnation {
  readonly type: 'run-member';
  /**
   * Slots that others are invoked for at the same moment: the invocation may claim one of them instead, for each of the others may
   * claim this one. Absent: there is no other.
   */
  readonly others?: readonly SlotIncarnation[];
}

/** There may be work in these partitions. */
export interface Doorbell extends Expiring {
  readonly type: 'doorbell';
  readonly partitions: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly toOffset: Offset | null;
  }[];
}

/** Advance the snapshots of these tasks' stores. */
export interface AdvanceSnapshots extends Expiring {
  readonly type: 'advance-snapshots';
  readonly taskIds: readonly string[];
}

/** Run a tick now; `reason` is kept with the plan. */
export interface Tick extends Expiring {
  readonly type: 'tick';
  readonly reason: string;
  /** Whether to go on ticking while members run, as the schedule's event does; absent: no. */
  readonly whileMembers?: boolean;
  /** Whether to end the rest of an application that was shut down; absent: no. */
  readonly resume?: boolean;
}

export type Payload = RunMember | Doorbell | AdvanceSnapshots | Tick;
/** Which function takes which payload. */
export interface PayloadOf {
  readonly task: RunMember | Doorbell;
  readonly standby: AdvanceSnapshots;
  readonly scheduler: Tick;
}
export type FunctionName = keyof PayloadOf;
