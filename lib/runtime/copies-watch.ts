/**
 * Keeps a member with copies from ending for idleness while the tasks that it copies are at work elsewhere: nothing may be written to
 * their changelogs for a while, and yet the copies are what takes over (copies-in-use.ts has the rule).
 *
 * It looks only when the member is about to end, so that copies under load cost no reads.
 */
import { areCopiesInUse } from '../leases/copies-in-use.js';
import { asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { RuntimePorts } from './ports.js';

/** Part of the idle time-out after which it looks. */
const LOOK_AFTER_PART = 0.75;

export class CopiesWatch {
  private readonly ports: Pick<RuntimePorts, 'leases' | 'host'>;
  /** Monotonic milliseconds of the last look that found the copies in use. */
  private inUseAtMs = 0;

  constructor(ports: Pick<RuntimePorts, 'leases' | 'host'>) {
    this.ports = ports;
  }

  /** The last moment at which the member was of use: at its own work or with its copies, in monotonic milliseconds. */
  ofUseAtMs(activeAtMs: number): number {
    return Math.max(activeAtMs, this.inUseAtMs);
  }

  /** Looks, if the member would end soon. Never throws: who can not look ends, and is asked for again. */
  async turn(activeAtMs: number, taskIds: readonly TaskId[], idleTimeoutMs: number): Promise<void> {
    const { leases, host } = this.ports;
    const nowMs = host.clock.monotonic();
    if (idleTimeoutMs === 0 || taskIds.length === 0) return;
    if (nowMs - this.ofUseAtMs(activeAtMs) < idleTimeoutMs * LOOK_AFTER_PART) return;
    try {
      const copied = await Promise.all(taskIds.map((taskId) => leases.readLease(taskId)));
      const members = await leases.listMembers();
      const held = copied.filter((lease) => lease !== null);
      if (areCopiesInUse({ taskIds, leases: held, members, idleTimeoutMs })) this.inUseAtMs = nowMs;
    } catch (thrown) {
      const { code, message } = asStreamsError(thrown);
      host.logger.warn('copies-in-use-unknown', { code, message });
    }
  }
}
