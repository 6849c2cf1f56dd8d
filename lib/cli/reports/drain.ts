import { isAcceptable } from '../../assignment/lags.js';
import { drainedSlots } from '../../leases/drain-marks.js';
import type { Member, MemberId, Plan } from '../../leases/records.js';
import { slotsWantedBy } from '../../leases/slots.js';
import { CommandRefusedError } from '../../model/errors.js';
import { resolveSettings } from '../../model/settings.js';
import type { TaskId } from '../../model/task-id.js';
import type { ApplicationView } from '../application-view.js';

/** A task that a drained member holds, and what its move will cost. */
export interface LeavingTask {
  readonly taskId: TaskId;
  /** Who keeps a whole copy: of all its stores, caught up (`acceptableRecoveryLag`). Of several the most current one; null: nobody. */
  readonly copyOn: MemberId | null;
  /** What the last restore of the task took, of whatever length; null: none is kept. */
  readonly lastRestoreMs: number | null;
}

export interface DrainReport {
  readonly applicationId: string;
  readonly memberId: MemberId;
  /** `drained` it is marked · `cancelled` its mark is gone. */
  readonly result: 'drained' | 'cancelled';
  /** Until when copies are waited for, wall clock; null: tasks move at once. */
  readonly warmUntilMs: number | null;
  /** What it held by the newest plan. */
  readonly tasks: readonly LeavingTask[];
}

/** How a member is drained. */
export interface DrainAsked {
  readonly memberId: MemberId;
  /** Whether to take the mark away instead. */
  readonly cancel: boolean;
  /** How long tasks stay until copies are caught up; null: they move at once. */
  readonly warmForMs: number | null;
}

/**
 * Marks a member as drained, or takes the mark away; the scheduler's next tick obeys. Saying it again is harmless.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED if there is no such member, or it is the last one
 */
export async function drainMember(
  { applicationId, app, leases, nowMs }: ApplicationView,
  { memberId, cancel, warmForMs }: DrainAsked,
): Promise<DrainReport> {
  const [members, plan, starts] = await Promise.all([leases.listMembers(), leases.readPlan(), leases.listStarts()]);
  const member = members.find((one) => one.memberId === memberId);
  if (member === undefined) throw refused(`there is no ${memberId}`, members.map((one) => one.memberId).join(', '));
  const marked = drainedSlots(members);
  const listed = (plan === null ? [] : slotsWantedBy(plan)).filter((id) => !marked.has(id));
  if (!cancel && listed.every((id) => id === memberId)) throw lastOne(memberId);
  const warmUntilMs = warmForMs === null ? null : nowMs + warmForMs;
  const wantedBefore = member.drain?.wantedBefore ?? listed.length + marked.size;
  const { applied } = await leases.markDrain(memberId, cancel ? null : { wantedBefore, warmUntilMs: warmUntilMs ?? 0 });
  if (!applied) throw refused(`${memberId} is gone`, listed.join(', '));
  const acceptableLag = acceptableLagOf(plan, app);
  const tasks = (plan?.assignment[memberId]?.active ?? []).map((taskId): LeavingTask => {
    const copies = wholeCopiesOf(taskId, members).filter(
      ({ id, lag }) => id !== memberId && isAcceptable(lag, acceptableLag),
    );
    const [best = null] = copies.sort((a, b) => a.lag - b.lag);
    const last = starts.filter((start) => start.taskId === taskId && start.restoredAfterMs !== null).at(-1);
    return { taskId, copyOn: best?.id ?? null, lastRestoreMs: last?.restoredAfterMs ?? null };
  });
  return {
    applicationId,
    memberId,
    result: cancel ? 'cancelled' : 'drained',
    warmUntilMs: cancel ? null : warmUntilMs,
    tasks,
  };
}

/** As the scheduler had it when it made the plan. */
function acceptableLagOf(plan: Plan | null, app: ApplicationView['app']): number {
  const placedBy = plan?.placedBy?.settings.acceptableRecoveryLag;
  return placedBy === undefined ? (app?.settings ?? resolveSettings()).acceptableRecoveryLag : Number(placedBy);
}

/**
 * Who has all stores of a task that anybody reports, and how many changelog records each lacks of them: up to where anybody has seen the
 * changelogs end, for who has stopped to follow does not know that it is behind.
 */
function wholeCopiesOf(
  taskId: TaskId,
  members: readonly Member[],
): readonly { readonly id: MemberId; readonly lag: number }[] {
  const ends = new Map<string, number>();
  for (const { report } of members)
    for (const position of report.positions)
      if (position.taskId === taskId)
        ends.set(position.store, Math.max(ends.get(position.store) ?? 0, position.nextOffset, position.endOffset));
  return members.flatMap(({ memberId: id, report }) => {
    const own = new Map(report.positions.filter((one) => one.taskId === taskId).map((one) => [one.store, one]));
    if (own.size === 0 || own.size < ends.size) return [];
    const lag = [...own.values()].reduce((sum, { store, nextOffset }) => sum + (ends.get(store) ?? 0) - nextOffset, 0);
    return [{ id, lag }];
  });
}

function refused(message: string, known: string): CommandRefusedError {
  return new CommandRefusedError(message, { remedy: known === '' ? 'There is no member.' : `There are: ${known}.` });
}

function lastOne(memberId: MemberId): CommandRefusedError {
  return new CommandRefusedError(`${memberId} is the last member: nobody could take its tasks`, {
    remedy: 'Want more members first, or take back the drain of another.',
  });
}
