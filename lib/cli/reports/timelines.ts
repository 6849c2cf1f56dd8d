/**
 * Failovers and moves as timelines (features F10): when what was seen, decided and done, and what each part took.
 *
 *   T1  parts are the differences of neighbouring marks: their sum is the outage, to the millisecond
 *   T2  marks are of several machines' wall clocks, those within one start of one monotonic clock: parts between two machines are as
 *       true as these clocks agree, and one below zero is shown as it is
 *   T3  what was decided and of which no start was written is unfinished: under way, or the writer died; it ends with its history
 */
import { type MemberDeath, type PlanExplanation, STARTS_KEPT_PER_TASK, type TaskStart } from '../../leases/history.js';
import type { Incarnation, MemberId } from '../../leases/records.js';
import type { TaskId } from '../../model/task-id.js';
import type { ApplicationView } from '../application-view.js';

/**
 * `failover` its owner had died · `move` a plan gave it to another slot · `restart` it came back to its slot, as after a
 * redeployment or sleep · `first start`.
 */
export type TimelineKind = 'failover' | 'move' | 'restart' | 'first start';

export type MarkName =
  | 'last sign of life'
  | 'seen dead'
  | 'decided'
  | 'released'
  | 'lease taken'
  | 'restored'
  | 'first commit';

export interface Mark {
  readonly mark: MarkName;
  readonly atMs: number;
}

/** Between two marks. */
export interface Part {
  readonly part: 'detection' | 'decision' | 'hand-over' | 'take' | 'restore' | 'first commit';
  readonly ms: number;
}

export interface Timeline {
  readonly taskId: TaskId;
  readonly kind: TimelineKind;
  readonly from: MemberId | null;
  readonly to: MemberId;
  /** By which plan; 0: none. */
  readonly planNumber: number;
  readonly marks: readonly Mark[];
  /** Of the outage alone: a move runs on until it is released. */
  readonly parts: readonly Part[];
  /** From the last sign of life, or the release, to the last mark; null: one of the two is not known. */
  readonly outageMs: number | null;
  readonly restoredRecords: number | null;
  /** `finished` · `ready` there was nothing to commit · `unfinished` (T3) · `overtaken` a later plan moved it again first. */
  readonly state: 'finished' | 'ready' | 'unfinished' | 'overtaken';
}

export interface TimelineReport {
  readonly applicationId: string;
  /** The newest first. */
  readonly timelines: readonly Timeline[];
}

/** What timelines are made of. */
export interface History {
  readonly explanations: readonly PlanExplanation[];
  readonly deaths: readonly MemberDeath[];
  readonly starts: readonly TaskStart[];
}

/** The timelines that are kept, of one task or of all, at most `limit`. */
export async function reportTimelines(
  { applicationId, leases }: ApplicationView,
  { taskId, limit }: { readonly taskId: TaskId | null; readonly limit: number },
): Promise<TimelineReport> {
  const [explanations, deaths, starts] = await Promise.all([
    leases.listExplanations(),
    leases.listDeaths(),
    leases.listStarts(),
  ]);
  const all = timelinesOf({ explanations, deaths, starts });
  const asked = taskId === null ? all : all.filter((one) => one.taskId === taskId);
  return { applicationId, timelines: asked.slice(0, limit) };
}

/** All timelines of a history, the newest first. Pure. */
export function timelinesOf(history: History): readonly Timeline[] {
  const starts = history.starts.map((start) => ofStart(start, history));
  return [...starts, ...unfinished(history)].sort((a, b) => lastMs(b) - lastMs(a));
}

function ofStart(start: TaskStart, history: History): Timeline {
  const { taskId, owner, from, leaseEpoch, takenAtMs, releasedAtMs, restoredAfterMs, firstCommitAfterMs } = start;
  const death = from === null ? null : deathCovering(from, history.deaths);
  const move = moveBefore(start, history);
  const before =
    history.starts.find((one) => one.taskId === taskId && one.leaseEpoch === leaseEpoch - 1)?.owner ?? null;
  const source = from?.memberId ?? move?.from ?? before?.memberId ?? null;
  const kind = kindOf(start, death, source);
  const marks = marksOf([
    ['last sign of life', death?.lastSeenAtMs],
    ['seen dead', death?.seenAtMs],
    ['decided', move?.decidedAtMs ?? death?.seenAtMs],
    ['released', releasedAtMs],
    ['lease taken', takenAtMs],
    ['restored', restoredAfterMs === null ? null : takenAtMs + restoredAfterMs],
    ['first commit', firstCommitAfterMs === null ? null : takenAtMs + firstCommitAfterMs],
  ]);
  return {
    taskId,
    kind,
    from: kind === 'restart' ? owner.memberId : source,
    to: owner.memberId,
    planNumber: start.planNumber,
    marks,
    ...partsOf(marks, kind),
    restoredRecords: start.restoredRecords,
    state: firstCommitAfterMs !== null ? 'finished' : restoredAfterMs !== null ? 'ready' : 'unfinished',
  };
}

function kindOf({ leaseEpoch, owner }: TaskStart, death: MemberDeath | null, source: MemberId | null): TimelineKind {
  if (death !== null) return 'failover';
  if (leaseEpoch === 1) return 'first start';
  return source !== null && source !== owner.memberId ? 'move' : 'restart';
}

