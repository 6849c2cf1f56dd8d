/** How faults draw their moments: so that most of them find one, and the later course of a run gets its share. */
import type { Chance } from '../chance.js';
import type { ScenarioSize } from './fault.js';

/** Calls of all processes in a quiet scenario: from some 700, if it sleeps most of the time, to some 7,000. */
const CALLS_MOST = 4_000;

/** A count from 0, below `end`; early ones are likelier, since a short run has no late ones: half are in the first quarter. */
export function early(chance: Chance, end: number): number {
  return Math.floor(end * chance.next() ** 2);
}

/** The n-th call of any process to any port. */
export function anyCall(chance: Chance): number {
  return early(chance, CALLS_MOST);
}

/** A moment of the active time, in virtual milliseconds; early ones are likelier. */
export function moment(chance: Chance, { activeMs }: ScenarioSize): number {
  return early(chance, activeMs);
}
