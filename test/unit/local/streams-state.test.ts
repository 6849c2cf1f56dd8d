import { describe, expect, it } from 'vitest';
import type { Lease, Member, Plan } from '../../../lib/leases/records.js';
import { isSettled, type Sight } from '../../../lib/local/is-settled.js';
import { StateMachine, type StreamsState } from '../../../lib/local/streams-state.js';
import { taskId } from '../../../lib/model/task-id.js';

const ALL: readonly StreamsState[] = [
  'CREATED',
  'REBALANCING',
  'RUNNING',
  'PENDING_SHUTDOWN',
  'NOT_RUNNING',
  'PENDING_ERROR',
  'ERROR',
];

/** Ways to each state. */
const WAYS: Readonly<Record<StreamsState, readonly StreamsState[]>> = {
  CREATED: [],
  REBALANCING: ['REBALANCING'],
  RUNNING: ['REBALANCING', 'RUNNING'],
  PENDING_SHUTDOWN: ['PENDING_SHUTDOWN'],
  NOT_RUNNING: ['PENDING_SHUTDOWN', 'NOT_RUNNING'],
  PENDING_ERROR: ['REBALANCING', 'PENDING_ERROR'],
  ERROR: ['REBALANCING', 'PENDING_ERROR', 'ERROR'],
};

describe("an application's state", () => {
  it.each<[StreamsState, readonly StreamsState[]]>([
    ['CREATED', ['REBALANCING', 'PENDING_SHUTDOWN']],
    ['REBALANCING', ['RUNNING', 'PENDING_SHUTDOWN', 'PENDING_ERROR']],
    ['RUNNING', ['REBALANCING', 'PENDING_SHUTDOWN', 'PENDING_ERROR']],
    ['PENDING_SHUTDOWN', ['NOT_RUNNING']],
    ['NOT_RUNNING', []],
    ['PENDING_ERROR', ['ERROR']],
    ['ERROR', []],
  ])('%s is followed by those that Kafka lets follow it', (state, next) => {
    const follows = ALL.filter((candidate) => {
      const machine = new StateMachine(() => undefined);
      for (const step of WAYS[state]) machine.enter(step);
      return machine.enter(candidate);
    });

    expect([...follows].sort()).toEqual([...next].sort());
  });

  it('is told with the one before, and not where it is refused', () => {
    const told: string[] = [];
    const machine = new StateMachine((state, before) => told.push(`${before} → ${state}`));

    machine.enter('REBALANCING');
    machine.enter('REBALANCING');
    machine.enter('NOT_RUNNING');
    machine.enter('RUNNING');

    expect(told).toEqual(['CREATED → REBALANCING', 'REBALANCING → RUNNING']);
    expect(machine.current).toBe('RUNNING');
  });
});

describe('an application runs', () => {
  const TASK = taskId(0, 0);
  const self = { memberId: 'member-1', incarnation: 3 } as const;
  const plan = {
    number: 1,
    assignment: { 'member-1': { active: [TASK], standby: [], warmup: [] } },
  } as unknown as Plan;
  const member = (status: Member['status'], incarnation = 3) => ({ ...self, incarnation, status }) as unknown as Member;
  const lease = (owner: Lease['owner']) => ({ taskId: TASK, owner }) as Lease;
  const sight = (changes: Partial<Sight>): Sight => ({
    plan,
    leases: [lease(self)],
    members: [member('claimed')],
    states: new Map([[TASK, 'running']]),
    ...changes,
  });

  it.each<[string, Partial<Sight>, boolean]>([
    ['when each task runs at the slot that it is granted to', {}, true],
    ['as far as the tables say where tasks tell nothing', { states: null }, true],
    ['while a task without work is given up', { states: new Map([[TASK, 'closing']]) }, true],
    ['while a task sleeps', { leases: [lease(null)], members: [member('free')] }, true],
    ['not before the first plan', { plan: null }, false],
    ['not before a task was ever taken', { leases: [] }, false],
    ['not while a task is restored', { states: new Map([[TASK, 'restoring']]) }, false],
    ['not while a task is released that somebody is to take', { leases: [lease(null)] }, false],
    ['not while another holds a task', { leases: [lease({ memberId: 'member-2', incarnation: 1 })] }, false],
    ['not while an incarnation that has died holds a task', { members: [member('claimed', 4)] }, false],
    ['not while the holder of a task hands over', { members: [member('draining')] }, false],
  ])('%s', (_, changes, expected) => {
    expect(isSettled(sight(changes))).toBe(expected);
  });
});
