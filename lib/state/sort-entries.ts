import type { EntryTable } from './entry-table.js';

/** Runs of this length are put in order one by one, before they are merged. */
const RUN = 16;

/** Numbers of entries with what is compared first: some bytes of their keys. */
interface Lane {
  readonly numbers: Uint32Array;
  readonly parts: Float64Array;
}

/**
 * The numbers of all entries of a table, in order of their keys.
 *
 * Entries that are in order already (a snapshot was just read) cost one comparison each; else a merge sort compares the six
 * bytes after what all keys have in common, and whole keys only where these are equal.
 */
export function sortedEntries(entries: EntryTable): Uint32Array {
  const numbers = new Uint32Array(entries.size);
  let count = 0;
  for (let number = 0; number < entries.numbers; number += 1) if (entries.has(number)) numbers[count++] = number;

  let isSorted = true;
  let common = Number.MAX_SAFE_INTEGER;
  for (let at = 1; at < count; at += 1) {
    const before = numbers[at - 1] as number;
    const number = numbers[at] as number;
    const same = entries.commonPrefix(before, number, common);
    if (same < common) common = same;
    if (isSorted && entries.compare(before, number) > 0) isSorted = false;
  }
  return isSorted ? numbers : mergeSorted(entries, numbers, common);
}

function mergeSorted(entries: EntryTable, numbers: Uint32Array, skip: number): Uint32Array {
  const { length } = numbers;
  let from: Lane = { numbers, parts: new Float64Array(length) };
  let to: Lane = { numbers: new Uint32Array(length), parts: new Float64Array(length) };
  for (let at = 0; at < length; at += 1) from.parts[at] = entries.part(numbers[at] as number, skip);
  for (let start = 0; start < length; start += RUN) sortRun(entries, from, start, Math.min(start + RUN, length));
  for (let width = RUN; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) merge(entries, from, to, start, width);
    [from, to] = [to, from];
  }
  return from.numbers;
}

/** Insertion sort of [start, end). */
function sortRun(entries: EntryTable, { numbers, parts }: Lane, start: number, end: number): void {
  for (let next = start + 1; next < end; next += 1) {
    const number = numbers[next] as number;
    const part = parts[next] as number;
    let at = next;
    while (at > start) {
      const before = parts[at - 1] as number;
      if (before < part || (before === part && entries.compare(numbers[at - 1] as number, number) <= 0)) break;
      numbers[at] = numbers[at - 1] as number;
      parts[at] = before;
      at -= 1;
    }
    numbers[at] = number;
    parts[at] = part;
  }
}

/** Merges the runs [start, start + width) and what follows, up to as many. */
function merge(entries: EntryTable, from: Lane, to: Lane, start: number, width: number): void {
  const { length } = from.numbers;
  const middle = Math.min(start + width, length);
  const end = Math.min(start + 2 * width, length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at += 1) {
    const source = left < middle && (right >= end || isBefore(entries, from, left, right)) ? left++ : right++;
    to.numbers[at] = from.numbers[source] as number;
    to.parts[at] = from.parts[source] as number;
  }
}

function isBefore(entries: EntryTable, { numbers, parts }: Lane, left: number, right: number): boolean {
  const difference = (parts[left] as number) - (parts[right] as number);
  if (difference !== 0) return difference < 0;
  return entries.compare(numbers[left] as number, numbers[right] as number) <= 0;
}
