/**
 * The transitions of the ownership protocol by name: one table for whoever counts them (the model of lib/testing/protocol, the
 * coverage report of a simulation). What each does is in member-transitions.ts and lease-transitions.ts; docs/protocol.md draws it.
 */
import type { LeaseCommand } from './lease-transitions.js';
import type { MemberCommand } from './member-transitions.js';
import type { Lease, Member, Plan } from './records.js';
import { isDeclaredDead, isGrantedTo } from './rules.js';

/** What the writes to a slot are called, by the status that they found where that matters. */
export const SLOT_TRANSITIONS = [
  'create',
  'claim a free slot',
  'claim a draining slot',
  'claim a dead slot',
  'heartbeat',
  'drain',
  'free after a stop',
  'free after a drain',
  'declare a running one dead',
  'declare a draining one dead',
  'announce a plan',
  'delete a free slot',
  'delete a dead slot',
] as const;
export type SlotTransition = (typeof SLOT_TRANSITIONS)[number];

/** What the writes to a lease are called, by whom a take takes it from. */
export const LEASE_TRANSITIONS = [
  'take a new lease',
  'take a free lease',
  'take for a doorbell',
  'take own lease again',
  'take from an earlier incarnation',
  'take from the dead',
  'release',
] as const;
export type LeaseTransition = (typeof LEASE_TRANSITIONS)[number];

/**
 * The name of a write to a slot that was applied.
 *
 * @param before the slot as the write found it; null: there was none
 */
export function slotTransition(before: Member | null, command: Pick<MemberCommand, 'type'>): SlotTransition {
  const status = before?.status ?? 'free';
  switch (command.type) {
    case 'create':
      return 'create';
    case 'claim':
      return status === 'draining'
        ? 'claim a draining slot'
        : status === 'dead'
          ? 'claim a dead slot'
          : 'claim a free slot';
    case 'heartbeat':
      return 'heartbeat';
    case 'drain':
      return 'drain';
    case 'free':
      return status === 'draining' ? 'free after a drain' : 'free after a stop';
    case 'declareDead':
      return status === 'draining' ? 'declare a draining one dead' : 'declare a running one dead';
    case 'announcePlan':
      return 'announce a plan';
    case 'delete':
      return status === 'dead' ? 'delete a dead slot' : 'delete a free slot';
  }
}

/**
 * The name of a write to a lease that was applied.
 *
 * @param before the lease as the write found it; null: there was none
 * @param plan the plan that the taker had read; null before the first
 */
export function leaseTransition(before: Lease | null, command: LeaseCommand, plan: Plan | null): LeaseTransition {
  if (command.type === 'release') return 'release';
  const { owner: taker, taskId } = command;
  const from = before?.owner ?? null;
  if (from !== null && from.memberId === taker.memberId)
    return from.incarnation === taker.incarnation ? 'take own lease again' : 'take from an earlier incarnation';
  if (from !== null && plan !== null && isDeclaredDead(plan, from)) return 'take from the dead';
  if (plan === null || !isGrantedTo(plan, taskId, taker.memberId)) return 'take for a doorbell';
  return before === null ? 'take a new lease' : 'take a free lease';
}