/** The marks that are known, in order; a task that slept was released before anything was decided about it. */
function marksOf(known: readonly (readonly [MarkName, number | null | undefined])[]): readonly Mark[] {
  const marks = known.flatMap(([mark, atMs]) => (atMs === null || atMs === undefined ? [] : [{ mark, atMs }]));
  const decided = marks.findIndex(({ mark }) => mark === 'decided');
  const [first, second] = [marks[decided], marks[decided + 1]];
  if (first !== undefined && second?.mark === 'released' && second.atMs < first.atMs)
    marks.splice(decided, 2, second, first);
  return marks;
}

const PART_BEFORE: Readonly<Record<MarkName, Part['part']>> = {
  'last sign of life': 'detection', // never the later mark of a part
  'seen dead': 'detection',
  decided: 'decision',
  released: 'hand-over',
  'lease taken': 'take',
  restored: 'restore',
  'first commit': 'first commit',
};

/** T1. A restart has parts, but no outage: nobody knows whether there was work while it was away. */
function partsOf(marks: readonly Mark[], kind: TimelineKind): Pick<Timeline, 'parts' | 'outageMs'> {
  const begin = kind === 'failover' ? 'last sign of life' : 'released';
  const from = marks.findIndex(({ mark }) => mark === begin);
  const during = marks.slice(from === -1 ? marks.findIndex(({ mark }) => mark === 'lease taken') : from);
  const parts = during.slice(1).map(({ mark, atMs }, index): Part => {
    return { part: PART_BEFORE[mark], ms: atMs - (during[index]?.atMs ?? atMs) };
  });
  const [first, last] = [during[0], during.at(-1)];
  const isWhole = from !== -1 && (last?.mark === 'first commit' || last?.mark === 'restored');
  const isOutage = isWhole && (kind === 'failover' || kind === 'move');
  return { parts, outageMs: isOutage && first !== undefined && last !== undefined ? last.atMs - first.atMs : null };
}

/** The death by which an incarnation's lease could be taken: a dead one takes the earlier ones of its slot along. */
function deathCovering(from: Incarnation, deaths: readonly MemberDeath[]): MemberDeath | null {
  const [first = null] = deaths
    .filter(({ memberId, incarnation }) => memberId === from.memberId && incarnation >= from.incarnation)
    .sort((a, b) => a.incarnation - b.incarnation);
  return first;
}

interface DecidedMove {
  readonly planNumber: number;
  readonly from: MemberId | null;
  readonly decidedAtMs: number;
}

/** The plan that gave the task to the slot that took it, unless the slot had started it by that plan before. */
function moveBefore(start: TaskStart, { explanations, starts }: History): DecidedMove | null {
  const given = explanations
    .filter(({ planNumber }) => planNumber <= start.planNumber)
    .flatMap(({ planNumber, decidedAtMs, moves }): DecidedMove[] =>
      moves
        .filter(({ role, taskId, to }) => role === 'active' && taskId === start.taskId && to === start.owner.memberId)
        .map(({ from }) => ({ planNumber, from, decidedAtMs })),
    );
  const last = given.at(-1);
  if (last === undefined) return null;
  const hadStarted = starts.some(
    ({ taskId, owner, leaseEpoch, planNumber }) =>
      taskId === start.taskId &&
      owner.memberId === start.owner.memberId &&
      leaseEpoch < start.leaseEpoch &&
      planNumber >= last.planNumber,
  );
  return hadStarted ? null : last;
}

/** T3: moves of tasks that had an owner, of which no start was written. */
function unfinished({ explanations, deaths, starts }: History): readonly Timeline[] {
  const since = new Map<TaskId, number>(); // of tasks whose older starts have made room for newer ones
  const countOf = new Map<TaskId, number>();
  for (const { taskId, takenAtMs } of starts) {
    countOf.set(taskId, (countOf.get(taskId) ?? 0) + 1);
    if (!since.has(taskId)) since.set(taskId, takenAtMs);
  }
  return explanations.flatMap(({ planNumber, decidedAtMs, moves }) =>
    moves.flatMap(({ role, taskId, from, to }): Timeline[] => {
      if (role !== 'active' || from === null) return [];
      if (countOf.get(taskId) === STARTS_KEPT_PER_TASK && decidedAtMs < (since.get(taskId) ?? 0)) return [];
      const isStarted = starts.some(
        (start) => start.taskId === taskId && start.owner.memberId === to && start.planNumber >= planNumber,
      );
      if (isStarted) return [];
      const isOvertaken = explanations.some(
        (later) =>
          later.planNumber > planNumber &&
          later.moves.some((move) => move.role === 'active' && move.taskId === taskId && move.to !== to),
      );
      const death = deaths.filter(({ memberId, seenAtMs }) => memberId === from && seenAtMs <= decidedAtMs).at(-1);
      const ran = starts.some(({ owner, takenAtMs }) => owner.memberId === from && takenAtMs > (death?.seenAtMs ?? 0));
      const marks = marksOf([
        ['last sign of life', ran ? null : death?.lastSeenAtMs],
        ['seen dead', ran ? null : death?.seenAtMs],
        ['decided', decidedAtMs],
      ]);
      const kind = death === undefined || ran ? 'move' : 'failover';
      const state = isOvertaken ? 'overtaken' : 'unfinished';
      return [{ taskId, kind, from, to, planNumber, marks, parts: [], outageMs: null, restoredRecords: null, state }];
    }),
  );
}

function lastMs({ marks }: Timeline): number {
  return marks.at(-1)?.atMs ?? 0;
}
