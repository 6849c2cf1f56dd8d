import type { PlanExplanation } from '../../leases/history.js';
import type { Plan } from '../../leases/records.js';
import { CommandRefusedError } from '../../model/errors.js';
import type { TaskId } from '../../model/task-id.js';
import type { ApplicationView } from '../application-view.js';

export interface PlanReport {
  readonly applicationId: string;
  /** Null: there is none yet. */
  readonly plan: Plan | null;
}

/** A plan of the history, without its moves one by one. */
export interface PlanLine {
  readonly planNumber: number;
  readonly decidedAtMs: number;
  readonly trigger: string;
  readonly assignor: string;
  readonly activeMoves: number;
  readonly copies: number;
}

export interface PlanHistoryReport {
  readonly applicationId: string;
  /** The newest first. */
  readonly plans: readonly PlanLine[];
}

export interface ExplanationReport {
  readonly applicationId: string;
  /** The task that was asked about; null: all of one plan. */
  readonly taskId: TaskId | null;
  /** The newest first; of one plan unless a task was asked about. */
  readonly explanations: readonly PlanExplanation[];
  /** Why there is nothing to tell, in words; null: there is. */
  readonly note: string | null;
}

/**
 * A plan: the newest, or one by its number.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED if plan `number` is not kept
 */
export async function reportPlan(
  { applicationId, leases }: ApplicationView,
  number: number | null,
): Promise<PlanReport> {
  if (number === null) return { applicationId, plan: await leases.readPlan() };
  const plan = await leases.readPlanNumber(number);
  if (plan === null) throw notKept(number);
  return { applicationId, plan };
}

/** The plans whose explanations are kept. */
export async function reportPlanHistory({ applicationId, leases }: ApplicationView): Promise<PlanHistoryReport> {
  const plans = (await leases.listExplanations()).map((explanation): PlanLine => {
    const { planNumber, decidedAtMs, trigger, assignor, moves } = explanation;
    const activeMoves = moves.filter(({ role }) => role === 'active').length;
    return { planNumber, decidedAtMs, trigger, assignor, activeMoves, copies: moves.length - activeMoves };
  });
  return { applicationId, plans: plans.reverse() };
}

/**
 * Why plans are as they are: the newest, one by its number, or all that moved a task.
 *
 * @throws {CommandRefusedError} STREAMS_COMMAND_REFUSED if nothing is kept of the plan, or of any that moved the task
 */
export async function explainPlans(
  { applicationId, leases }: ApplicationView,
  { taskId, number }: { readonly taskId: TaskId | null; readonly number: number | null },
): Promise<ExplanationReport> {
  const kept = [...(await leases.listExplanations())].reverse();
  const asked = number === null ? kept : kept.filter(({ planNumber }) => planNumber === number);
  if (number !== null && asked.length === 0) throw notKept(number);
  const report = (explanations: readonly PlanExplanation[], note: string | null): ExplanationReport => {
    return { applicationId, taskId, explanations, note };
  };
  if (taskId === null) {
    const [newest] = asked;
    return newest === undefined ? report([], 'no explanation is kept') : report([newest], null);
  }
  const about = asked
    .map((one) => ({ ...one, moves: one.moves.filter((move) => move.taskId === taskId) }))
    .filter(({ moves }) => moves.length > 0);
  const note =
    about.length > 0 ? null : `no plan that is kept${number === null ? '' : ` as ${number}`} moved ${taskId}`;
  return report(about, note);
}

function notKept(number: number): CommandRefusedError {
  return new CommandRefusedError(`plan ${number} is not kept`, {
    details: { planNumber: number },
    remedy: 'Ask for a newer one: `millrace plan history` lists those that are.',
  });
}
