/** Answers as text for people. The form may change with any version: programs read `--json`. */
import type { ExplainedMember, PlanExplanation } from '../leases/history.js';
import type { Incarnation, MemberId } from '../leases/records.js';
import type { TaskId } from '../model/task-id.js';
import type { DescribeReport } from './reports/describe.js';
import type { DrainReport } from './reports/drain.js';
import type { LagReport } from './reports/lag.js';
import type { MembersReport } from './reports/members.js';
import type { ExplanationReport, PlanHistoryReport, PlanReport } from './reports/plans.js';
import type { VerifyReport } from './reports/snapshots.js';
import type { TasksReport } from './reports/tasks.js';
import type { Timeline, TimelineReport } from './reports/timelines.js';
import type { Answers, Command } from './request.js';
import { textList, textTable } from './text-table.js';

const RENDERED: { readonly [C in Command]: (answer: Answers[C]) => string } = {
  describe: description,
  members,
  tasks,
  plan,
  'plan history': planHistory,
  'plan explain': explanations,
  lag,
  timeline: timelines,
  drain,
  'snapshots verify': verified,
};

/** An answer as text. */
export function render<C extends Command>(command: C, answer: Answers[C]): string {
  return RENDERED[command](answer);
}

function description(report: DescribeReport): string {
  const { applicationId, plan: newest, rest, slots, running, tasks: count, unowned, topology, settings } = report;
  const summary = textList([
    ['application', applicationId],
    ['plan', newest === null ? 'none yet' : `${newest.number}, by ${newest.assignor}: ${newest.reason}`],
    ...(rest === null ? [] : [['at rest', `${rest.memberId}: ${rest.code}: ${rest.message}`] as const]),
    ['members', `${running} of ${slots} slots run`],
    ['tasks', unowned === 0 ? count : `${count}, ${unowned} with nobody`],
  ]);
  const listed = Object.entries(settings ?? {}).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return [
    summary,
    ...(topology === null ? ['Give --app to see topology and settings.'] : [topology.trimEnd()]),
    ...(listed.length === 0 ? [] : [textList(listed)]),
  ].join('\n\n');
}

function members({ members: rows }: MembersReport): string {
  if (rows.length === 0) return 'There is no member.';
  return textTable(
    ['MEMBER', 'STATUS', 'RUN', 'ACTIVE', 'STANDBY', 'WARM-UP', 'RUNNING', 'RECORDS', 'PLAN', 'TAGS'],
    rows.map((row) => [
      row.memberId,
      row.drained ? `${row.status}, drained` : row.listed ? row.status : `${row.status}, not wanted`,
      row.incarnation,
      row.active,
      row.standby,
      row.warmup,
      row.running,
      row.recordsProcessed,
      row.planNumber,
      tagsText(row.tags),
    ]),
  );
}

function tasks({ tasks: rows }: TasksReport): string {
  if (rows.length === 0) return 'There is no task yet.';
  return textTable(
    ['TASK', 'STATE', 'OWNER', 'EPOCH', 'GRANTED TO', 'STANDBYS', 'WARM-UPS'],
    rows.map((row) => [
      row.taskId,
      row.state,
      incarnationText(row.owner),
      row.leaseEpoch,
      row.grantedTo ?? '-',
      list(row.standbys),
      list(row.warmups),
    ]),
  );
}

function plan({ plan: shown }: PlanReport): string {
  if (shown === null) return 'There is no plan yet.';
  const { number, createdAtMs, reason, assignor, assignment, dead, followUp, rest } = shown;
  const head = textList([
    ['plan', number],
    ['written', time(createdAtMs)],
    ['reason', reason],
    ['assignor', assignor],
    ...(followUp === true ? [['on the way', 'later ticks ask the assignor again'] as const] : []),
    ...(dead.length === 0 ? [] : [['dead', dead.map(incarnationText).join(', ')] as const]),
    ...(rest === undefined ? [] : [['at rest', `${rest.memberId}: ${rest.code}: ${rest.message}`] as const]),
  ]);
  const rows = Object.entries(assignment).map(([memberId, held]) => [
    memberId,
    list(held.active),
    list(held.standby),
    list(held.warmup),
  ]);
  return `${head}\n\n${textTable(['MEMBER', 'ACTIVE', 'STANDBY', 'WARM-UP'], rows)}`;
}

function planHistory({ plans }: PlanHistoryReport): string {
  if (plans.length === 0) return 'No history of plans is kept.';
  return textTable(
    ['PLAN', 'DECIDED', 'MOVES', 'COPIES', 'ASSIGNOR', 'TRIGGER'],
    plans.map((one) => [one.planNumber, time(one.decidedAtMs), one.activeMoves, one.copies, one.assignor, one.trigger]),
  );
}

function explanations({ explanations: all, taskId, note }: ExplanationReport): string {
  if (note !== null) return `Nothing to tell: ${note}.`;
  return all.map((one) => (taskId === null ? wholePlan(one) : whyMoved(one, taskId))).join('\n\n');
}

/** Why did 1_3 move? */
function whyMoved({ planNumber, decidedAtMs, trigger, moves, score }: PlanExplanation, taskId: TaskId): string {
  const own = moves.filter((move) => move.taskId === taskId).map(({ reason }) => reason);
  return [...own, `plan ${planNumber}, ${time(decidedAtMs)}: ${trigger}`, ...scoreText(score)].join('\n');
}

