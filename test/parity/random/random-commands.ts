/** Values that are commands to the store of a processor, as `kvCommand`, `windowCommand` and `versionedPut` read them. */
import type { Chance } from '../../../lib/testing/simulation/chance.js';

/** The kind of store that records command. */
export type Commands = 'keyValue' | 'window' | 'versioned';

const TEXTS = ['x', 'y', 'xy', ''];
const BOUNDS = ['', 'a', 'b', 'bb', 'c', 'e'];
/** How far from now commands look back and ahead. */
const REACH_MS = { back: 400, ahead: 60 };

/** @param nowMs about the time of the record */
export function randomCommand(choice: Chance, commands: Commands, nowMs: number): string | null {
  if (commands === 'keyValue') return keyValueCommand(choice);
  return commands === 'window' ? windowCommand(choice, nowMs) : versionCommand(choice, nowMs);
}

function keyValueCommand(choice: Chance): string {
  if (choice.happens(0.4)) return `put:${choice.pick(TEXTS)}`;
  const range = () => `${choice.pick(BOUNDS)}:${choice.pick(BOUNDS)}`;
  return choice.pick([
    `putIfAbsent:${choice.pick(TEXTS)}`,
    'delete',
    'get',
    `range:${range()}`,
    `reverseRange:${range()}`,
    `prefix:${choice.pick(['a', 'b', 'c'])}`,
    'all',
    'putNull',
  ]);
}

function windowCommand(choice: Chance, nowMs: number): string {
  if (choice.happens(0.45)) return choice.happens(0.15) ? 'del:' : `put:${choice.pick(TEXTS)}`;
  const range = () => `${near(choice, nowMs)}:${near(choice, nowMs)}`;
  return choice.pick([
    `get:${near(choice, nowMs)}`,
    `fetch:${range()}`,
    `fetch:0:${nowMs}`,
    `backward:${range()}`,
    `backward:0:${nowMs}`,
    `fetchAll:${range()}`,
    'all',
  ]);
}

function versionCommand(choice: Chance, nowMs: number): string | null {
  if (choice.happens(0.5)) return choice.happens(0.15) ? null : choice.pick(['x', 'y', 'xy']);
  return choice.pick(['?', `?${near(choice, nowMs)}`, `?${near(choice, nowMs)}`, `-${near(choice, nowMs)}`]);
}

function near(choice: Chance, nowMs: number): number {
  return Math.max(0, nowMs + choice.between(-REACH_MS.back, REACH_MS.ahead));
}
