/** Outputs, as a reader of committed records sees them, are those of the reference, by the rule that the subject gives each topic. */
import { difference } from '../output-comparison.js';
import { committedValues, referenceValues, type ValuesByKey } from '../seen-outputs.js';
import type { CheckedRun, Checker } from './checker.js';

/** Keys named of each topic that is wrong. */
const KEYS_NAMED = 3;

export const outputsEqualReference: Checker = {
  name: 'outputs-equal-reference',
  watch: (run) => ({ ended: () => compareOutputs(run) }),
};

async function compareOutputs({ cloud, subject, witness, wrong }: CheckedRun): Promise<void> {
  const { map, committed } = witness;
  const excused = cloud.harms.excusedTopics();
  const reference = await witness.reference();
  const { settings } = cloud.app;
  for (const topic of Object.keys(subject.topics).filter((name) => !map.inputTopics.has(name))) {
    const rule = subject.outputs[topic] ?? 'multiset';
    if (rule === 'none' || excused.has(topic)) continue;
    const seen = committedValues(committed, topic);
    const wanted = referenceValues(reference, topic);
    const facts = {
      rule,
      isExact: settings.processingGuarantee === 'exactly_once_v2',
      isCoalesced: map.isCoalesced(topic, settings),
      isStateful: map.isStateful(topic),
    };
    const differing = (from: ValuesByKey, keys: Iterable<string>) =>
      [...new Set(keys)].flatMap((key) => {
        const what = difference(seen.get(key) ?? [], from.get(key) ?? [], facts);
        return what === null ? [] : [{ key, what }];
      });
    let differences = differing(wanted, [...wanted.keys(), ...seen.keys()]);
    if (differences.length > 0 && facts.isCoalesced) {
      // Caches before may have left out all that a key was ever told of: it is right with the last updates alone as well.
      const lasts = referenceValues(await witness.reference('last'), topic);
      differences = differing(
        lasts,
        differences.map(({ key }) => key),
      );
    }
    if (differences.length === 0) continue;
    wrong(`${topic}: ${differences.length} keys differ, e.g. ${named(differences)}`);
  }
}

function named(differences: readonly { readonly key: string; readonly what: string }[]): string {
  const some = differences.slice(0, KEYS_NAMED);
  return some.map(({ key, what }) => `${key}: ${what}`).join('; ');
}
