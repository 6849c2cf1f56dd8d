/**
 * What of an application's results its input decides, and what is left to timing: found out by references that take the same input
 * in different orders, with caches that leave out none, some or all of the updates. A run with faults is held to what none of them
 * would break.
 */
import { deadLetterTopics } from '../../../model/dead-letter-topics.js';
import { type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { holdsOrigins, type StoreFacts, storeDifference } from '../checkers/store-difference.js';
import type { ChangelogRecord } from '../checkers/stored-record.js';
import { outputDifferences } from '../output-differences.js';
import type { Reference } from '../reference.js';
import { packed, referenceValues } from '../seen-outputs.js';
import { type ComparedParts, VALUES_ALONE } from '../seen-value.js';
import type { OutputComparison } from '../subject.js';
import { type ContentDisagreement, contentDisagreement, keyInWords, shown } from './disagreement.js';
import { isCachedIn, type References } from './references.js';

/** Comparisons from the strictest on. */
const BY_STRICTNESS = ['sequence', 'multiset', 'last'] as const;

/** How a topic can be compared, and on what references disagree if not as `sequence`. */
export interface Agreement {
  readonly comparison: OutputComparison;
  /** What else of its records is the same in all references, by that comparison. */
  readonly parts: ComparedParts;
  readonly why: string | null;
}

export interface StoreAgreement {
  readonly isDecided: boolean;
  /** Whether what waits in it is decided together with where it came from. */
  readonly hasOrigins: boolean;
  readonly why: string | null;
}

/** The strictest comparison of a topic that no reference would break. */
export async function strictestAgreement(topic: string, references: References): Promise<Agreement> {
  let why: string | null = null;
  for (const rule of BY_STRICTNESS) {
    const broken = await brokenBy({ topic, rule, parts: VALUES_ALONE }, references);
    if (broken === null) return { comparison: rule, parts: await decidedParts(topic, rule, references), why };
    why = broken;
  }
  return { comparison: 'none', parts: VALUES_ALONE, why };
}

/** What of a topic's records besides their values no reference would break, by this comparison. */
export async function decidedParts(topic: string, rule: Asked['rule'], references: References): Promise<ComparedParts> {
  const holds = async (parts: ComparedParts) => (await brokenBy({ topic, rule, parts }, references)) === null;
  // The headers of a dead letter tell of the error, and its stack of whoever ran the code.
  const isDeadLetter = deadLetterTopics(references.map.app.settings).has(topic);
  return {
    timestamps: await holds({ timestamps: true, headers: false }),
    headers: !isDeadLetter && (await holds({ timestamps: false, headers: true })),
  };
}

interface Asked {
  readonly topic: string;
  readonly rule: (typeof BY_STRICTNESS)[number];
  readonly parts: ComparedParts;
}

/** What of a topic breaks a rule, in words; null: nothing. */
async function brokenBy(
  { topic, rule, parts }: Asked,
  { map, natural, last, others }: References,
): Promise<string | null> {
  const every = referenceValues(natural, topic, parts);
  const lasts = () => referenceValues(last, topic, parts);
  for (const { reference, updates } of others) {
    const seen = referenceValues(reference, topic, parts);
    const [first] = await outputDifferences(
      seen,
      { every, lasts },
      {
        rule,
        isExact: true,
        isCoalesced: isCachedIn(updates) && map.isCoalesced(topic, map.app.settings),
        isStateful: false,
      },
    );
    if (first !== undefined) return `${keyInWords(first.key)} ${said(rule, every.get(first.key), seen.get(first.key))}`;
  }
  return null;
}

function said(rule: Asked['rule'], left: readonly (string | null)[] = [], right: readonly (string | null)[] = []) {
  if (rule === 'last')
    return `ends with ${shown(left.at(-1))} in one order of arrival, with ${shown(right.at(-1))} in another`;
  const at = left.findIndex((value, index) => value !== right[index]);
  const place = at < 0 ? left.length : at;
  return `has ${shown(left[place])} as value ${place} in one order of arrival, ${shown(right[place])} in another`;
}

/** Of each store that the log keeps, whether all references end with the same content. */
export async function storeAgreements(references: References): Promise<ReadonlyMap<string, StoreAgreement>> {
  const stores = new Map<string, StoreAgreement>();
  for (const task of references.map.tasks)
    for (const changelog of task.changelogs) {
      if (!changelog.internal) continue;
      const key = topicPartitionKey(changelog);
      const spec = references.map.app.topology.stores.get(changelog.store);
      const before = stores.get(changelog.store) ?? { isDecided: true, hasOrigins: holdsOrigins(spec), why: null };
      const isFedByCache = task.inputs.some(({ topic }) =>
        references.map.isCoalesced(topic, references.map.app.settings),
      );
      const agrees = (hasOrigins: boolean) =>
        contentBroken(
          { key, store: changelog.store, partition: changelog.partition },
          { isFedByCache, hasOrigins },
          references,
        );
      if (!before.isDecided) continue;
      const whole = await agrees(before.hasOrigins);
      const why = whole === null || !before.hasOrigins ? whole : await agrees(false);
      stores.set(changelog.store, {
        isDecided: why === null,
        hasOrigins: before.hasOrigins && whole === null,
        why: before.why ?? why,
      });
    }
  return stores;
}

interface Content {
  readonly key: TopicPartitionKey;
  readonly store: string;
  readonly partition: number;
}

async function contentBroken(
  { key, store, partition }: Content,
  facts: StoreFacts,
  { map, natural, last, others }: References,
): Promise<string | null> {
  const spec = map.app.topology.stores.get(store);
  const wanted = { every: natural.stores.get(key), lasts: () => last.stores.get(key) };
  for (const { reference, updates } of others) {
    const content = reference.stores.get(key) ?? new Map();
    const isFedByCache = facts.isFedByCache && isCachedIn(updates);
    const seen = { spec, records: changelogOf(reference, key), content };
    if ((await storeDifference(seen, wanted, { ...facts, isFedByCache })) !== null)
      return saidOfContent(contentDisagreement(partition, wanted.every, content));
  }
  return null;
}

function saidOfContent(disagreement: ContentDisagreement | null): string {
  if (disagreement === null) return 'what its store keeps depends on the order of arrival';
  const { key, one, other } = disagreement;
  return `${key} holds ${one} in one order of arrival, ${other} in another`;
}

function changelogOf({ records }: Reference, key: TopicPartitionKey): readonly ChangelogRecord[] {
  return (records.get(key) ?? []).flatMap((set) =>
    [...set].map(({ key, value, timestampMs }) => ({ key: packed(key), value: packed(value), timestampMs })),
  );
}
