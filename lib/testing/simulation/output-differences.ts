/** On which keys of a topic a run and its reference differ, by the rule of the topic. */
import { type ComparisonFacts, difference } from './output-comparison.js';
import type { ValuesByKey } from './seen-outputs.js';

export interface KeyDifference {
  /** `2/water` */
  readonly key: string;
  readonly what: string;
}

/** What a run is held to: all updates; and where a cache may leave some out, what is left if it leaves out all that it can. */
export interface WantedOutputs {
  readonly every: ValuesByKey;
  readonly lasts: () => Promise<ValuesByKey> | ValuesByKey;
}

export async function outputDifferences(
  seen: ValuesByKey,
  { every, lasts }: WantedOutputs,
  facts: ComparisonFacts,
): Promise<readonly KeyDifference[]> {
  const differing = (from: ValuesByKey, keys: Iterable<string>) =>
    [...new Set(keys)].flatMap((key) => {
      const what = difference(seen.get(key) ?? [], from.get(key) ?? [], facts);
      return what === null ? [] : [{ key, what }];
    });
  const differences = differing(every, [...every.keys(), ...seen.keys()]);
  if (differences.length === 0 || !facts.isCoalesced) return differences;
  // Caches before may have left out all that a key was ever told of: it is right with the last updates alone as well.
  return differing(
    await lasts(),
    differences.map(({ key }) => key),
  );
}
