/**
 * Lists of any length. A list that is spread into the arguments of a call (`push(...more)`, `Math.max(...all)`) lies on the stack: from
 * about 120,000 entries on the call throws a RangeError. An architecture test refuses such calls in lib/.
 */

/** Adds all of `more` at the end of a list, in order. */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const each of more) list.push(each);
}

/** The greatest of some numbers, `least` at least: that is the answer for none. */
export function greatest(least: number, numbers: Iterable<number>): number {
  let found = least;
  for (const each of numbers) if (each > found) found = each;
  return found;
}

/** The smallest of some numbers, `most` at most: that is the answer for none. */
export function smallest(most: number, numbers: Iterable<number>): number {
  let found = most;
  for (const each of numbers) if (each < found) found = each;
  return found;
}
