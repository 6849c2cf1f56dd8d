/**
 * What of an application's results its input decides, and what is left to timing: found out by two references that take the same
 * input in contrary orders. A run with faults is held to what both agree on.
 */
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { difference, type SeenValues } from '../output-comparison.js';
import type { Reference } from '../reference.js';
import { referenceValues, type ValuesByKey } from '../seen-outputs.js';
import type { OutputComparison } from '../subject.js';
import type { SubjectMap } from '../subject-map.js';

/** Comparisons from the strictest on. */
const BY_STRICTNESS = ['sequence', 'multiset', 'last'] as const;
/** Letters of a key or value that is named. */
const SHOWN_MOST = 80;

/** How a topic can be compared, and on what its two references disagree if not as `sequence`. */
export interface Agreement {
  readonly comparison: OutputComparison;
  readonly why: string | null;
}

/** The strictest comparison of a topic by which two references agree. */
export function strictestAgreement(topic: string, one: Reference, other: Reference): Agreement {
  const left = referenceValues(one, topic);
  const right = referenceValues(other, topic);
  let why: string | null = null;
  for (const rule of BY_STRICTNESS) {
    const key = disagreement(rule, left, right);
    if (key === null) return { comparison: rule, why };
    why = `${keyInWords(key)} ${saidOf(rule, left.get(key) ?? [], right.get(key) ?? [])}`;
  }
  return { comparison: 'none', why };
}

/** Stores that end with different contents, and on what the references disagree. */
export function undecidedStores(map: SubjectMap, one: Reference, other: Reference): ReadonlyMap<string, string> {
  const stores = new Map<string, string>();
  for (const { changelogs } of map.tasks)
    for (const { store, ...changelog } of changelogs) {
      const key = topicPartitionKey(changelog);
      const why = contentDisagreement(changelog.partition, one.stores.get(key), other.stores.get(key));
      if (why !== null && !stores.has(store)) stores.set(store, why);
    }
  return stores;
}

/** A key on which they disagree by this rule; null: none. */
function disagreement(rule: (typeof BY_STRICTNESS)[number], left: ValuesByKey, right: ValuesByKey): string | null {
  const facts = { rule, isExact: true, isCoalesced: false, isStateful: false };
  for (const key of new Set([...left.keys(), ...right.keys()]))
    if (difference(left.get(key) ?? [], right.get(key) ?? [], facts) !== null) return key;
  return null;
}

function contentDisagreement(
  partition: number,
  one: ReadonlyMap<string, string> = new Map(),
  other: ReadonlyMap<string, string> = new Map(),
): string | null {
  for (const key of new Set([...one.keys(), ...other.keys()]))
    if (one.get(key) !== other.get(key))
      return `${keyInWords(`${partition}/${key}`)} holds ${shown(one.get(key))} in one order of arrival, ${shown(other.get(key))} in another`;
  return null;
}

function saidOf(rule: (typeof BY_STRICTNESS)[number], left: SeenValues, right: SeenValues): string {
  if (rule === 'last')
    return `ends with ${shown(left.at(-1))} in one order of arrival, with ${shown(right.at(-1))} in another`;
  const at = left.findIndex((value, index) => value !== right[index]);
  const place = at < 0 ? left.length : at;
  return `has ${shown(left[place])} as value ${place} in one order of arrival, ${shown(right[place])} in another`;
}

/** From `2/water`. */
function keyInWords(key: string): string {
  const at = key.indexOf('/');
  return `key ${shown(key.slice(at + 1))} of partition ${key.slice(0, at)}`;
}

function shown(value: string | null | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'a tombstone';
  const text = /^[ -~]*$/.test(value) ? `'${value}'` : `0x${Buffer.from(value, 'latin1').toString('hex')}`;
  return text.length <= SHOWN_MOST ? text : `${text.slice(0, SHOWN_MOST)}…`;
}
