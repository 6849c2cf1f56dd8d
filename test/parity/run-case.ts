/** Runs one case of the family `processing` and says where the answer differs from Kafka Streams'. */
import { StreamsError } from '../../lib/model/errors.js';
import { type StreamsApp, topicName } from '../../lib/topology/app.js';
import { inOneOrder, isCached, withoutCachedAlone, withoutIdleTombstones } from './cached-answers.js';
import { byName, canonical, compareChangelogs, compareRecords, compareStores, compareText } from './compare.js';
import type { CaseRecord, ProcessingCase } from './parity-case.js';
import { type CaseOutcome, isMissing, playCase, type Topics } from './play-case.js';

/** Cases do not list subscriptions of foreign-key joins that nobody named. */
const UNLISTED_STORES = 'KTABLE-FK-JOIN-SUBSCRIPTION-STATE-STORE-';

/**
 * Runs a case.
 *
 * @returns the differences; none if the answer is the same; `missing operator: …` alone if the topology cannot be built yet
 */
export async function runProcessingCase(of: ProcessingCase): Promise<readonly string[]> {
  try {
    return differences(of, await playCase(of, { options: { oneTask: true } }));
  } catch (thrown) {
    if (isMissing(thrown)) return [thrown.message];
    throw thrown;
  }
}

function differences(of: ProcessingCase, got: CaseOutcome): readonly string[] {
  const errors = compareErrors(of, got);
  if (got.description === undefined) return errors;
  const described = compareText('description', of.topologyDescription ?? '', got.description);
  if (got.app === undefined) return [...described, ...errors];
  const written = compareWritten(of, got.written, got.app, inputsCompared(got));
  if (got.failedAt !== undefined) return [...described, ...errors, ...written];
  const isListed = (name: string) =>
    !name.startsWith(UNLISTED_STORES) && got.app?.topology.stores.get(name)?.kind !== 'versioned';
  const stores = new Map([...got.stores].filter(([name]) => isListed(name)));
  return [
    ...described,
    ...errors,
    ...written,
    ...compareListings(of, got.app, stores, latestOf(of, got.written)),
    ...(of.queries ?? []).flatMap((query, index) => {
      const answer = canonical(got.answers[index]);
      return answer === canonical(query.result) ? [] : [`query ${canonical(query)}: got ${answer}`];
    }),
  ];
}

function compareListings(
  of: ProcessingCase,
  app: StreamsApp,
  stores: CaseOutcome['stores'],
  streamTimeMs: number,
): string[] {
  const expected = byName(of.stores);
  if (!isCached(of)) return compareStores(expected, stores);
  return compareStores(inOneOrder(withoutCachedAlone(expected, stores, { app, streamTimeMs })), inOneOrder(stores));
}

/** The greatest timestamp of what went in and of what was written. */
function latestOf({ inputs }: ProcessingCase, written: Topics): number {
  const given = inputs.map((input) => ('ts' in input ? input.ts : 0));
  return [...given, ...[...written.values()].flat().map(({ ts }) => ts)].reduce((a, b) => Math.max(a, b), 0);
}

/**
 * How many inputs' records are compared. Where several sub-topologies work at an input that ends in an error, what it was the cause of
 * is not: how far the others have come when one fails is chance.
 */
function inputsCompared({ failedAt, description = '' }: CaseOutcome): number {
  const subTopologies = description.split('Sub-topology:').length - 1;
  return typeof failedAt === 'number' && subTopologies > 1 ? failedAt : Number.POSITIVE_INFINITY;
}

function compareErrors(of: ProcessingCase, { failedAt, failure }: CaseOutcome): string[] {
  const expected = of.errorAt;
  if (failedAt !== expected) {
    const text = failure instanceof Error ? failure.message : String(failure);
    const got = failedAt === undefined ? 'none' : `one at ${failedAt}: ${text}`;
    return [`error: expected ${expected === undefined ? 'none' : `one at ${expected}`}, got ${got}`];
  }
  // What a record does not go through may be an error of the application's own functions.
  if (failedAt === undefined || typeof failedAt === 'number') return [];
  if (failure instanceof StreamsError && failure.kind === 'invalid') return [];
  return [`error: expected one of kind 'invalid', got ${String(failure)}`];
}

function compareWritten(of: ProcessingCase, written: Topics, app: StreamsApp, inputs: number): string[] {
  const repartitions = new Set([...app.topology.repartitionTopics.keys()].map((name) => topicName(app, name)));
  const changelogs = new Set([...app.topology.changelogs.values()].map(({ topic }) => topicName(app, topic)));
  // Of what is put and taken out within one transaction only the delete is written.
  // So it is with a version that two processors put, or one that has two parents.
  const mayPutTwice = 'papi' in of.topology;
  const several = [...app.topology.stores.values()].filter(
    ({ kind }) => kind === 'waiting' || kind === 'nonJoined' || (kind === 'versioned' && mayPutTwice),
  );
  const takenAtOnce = new Set(several.map(({ name }) => `app-${name}-changelog`));
  const opaque = new Map(Object.entries(of.opaqueInternalTopics ?? {}));
  const compared = (topics: Iterable<readonly [string, readonly CaseRecord[]]>): Topics =>
    new Map([...topics].map(([topic, records]) => [topic, records.filter(({ i }) => i < inputs)]));
  const part = (has: (topic: string) => boolean): Topics =>
    compared([...written].filter(([topic]) => has(topic) && !opaque.has(topic)));
  const outputs: Topics = new Map();
  for (const { topic, ...record } of of.outputs ?? []) outputs.set(topic, [...(outputs.get(topic) ?? []), record]);
  const logged = (topics: Topics) => (isCached(of) ? withoutIdleTombstones(topics) : topics);
  const isOutput = (topic: string) => !repartitions.has(topic) && !changelogs.has(topic);
  return [
    ...compareRecords('output', compared(outputs), part(isOutput)),
    ...compareRecords(
      'repartition',
      compared(byName(of.repartitions)),
      part((topic) => repartitions.has(topic)),
    ),
    ...compareChangelogs(logged(compared(byName(of.changelogs))), logged(part((topic) => changelogs.has(topic)))),
    ...[...opaque].flatMap(([topic, count]) => {
      const got = written.get(topic)?.length ?? 0;
      return got === count || inputs < Number.POSITIVE_INFINITY || (got < count && takenAtOnce.has(topic))
        ? []
        : [`internal topic ${topic}: expected ${count} records, got ${got}`];
    }),
  ];
}
