/**
 * How the values that a reader has seen for one key differ from those of the reference, by the rule of the topic.
 *
 * | | exactly once | … behind a cache | at least once, no state | at least once, state |
 * | --- | --- | --- | --- | --- |
 * | `sequence` | the same | some of them in order, the last among them | all of them in order; others only as repeats | at least as many |
 * | `multiset` | the same in any order | some of them | each at least as often; others not at all | at least as many |
 * | `last` | the same last | the same last; nothing or any tombstone for a tombstone | the same last | any |
 *
 * At least once, a store has counted repeated input again: then values are others than the reference's, and only that none is
 * missing can be said; behind a cache, that there is one.
 */
import { isTombstone, shownValue as shown } from './seen-value.js';
import type { OutputComparison } from './subject.js';

export interface ComparisonFacts {
  readonly rule: Exclude<OutputComparison, 'none'>;
  readonly isExact: boolean;
  /** Whether updates may be left out (SubjectMap.isCoalesced). */
  readonly isCoalesced: boolean;
  /** Whether a store is on the way (SubjectMap.isStateful). */
  readonly isStateful: boolean;
}

/** Values as bytes, one character a byte, with what else is compared of each record (seen-value.ts); null: no value. */
export type SeenValues = readonly (string | null)[];

/** @returns what is wrong, in words; null: nothing */
export function difference(seen: SeenValues, wanted: SeenValues, facts: ComparisonFacts): string | null {
  const { rule, isExact, isCoalesced, isStateful } = facts;
  if (seen.length === 0 && wanted.length === 0) return null;
  if (rule === 'last' && isCoalesced && endsWithNothing(seen) && endsWithNothing(wanted)) return null;
  if (wanted.length === 0) return `${seen.length} values where the reference has none`;
  if (seen.length === 0) return `no value where the reference has ${wanted.length}`;
  if (!isExact && isStateful) return !isCoalesced && rule !== 'last' ? tooFew(seen, wanted) : null;
  if (rule === 'last') return lastDiffers(seen, wanted);
  if (!isExact) return rule === 'sequence' ? notRepeated(seen, wanted) : notAllRepeated(seen, wanted);
  if (rule === 'sequence') return isCoalesced ? notLeftOver(seen, wanted) : sequenceDiffers(seen, wanted);
  const surplus = lacking(wanted, seen, 'is in the reference');
  return surplus !== null || isCoalesced ? surplus : lacking(seen, wanted, 'is there');
}

function sequenceDiffers(seen: SeenValues, wanted: SeenValues): string | null {
  const length = Math.max(seen.length, wanted.length);
  for (let index = 0; index < length; index += 1) {
    if (seen[index] !== wanted[index])
      return `value ${index} of ${seen.length} is ${shown(seen[index])}, the reference has ${shown(wanted[index])} of ${wanted.length}`;
  }
  return null;
}

function lastDiffers(seen: SeenValues, wanted: SeenValues): string | null {
  const [last, due] = [seen.at(-1), wanted.at(-1)];
  return last === due ? null : `ends with ${shown(last)}, the reference with ${shown(due)}`;
}

/** Behind a cache a row that was not there before and is not now is not mentioned: which of its deletes were is left to timing. */
function endsWithNothing(values: SeenValues): boolean {
  const last = values.at(-1);
  return last === undefined || isTombstone(last);
}

/** Behind a cache: values of the reference in its order, and its last one last. */
function notLeftOver(seen: SeenValues, wanted: SeenValues): string | null {
  const stray = notWithin(seen, wanted);
  return stray === null ? lastDiffers(seen, wanted) : `${shown(stray.value)} is not next in the reference`;
}

/** Repeats only: the reference is all there in order, and nothing else than its values is. */
function notRepeated(seen: SeenValues, wanted: SeenValues): string | null {
  const missing = notWithin(wanted, seen);
  if (missing !== null) return `value ${missing.index} of the reference, ${shown(missing.value)}, is missing`;
  const known = new Set(wanted);
  const stray = seen.find((value) => !known.has(value));
  return stray === undefined ? null : `${shown(stray)} is no value of the reference`;
}

/** The first of `part` that is not in `whole` after those before it. */
function notWithin(
  part: SeenValues,
  whole: SeenValues,
): { readonly index: number; readonly value: string | null } | null {
  let at = 0;
  for (const [index, value] of part.entries()) {
    while (at < whole.length && whole[at] !== value) at += 1;
    if (at === whole.length) return { index, value };
    at += 1;
  }
  return null;
}

/** Repeats only, in any order. */
function notAllRepeated(seen: SeenValues, wanted: SeenValues): string | null {
  const missing = lacking(seen, wanted, 'is there');
  if (missing !== null) return missing;
  const known = new Set(wanted);
  const stray = seen.find((value) => !known.has(value));
  return stray === undefined ? null : `${shown(stray)} is no value of the reference`;
}

/** A value that `whole` has less often than `part`. */
function lacking(whole: SeenValues, part: SeenValues, where: 'is there' | 'is in the reference'): string | null {
  const left = new Map<string | null, number>();
  for (const value of whole) left.set(value, (left.get(value) ?? 0) + 1);
  for (const value of part) {
    const count = left.get(value) ?? 0;
    if (count === 0) return `${shown(value)} ${where} too seldom`;
    left.set(value, count - 1);
  }
  return null;
}

function tooFew(seen: SeenValues, wanted: SeenValues): string | null {
  return seen.length < wanted.length ? `${seen.length} values, the reference has ${wanted.length}` : null;
}
