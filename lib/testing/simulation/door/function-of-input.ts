/**
 * Whether an application makes the same of the same input: two references in one order, each with fresh applications, tell. One that
 * does not can not be compared with anything; what it keeps in its module, the clock of the machine and `Math.random` show here.
 */
import { deadLetterTopics } from '../../../model/dead-letter-topics.js';
import { SimulationFailedError } from '../../../model/errors.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { Reference } from '../reference.js';
import { referenceValues } from '../seen-outputs.js';
import { WHOLE_RECORDS } from '../seen-value.js';
import type { SubjectMap } from '../subject-map.js';
import { contentDisagreement, keyInWords, shown } from './disagreement.js';
import type { ResolvedOptions } from './resolve-options.js';

export const FUNCTION_OF_ITS_INPUT = 'function-of-its-input';

interface Twice {
  readonly seed: number;
  readonly map: SubjectMap;
  readonly options: Pick<ResolvedOptions, 'outputs' | 'stores'>;
  readonly first: Reference;
  readonly second: Reference;
}

/** @throws {SimulationFailedError} STREAMS_SIMULATION_FAILED if they differ in what nobody has asked to leave out */
export function refuseWhatVaries(twice: Twice): void {
  const found = varyingTopic(twice) ?? varyingStore(twice);
  if (found === null) return;
  const { seed } = twice;
  throw new SimulationFailedError(
    `simulate: with seed ${seed}, the application is not a function of its input: run twice over the same records in the same order, without faults, ${found.what}`,
    {
      details: { seed, checker: FUNCTION_OF_ITS_INPUT, name: found.name },
      remedy: `Keep what decides results in stores, not in variables of the module, and take the time and chance from the environment, not from the machine; or leave it out: ${found.option}: { '${found.name}': 'none' }.`,
    },
  );
}

interface Found {
  readonly option: 'outputs' | 'stores';
  readonly name: string;
  readonly what: string;
}

function varyingTopic({ options, map, first, second }: Twice): Found | null {
  const deadLetters = deadLetterTopics(map.app.settings);
  for (const [topic, asked] of options.outputs) {
    if (asked === 'none') continue;
    const parts = deadLetters.has(topic) ? { ...WHOLE_RECORDS, headers: false } : WHOLE_RECORDS;
    const one = referenceValues(first, topic, parts);
    const other = referenceValues(second, topic, parts);
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      const left = one.get(key) ?? [];
      const right = other.get(key) ?? [];
      const place = Array.from({ length: Math.max(left.length, right.length) }, (_, at) => at).find(
        (at) => left[at] !== right[at],
      );
      if (place === undefined) continue;
      const what = `${keyInWords(key)} of topic '${topic}' has ${shown(left[place])} as value ${place} the first time, ${shown(right[place])} the second`;
      return { option: 'outputs', name: topic, what };
    }
  }
  return null;
}

function varyingStore({ options, map, first, second }: Twice): Found | null {
  for (const { changelogs } of map.tasks)
    for (const { store, internal, ...changelog } of changelogs) {
      if (!internal || options.stores.get(store) === 'none') continue;
      const key = topicPartitionKey(changelog);
      const found = contentDisagreement(changelog.partition, first.stores.get(key), second.stores.get(key));
      if (found === null) continue;
      const what = `${found.key} of store '${store}' holds ${found.one} the first time, ${found.other} the second`;
      return { option: 'stores', name: store, what };
    }
  return null;
}
