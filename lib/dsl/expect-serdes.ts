import { TopologyError } from '../model/errors.js';
import type { Serde } from '../serde/serde.js';

/** Holds what is given for a topic to have both serdes. @throws {TopologyError} STREAMS_INVALID_TOPOLOGY naming topic and side */
export function expectSerdes(
  topics: string,
  options: { readonly key?: Serde<unknown>; readonly value?: Serde<unknown> } | undefined,
): void {
  for (const side of ['key', 'value'] as const) {
    if (typeof options?.[side]?.deserialize === 'function' && typeof options[side].serialize === 'function') continue;
    throw new TopologyError(`topic '${topics}': there is no serde for the ${side}`, {
      details: { topics, side },
      remedy: `Give the ${side} serde as an option: { ${side}: string() }.`,
    });
  }
}
