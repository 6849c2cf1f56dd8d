import { describe, expect, it } from 'vitest';
import { type History, timelinesOf } from '../../../lib/cli/reports/timelines.js';
import type { ExplainedMove, MemberDeath, PlanExplanation, TaskStart } from '../../../lib/leases/history.js';
import type { LeaseEpoch } from '../../../lib/leases/records.js';
import { taskId } from '../../../lib/model/task-id.js';

const T = taskId(1, 3);

const move: ExplainedMove = {
  taskId: T,
  role: 'active',
  from: 'member-1',
  to: 'member-2',
  lagRecords: 0,
  reason: '1_3 moved from member-1 to member-2: …',
};

const plan = (planNumber: number, decidedAtMs: number, moves: readonly ExplainedMove[] = [move]): PlanExplanation => ({
  planNumber,
  seenAtMs: decidedAtMs - 10,
  decidedAtMs,
  trigger: 'member-1 died (session timeout)',
  assignor: 'steady',
  wasPlaced: true,
  members: [],
  tasks: { stateful: 1, stateless: 0 },
  settings: {},
  score: [],
  moves,
  movesLeftOut: 0,
});

const death: MemberDeath = {
  memberId: 'member-1',
  incarnation: 3,
  because: 'session timeout',
  lastSeenAtMs: 1_000,
  seenAtMs: 11_000,
};

const start = (more: Partial<TaskStart> = {}): TaskStart => ({
  taskId: T,
  leaseEpoch: 5 as LeaseEpoch,
  owner: { memberId: 'member-2', incarnation: 1 },
  from: { memberId: 'member-1', incarnation: 3 },
  releasedAtMs: null,
  planNumber: 8,
  takenAtMs: 11_300,
  fencedAfterMs: 20,
  restoredAfterMs: 200,
  restoredRecords: 42,
  firstCommitAfterMs: 350,
  ...more,
});

const history = (parts: Partial<History>): History => ({ explanations: [], deaths: [], starts: [], ...parts });

describe('the timeline of a failover', () => {
  it('has six marks, and its parts are the outage to the millisecond', () => {
    const [only, ...others] = timelinesOf(
      history({ explanations: [plan(8, 11_050)], deaths: [death], starts: [start()] }),
    );

    expect(others).toEqual([]);
    expect(only).toEqual({
      taskId: T,
      kind: 'failover',
      from: 'member-1',
      to: 'member-2',
      planNumber: 8,
      marks: [
        { mark: 'last sign of life', atMs: 1_000 },
        { mark: 'seen dead', atMs: 11_000 },
        { mark: 'decided', atMs: 11_050 },
        { mark: 'lease taken', atMs: 11_300 },
        { mark: 'restored', atMs: 11_500 },
        { mark: 'first commit', atMs: 11_650 },
      ],
      parts: [
        { part: 'detection', ms: 10_000 },
        { part: 'decision', ms: 50 },
        { part: 'take', ms: 250 },
        { part: 'restore', ms: 200 },
        { part: 'first commit', ms: 150 },
      ],
      outageMs: 10_650,
      restoredRecords: 42,
      state: 'finished',
    });
    expect(only?.parts.reduce((sum, { ms }) => sum + ms, 0)).toBe(only?.outageMs);
  });

  it('to the next incarnation of the same slot needs no plan: it is decided when it is seen', () => {
    const owner = { memberId: 'member-1', incarnation: 4 } as const;

    const [only] = timelinesOf(history({ deaths: [death], starts: [start({ owner })] }));

    expect(only).toMatchObject({ kind: 'failover', from: 'member-1', to: 'member-1', outageMs: 10_650 });
    expect(only?.marks[2]).toEqual({ mark: 'decided', atMs: 11_000 });
  });

  it('counts the death that covers an earlier incarnation of the slot', () => {
    const from = { memberId: 'member-1', incarnation: 2 } as const;

    const [only] = timelinesOf(history({ deaths: [death], starts: [start({ from })] }));

    expect(only?.kind).toBe('failover');
  });

  it('of which no start was written is unfinished, and overtaken once a later plan has moved the task on', () => {
    const onwards: ExplainedMove = { ...move, from: 'member-2', to: 'member-4' };
    const one = history({ explanations: [plan(8, 11_050)], deaths: [death] });
    const two = history({ ...one, explanations: [plan(8, 11_050), plan(9, 20_000, [onwards])] });

    expect(timelinesOf(one)).toMatchObject([{ kind: 'failover', state: 'unfinished', parts: [], outageMs: null }]);
    expect(timelinesOf(two)).toMatchObject([
      { to: 'member-4', state: 'unfinished' },
      { to: 'member-2', state: 'overtaken' },
    ]);
  });
});

describe('the timeline of a move', () => {
  it('counts the outage from the release: until then its owner ran on', () => {
    const starts = [start({ from: null, releasedAtMs: 11_200 })];

    const [only] = timelinesOf(history({ explanations: [plan(8, 9_000)], starts }));

    expect(only).toMatchObject({
      kind: 'move',
      from: 'member-1',
      parts: [
        { part: 'take', ms: 100 },
        { part: 'restore', ms: 200 },
        { part: 'first commit', ms: 150 },
      ],
      outageMs: 450,
    });
  });

  it('with nothing to commit is ready, and its outage ends with the restore', () => {
    const starts = [start({ from: null, releasedAtMs: 11_200, firstCommitAfterMs: null })];

    const [only] = timelinesOf(history({ explanations: [plan(8, 9_000)], starts }));

    expect(only).toMatchObject({ state: 'ready', outageMs: 300 });
  });

  it('of a task that slept is decided after its release', () => {
    const starts = [start({ from: null, releasedAtMs: 5_000 })];

    const [only] = timelinesOf(history({ explanations: [plan(8, 9_000)], starts }));

    expect(only?.marks.map(({ mark }) => mark)).toEqual([
      'released',
      'decided',
      'lease taken',
      'restored',
      'first commit',
    ]);
    expect(only?.parts.reduce((sum, { ms }) => sum + ms, 0)).toBe(only?.outageMs);
  });
});

describe('the timeline of a task that comes back to its slot', () => {
  it('is a restart with parts, of which nobody knows whether they are an outage', () => {
    const before = start({ leaseEpoch: 4 as LeaseEpoch, takenAtMs: 500 });
    const again = start({
      from: null,
      releasedAtMs: 11_000,
      owner: { memberId: 'member-2', incarnation: 2 },
    });

    const [only] = timelinesOf(history({ explanations: [plan(8, 400)], starts: [before, again] }));

    expect(only).toMatchObject({ kind: 'restart', from: 'member-2', to: 'member-2', outageMs: null });
    expect(only?.parts[0]).toEqual({ part: 'take', ms: 300 });
  });
});
