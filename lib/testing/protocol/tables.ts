/** Writes to the tables: the code's own transitions, and what is left of a condition when a protection is off. */

import type { Conditional } from '../../leases/lease-store.js';
import { type LeaseCommand, stepLease } from '../../leases/lease-transitions.js';
import { type MemberCommand, stepMember } from '../../leases/member-transitions.js';
import { type LeaseTransition, leaseTransition, type SlotTransition, slotTransition } from '../../leases/protocol.js';
import type { Lease, Member, Plan } from '../../leases/records.js';
import type { Protections } from './protections.js';
import { type Index, memberOf, replaced, type State } from './state.js';
import type { Deed } from './step.js';

export interface SlotWrite {
  readonly answer: Conditional<Member>;
  readonly after: State;
  readonly deed: Deed | null;
  readonly transition: SlotTransition | null;
}

export function writeSlot(state: State, slot: Index, command: MemberCommand, protections: Protections): SlotWrite {
  const before = state.slots[slot];
  let { answer, after } = stepMember(before, command);
  const present = memberOf(before);
  if (!answer.applied && present !== null)
    ({ answer, after } = stepMember(unprotected(present, command, protections), command));
  if (!answer.applied) return { answer, after: state, deed: null, transition: null };
  if (after?.status === 'retired' && !protections.retiredNumbers) after = null;
  const next: State = { ...state, slots: replaced(state.slots, slot, after) };
  return {
    answer,
    after: command.type === 'claim' ? { ...next, invoked: replaced(state.invoked, slot, false) } : next,
    deed: { type: 'slot', slot, command: command.type, after },
    transition: slotTransition(present, command),
  };
}

/** An item that meets the condition which a mutant does not check. */
function unprotected(item: Member, command: MemberCommand, protections: Protections): Member {
  if (command.type === 'claim' && !protections.claimCondition)
    return { ...item, status: 'free', incarnation: command.incarnation - 1 };
  if (command.type === 'declareDead' && !protections.deathCondition)
    return { ...item, heartbeatVersion: command.heartbeatVersion };
  return item;
}

export interface LeaseWrite {
  readonly answer: Conditional<Lease>;
  readonly after: State;
  readonly transition: LeaseTransition | null;
}

/** @param plan the plan that the writer has read */
export function writeLease(
  state: State,
  task: Index,
  command: LeaseCommand,
  context: { readonly plan: Plan | null; readonly protections: Protections },
): LeaseWrite {
  const before = state.leases[task];
  let answer = stepLease(before, command);
  if (!answer.applied && before !== null) answer = stepLease(before, careless(before, command, context.protections));
  if (!answer.applied) return { answer, after: state, transition: null };
  return {
    answer,
    after: { ...state, leases: replaced(state.leases, task, answer.item) },
    transition: leaseTransition(before, command, context.plan),
  };
}

/** A command whose condition the item meets, if a mutant does not check it. */
function careless(item: Lease, command: LeaseCommand, protections: Protections): LeaseCommand {
  if (command.type === 'take') return protections.takeCondition ? command : { ...command, expected: item };
  if (protections.releaseCondition || item.owner === null) return command;
  return { ...command, owner: item.owner, epoch: item.epoch };
}