function wholePlan(one: PlanExplanation): string {
  const { planNumber, decidedAtMs, seenAtMs, trigger, assignor, wasPlaced, moves, movesLeftOut } = one;
  const { stateful, stateless } = one.tasks;
  const head = textList([
    ['plan', planNumber],
    ['decided', `${time(decidedAtMs)}, ${milliseconds(decidedAtMs - seenAtMs)} after the tables were read`],
    ['trigger', trigger],
    ['assignor', wasPlaced ? assignor : `${assignor}, which was not asked`],
    ['tasks', `${stateful} with stores, ${stateless} without`],
  ]);
  return [
    head,
    ...(one.members.length === 0 ? [] : [explainedMembers(one.members)]),
    ...scoreText(one.score),
    moves.length === 0 ? 'Nothing moved.' : moves.map(({ reason }) => reason).join('\n'),
    ...(movesLeftOut === 0 ? [] : [`${movesLeftOut} more moves did not fit the history.`]),
  ].join('\n\n');
}

function explainedMembers(rows: readonly ExplainedMember[]): string {
  return textTable(
    ['MEMBER', 'LIVE', 'CAPACITY', 'BEFORE', 'ACTIVE', 'STANDBY', 'WARM-UP', 'TAGS'],
    rows.map((row) => [
      row.memberId,
      row.live ? 'yes' : 'no',
      row.capacity,
      row.activeBefore,
      row.active,
      row.standby,
      row.warmup,
      tagsText(row.tags),
    ]),
  );
}

function scoreText(score: PlanExplanation['score']): readonly string[] {
  if (score.length === 0) return [];
  const rows = score.map(({ goal, before, after, unit }) => [
    goal,
    before === null ? '-' : fraction(before),
    fraction(after),
    unit,
  ]);
  return [textTable(['GOAL', 'BEFORE', 'AFTER', 'COUNTED'], rows)];
}

function verified({ stores, isRight }: VerifyReport): string {
  const rows = stores.map((one) => [
    ...[one.taskId, one.store, one.verdict],
    ...[one.snapshotOffset ?? '-', one.comparedOffset ?? '-', one.entries, one.differences],
    [...one.refused, ...one.examples.map(({ key, what }) => `${key}: ${what}`)].join(', ') || '-',
  ]);
  const table = textTable(
    ['TASK', 'STORE', 'VERDICT', 'SNAPSHOT AT', 'COMPARED AT', 'ENTRIES', 'DIFFER', 'SUCH AS'],
    rows,
  );
  return `${table}\n${isRight ? 'all snapshots are right' : 'NOT all snapshots are right'}`;
}

function lag({ tasks: rows, lag: total }: LagReport): string {
  const table = textTable(
    ['TASK', 'OWNER', 'LAG', 'INPUTS', 'COPIES'],
    rows.map((row) => [
      row.taskId,
      row.owner ?? '-',
      row.lag,
      list(row.inputs.map(({ topic, partition, lag: behind }) => `${topic}-${partition}: ${behind}`)),
      list(row.copies.map(({ memberId, lag: lacks }) => `${memberId}: ${lacks}`)),
    ]),
  );
  return `${table}\n\n${total} in all`;
}

function drain({ memberId, result, warmUntilMs, tasks: leaving }: DrainReport): string {
  if (result === 'cancelled') return `${memberId} is drained no longer: the next tick counts it again.`;
  const how =
    warmUntilMs === null
      ? 'its tasks move with the next tick'
      : `its tasks stay until copies elsewhere are caught up, at most until ${time(warmUntilMs)}`;
  const head = `${memberId} is drained: ${how}, then it ends, and its slot stays empty until \`millrace drain ${memberId} --cancel\`.`;
  if (leaving.length === 0) return head;
  const rows = leaving.map(({ taskId, copyOn, lastRestoreMs }) => [
    taskId,
    copyOn ?? '-',
    lastRestoreMs === null ? 'not known' : milliseconds(lastRestoreMs),
  ]);
  const cold = leaving.filter(({ copyOn }) => copyOn === null);
  const isCold = warmUntilMs === null && cold.length > 0;
  return [
    head,
    textTable(['TASK', 'COPY ON', 'LAST RESTORE'], rows),
    ...(isCold
      ? [
          `${cold.length} of them have no copy elsewhere, and pause for as long as a restore takes: --warm-first prepares them before they move.`,
        ]
      : []),
  ].join('\n\n');
}

function timelines({ timelines: all }: TimelineReport): string {
  if (all.length === 0) return 'Nothing to tell: no start or move of what was asked for is kept.';
  return all.map(timelineText).join('\n\n');
}

function timelineText({
  taskId,
  kind,
  from,
  to,
  planNumber,
  marks,
  parts,
  outageMs,
  restoredRecords,
  state,
}: Timeline): string {
  const way = from === null || from === to ? `on ${to}` : `from ${from} to ${to}`;
  const by = planNumber === 0 ? '' : `, plan ${planNumber}`;
  const start = marks[0]?.atMs ?? 0;
  const rows = marks.map(({ mark, atMs }) => [mark, time(atMs), `+${milliseconds(atMs - start)}`]);
  const spent = parts.map(({ part, ms }) => `${part} ${milliseconds(ms)}`).join(' + ');
  return [
    `${taskId}: ${kind} ${way}${by}, ${state}`,
    indented(textTable(['MARK', 'AT', 'SINCE'], rows)),
    ...(spent === '' ? [] : [`  ${spent}${outageMs === null ? '' : ` = ${milliseconds(outageMs)} of outage`}`]),
    ...(restoredRecords === null || restoredRecords === 0 ? [] : [`  ${restoredRecords} records restored`]),
  ].join('\n');
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}

function fraction(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function list(of: readonly (TaskId | MemberId | string)[]): string {
  return of.length === 0 ? '-' : of.join(', ');
}

function incarnationText(one: Incarnation | null): string {
  return one === null ? '-' : `${one.memberId} (${one.incarnation})`;
}

function tagsText(tags: Readonly<Record<string, string>>): string {
  const all = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return all.length === 0 ? '-' : all.join(' ');
}
