/** An application and its input as references take them. */
import { defineApp, type StreamsApp, StreamsBuilder, string } from '../../../lib/index.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import type { References } from '../../../lib/testing/simulation/door/references.js';
import { type Reference, type ReferenceOptions, referenceOf } from '../../../lib/testing/simulation/reference.js';
import type { ScenarioInput } from '../../../lib/testing/simulation/scenario.js';
import { SubjectMap } from '../../../lib/testing/simulation/subject-map.js';
import { VirtualTime } from '../../../lib/testing/simulation/virtual-time.js';

export const text = { key: string(), value: string() };

export function smallApp(build: (builder: StreamsBuilder) => void, settings: SettingsInput = {}): StreamsApp {
  const builder = new StreamsBuilder();
  build(builder);
  return defineApp({ applicationId: 'small', topology: builder.build(), settings });
}

/** Of topics of two partitions. */
export function mapOf(app: StreamsApp, ...topics: readonly string[]): SubjectMap {
  return new SubjectMap({ app, topics: Object.fromEntries(topics.map((topic) => [topic, 2])) });
}

/** `in-1 k=v` at the n-th second. */
export function inputsOf(...lines: readonly string[]): readonly ScenarioInput[] {
  return lines.map((line, index) => {
    const [, topic = '', partition, key = '', value = ''] = /^(\w+)-(\d) (\w+)=(\w+)$/.exec(line) ?? [];
    return {
      ...{ topic, partition: Number(partition), key: Buffer.from(key), value: Buffer.from(value) },
      ...{ atMs: index * 1_000, timestampMs: 1_700_000_000_000 + index * 1_000 },
    };
  });
}

export function reference(
  map: SubjectMap,
  inputs: readonly ScenarioInput[],
  options: Partial<ReferenceOptions> = {},
): Promise<Reference> {
  return referenceOf(map, inputs, { updates: 'every', nowMs: new VirtualTime().clock.now(), ...options });
}

/** References that agree on what the first has, but for what the others have. */
export function referencesOf(map: SubjectMap, natural: Reference, ...others: readonly Reference[]): References {
  return { map, natural, last: natural, others: others.map((other) => ({ reference: other, updates: 'every' })) };
}
