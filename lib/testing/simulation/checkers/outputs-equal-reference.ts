/** Outputs, as a reader of committed records sees them, are those of the reference, by the rule that the subject gives each topic. */
import { type KeyDifference, outputDifferences } from '../output-differences.js';
import { committedValues, referenceValues } from '../seen-outputs.js';
import { VALUES_ALONE } from '../seen-value.js';
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
    const parts = subject.comparedParts?.[topic] ?? VALUES_ALONE;
    const wanted = {
      every: referenceValues(reference, topic, parts),
      lasts: async () => referenceValues(await witness.reference('last'), topic, parts),
    };
    const differences = await outputDifferences(committedValues(committed, topic, parts), wanted, {
      rule,
      isExact: settings.processingGuarantee === 'exactly_once_v2',
      isCoalesced: map.isCoalesced(topic, settings),
      isStateful: map.isStateful(topic),
    });
    if (differences.length > 0) wrong(`${topic}: ${differences.length} keys differ, e.g. ${named(differences)}`);
  }
}

function named(differences: readonly KeyDifference[]): string {
  const some = differences.slice(0, KEYS_NAMED);
  return some.map(({ key, what }) => `${key}: ${what}`).join('; ');
}
