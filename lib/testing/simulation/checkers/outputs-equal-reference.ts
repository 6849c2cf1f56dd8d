/** Outputs, as a reader of committed records sees them, are those of the reference, by the rule that the subject gives each topic. */
import { difference } from '../output-comparison.js';
import { committedValues, referenceValues } from '../seen-outputs.js';
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
  for (const topic of outputTopics(subject.topics, map.tasks)) {
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
    const differences = [...new Set([...wanted.keys(), ...seen.keys()])].flatMap((key) => {
      const what = difference(seen.get(key) ?? [], wanted.get(key) ?? [], facts);
      return what === null ? [] : [`${key}: ${what}`];
    });
    if (differences.length === 0) continue;
    wrong(`${topic}: ${differences.length} keys differ, e.g. ${differences.slice(0, KEYS_NAMED).join('; ')}`);
  }
}

/** Topics of the subject that are no inputs. */
function outputTopics(
  topics: Readonly<Record<string, number>>,
  tasks: readonly { readonly inputs: readonly { readonly topic: string }[] }[],
): readonly string[] {
  const inputs = new Set(tasks.flatMap((task) => task.inputs.map(({ topic }) => topic)));
  return Object.keys(topics).filter((topic) => !inputs.has(topic));
}
