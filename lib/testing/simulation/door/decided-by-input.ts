/**
 * What of an application's results its input decides, and what is left to timing: found out by two references that take the same
 * input in contrary orders. A run with faults is held to what both agree on.
 */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { difference } from '../output-comparison.js';
import type { Reference } from '../reference.js';
import { referenceValues } from '../seen-outputs.js';
import type { OutputComparison } from '../subject.js';
import type { SubjectMap } from '../subject-map.js';

/** Comparisons from the strictest on. */
const BY_STRICTNESS = ['sequence', 'multiset', 'last'] as const;

/** The strictest comparison of a topic by which two references agree. */
export function strictestAgreement(topic: string, one: Reference, other: Reference): OutputComparison {
  const left = referenceValues(one, topic);
  const right = referenceValues(other, topic);
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  const agree = (rule: (typeof BY_STRICTNESS)[number]) =>
    keys.every(
      (key) =>
        difference(left.get(key) ?? [], right.get(key) ?? [], {
          rule,
          isExact: true,
          isCoalesced: false,
          isStateful: false,
        }) === null,
    );
  return BY_STRICTNESS.find(agree) ?? 'none';
}

/** Stores that end with different contents. */
export function undecidedStores(map: SubjectMap, one: Reference, other: Reference): readonly string[] {
  const names = new Set<string>();
  for (const { changelogs } of map.tasks)
    for (const { store, ...changelog } of changelogs) {
      const key = topicPartitionKey(changelog);
      if (!sameContent(one.stores.get(key), other.stores.get(key))) names.add(store);
    }
  return [...names];
}

function sameContent(one: ReadonlyMap<string, string> = new Map(), other: ReadonlyMap<string, string> = new Map()) {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
