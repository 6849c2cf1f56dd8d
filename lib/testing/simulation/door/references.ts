/** The references of one scenario: the same input, in several of the orders that it may take. */
import { createChance } from '../chance.js';
import type { DrawnOrder, Reference, ReferenceOrder, ReferenceUpdates } from '../reference.js';
import type { SubjectMap } from '../subject-map.js';

/** One that might as well have been the run's. */
export interface Execution {
  readonly reference: Reference;
  readonly updates: ReferenceUpdates;
}

export interface References {
  readonly map: SubjectMap;
  /** All input at once, all updates there. */
  readonly natural: Reference;
  /** The same, and of all updates that a cache holds back the last alone; where nothing is cached, the same reference. */
  readonly last: Reference;
  readonly others: readonly Execution[];
}

/** Makes one reference of a scenario. */
export type MakeReference = (order: ReferenceOrder, updates: ReferenceUpdates) => Promise<Reference>;

/** Orders that are drawn for each scenario, beside that of arrival. */
export const DRAWN_ORDERS = 3;
/** Orders that are drawn where a run differs: before it counts as wrong, it is asked what else may be right. */
export const DOUBTED_ORDERS = 150;

/** @param drawn how many orders are drawn beside that of arrival */
export async function othersOf(
  make: MakeReference,
  { seed, drawn, last }: { readonly seed: number; readonly drawn: number; readonly last: Reference | null },
): Promise<readonly Execution[]> {
  const others: Execution[] = [{ reference: await make('contrary', 'every'), updates: 'every' }];
  if (last !== null) others.push({ reference: last, updates: 'last' });
  for (let index = 0; index <= drawn; index += 1) {
    const order: DrawnOrder = { chance: createChance(seed, `order-${index}`), isPrompt: index === 0 };
    others.push({ reference: await make(order, 'asSet'), updates: 'asSet' });
  }
  return others;
}

/** Whether caches may have left updates out. */
export function isCachedIn(updates: ReferenceUpdates): boolean {
  return updates !== 'every';
}

/** Whether an application has caches at all. */
export function hasCaches({ app }: SubjectMap): boolean {
  if (app.settings.statestoreCacheMaxBytes === 0) return false;
  return [...app.topology.stores.values()].some(({ cached }) => cached);
}
