/** What the command line asks of an application, as data: answered in this process, or by the one that runs the application. */
import type { TaskId } from '../model/task-id.js';
import type { ApplicationView } from './application-view.js';
import { type DescribeReport, reportDescription } from './reports/describe.js';
import { type DrainAsked, type DrainReport, drainMember } from './reports/drain.js';
import { type LagReport, reportLag } from './reports/lag.js';
import { type MembersReport, reportMembers } from './reports/members.js';
import {
  type ExplanationReport,
  explainPlans,
  type PlanHistoryReport,
  type PlanReport,
  reportPlan,
  reportPlanHistory,
} from './reports/plans.js';
import { type VerifyAsked, type VerifyReport, verifySnapshots } from './reports/snapshots.js';
import { reportTasks, type TasksReport } from './reports/tasks.js';
import { reportTimelines, type TimelineReport } from './reports/timelines.js';

/** Each command with what it asks. */
export interface Asked {
  readonly describe: Record<never, never>;
  readonly members: Record<never, never>;
  readonly tasks: Record<never, never>;
  readonly plan: { readonly number: number | null };
  readonly 'plan history': Record<never, never>;
  readonly 'plan explain': { readonly taskId: TaskId | null; readonly number: number | null };
  readonly lag: Record<never, never>;
  readonly timeline: { readonly taskId: TaskId | null; readonly limit: number };
  readonly drain: DrainAsked;
  readonly 'snapshots verify': VerifyAsked;
}

/** Each command with its answer: what `--json` prints. */
export interface Answers {
  readonly describe: DescribeReport;
  readonly members: MembersReport;
  readonly tasks: TasksReport;
  readonly plan: PlanReport;
  readonly 'plan history': PlanHistoryReport;
  readonly 'plan explain': ExplanationReport;
  readonly lag: LagReport;
  readonly timeline: TimelineReport;
  readonly drain: DrainReport;
  readonly 'snapshots verify': VerifyReport;
}

export type Command = keyof Asked;

export interface Request<C extends Command = Command> {
  readonly command: C;
  readonly asked: Asked[C];
}

const ANSWERS: {
  readonly [C in Command]: (view: ApplicationView, asked: Asked[C]) => Promise<Answers[C]>;
} = {
  describe: reportDescription,
  members: reportMembers,
  tasks: reportTasks,
  plan: (view, { number }) => reportPlan(view, number),
  'plan history': reportPlanHistory,
  'plan explain': explainPlans,
  lag: reportLag,
  timeline: reportTimelines,
  drain: drainMember,
  'snapshots verify': verifySnapshots,
};

/** Answers a request. @throws what the command throws */
export function answer<C extends Command>(view: ApplicationView, { command, asked }: Request<C>): Promise<Answers[C]> {
  return ANSWERS[command](view, asked);
}

/** Whether somebody's JSON names a command that there is. */
export function isRequest(value: unknown): value is Request {
  if (typeof value !== 'object' || value === null) return false;
  const { command, asked } = value as { command?: unknown; asked?: unknown };
  return typeof command === 'string' && Object.hasOwn(ANSWERS, command) && typeof asked === 'object' && asked !== null;
}
