/** What goes into random cases: records that are late, equal in time or far ahead, null keys and values, steps of the wall clock. */

import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseType } from '../case-functions.js';
import type { CaseInput } from '../parity-case.js';
import { type Commands, randomCommand } from './random-commands.js';

export interface InputTopic {
  readonly topic: string;
  readonly value: CaseType;
  /** Its values are commands to a store of this kind. */
  readonly commands?: Commands;
}

const KEYS = ['a', 'b', 'c', 'd'];
const TEXTS = ['x', 'y', 'z', 'xy z', 'a b', 'zz'];
/** As far as windows and histories of cases reach, and beyond. */
const JUMP_MS = { from: 300, to: 4_000 };
/** As far as segments of persistent stores reach, and beyond: nothing in them goes before a minute is over. */
const FAR_JUMP_MS = { from: 20_000, to: 150_000 };

/** @param options.far whether time may jump by minutes */
export function randomInputs(
  choice: Chance,
  topics: readonly InputTopic[],
  options: { readonly far?: boolean } = {},
): readonly CaseInput[] {
  const jumpMs = options.far === true ? FAR_JUMP_MS : JUMP_MS;
  const inputs: CaseInput[] = [];
  const count = choice.between(20, 60);
  const traits = {
    nullKeys: choice.happens(0.3) ? 0.06 : 0,
    headers: choice.happens(0.15) ? 0.5 : 0,
    wallClock: choice.happens(0.2) ? 0.08 : 0,
    jumps: choice.happens(0.6) ? 0.06 : 0,
    late: choice.happens(0.8) ? 0.3 : 0.05,
  };
  let now = choice.between(0, 50);
  while (inputs.length < count) {
    if (choice.happens(traits.wallClock)) {
      inputs.push({ advanceWallClockMs: choice.between(1, 300) });
      continue;
    }
    let ts = now;
    if (choice.happens(traits.late)) ts = Math.max(0, now - choice.between(1, choice.happens(0.15) ? 1_500 : 150));
    else if (choice.happens(traits.jumps)) ts = now += choice.between(jumpMs.from, jumpMs.to);
    else if (choice.happens(0.8)) ts = now += choice.between(1, 40);
    const { topic, value, commands } = choice.pick(topics);
    inputs.push({
      topic,
      key: choice.happens(traits.nullKeys) ? null : choice.pick(KEYS),
      value: commands === undefined ? randomValue(choice, value, inputs.length) : randomCommand(choice, commands, now),
      ts,
      ...(choice.happens(traits.headers) ? { headers: { h: `${inputs.length}` } } : {}),
    });
  }
  return inputs;
}

function randomValue(choice: Chance, type: CaseType, index: number): string | number | null {
  if (choice.happens(0.12)) return null;
  if (type === 'long') return choice.between(-3, 12);
  // The first field is a key, for joins by foreign key; some have none.
  if (choice.happens(0.5))
    return `${choice.happens(0.1) ? '' : choice.pick(KEYS)}|${choice.happens(0.3) ? 'n' : index}`;
  return choice.happens(0.03) ? '' : choice.pick(TEXTS);
}
