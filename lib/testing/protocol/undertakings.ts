/**
 * What a tick does of what it has decided.
 *
 * Deaths and the plan are done in their order, one write after the other, and then the tick dies: what follows them, the next tick
 * finds still to do. Where there are none, it deletes a slot, or it creates slots, tells members of the plan and invokes. These last
 * are one step: who is told or invoked hears of it at any later time, so a scheduler that dies between two of them is one whose
 * message takes long.
 */
import type { Action } from '../../scheduler/actions.js';
import { decideUpon, type Sight } from './application.js';
import { keyOfSight } from './keys.js';
import type { Protections } from './protections.js';

const memory = new Map<string, readonly Action[]>();

/** The things that a tick may do that has seen this: one of them, with its writes in order. Empty: there is nothing to do. */
export function undertakings(sight: Sight, protections: Protections): readonly (readonly Action[])[] {
  const key = keyOfSight(sight);
  let actions = memory.get(key);
  if (actions === undefined) {
    actions = decideUpon(sight);
    memory.set(key, actions);
  }
  return split(actions.flatMap((action) => protectedOnly(action, protections)));
}

/** Whether an action is a death or the plan, after which a refusal ends the tick. */
export function isOrdered({ type }: Action): boolean {
  return type === 'DeclareDead' || type === 'WritePlan';
}

function split(actions: readonly Action[]): readonly (readonly Action[])[] {
  const ordered = actions.filter(isOrdered);
  if (ordered.length > 0) return [ordered];
  const deletions = actions.filter(({ type }) => type === 'RetireSlot').map((action) => [action]);
  const messages = actions.filter(({ type }) => type !== 'RetireSlot');
  return messages.length > 0 || deletions.length === 0 ? [...deletions, messages] : deletions;
}

function protectedOnly(action: Action, protections: Protections): readonly Action[] {
  if (action.type === 'AnnouncePlan' && !protections.announcement) return [];
  if (action.type !== 'WritePlan' || protections.deadInPlan) return [action];
  return [{ ...action, plan: { ...action.plan, dead: [] } }];
}
