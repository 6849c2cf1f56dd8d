/**
 * The order in which a Java `HashSet<String>` iterates, for text that Kafka Streams builds by iterating one.
 *
 * `describe()` and the order of some names in it follow from that order, and they are compared letter for letter.
 */

const INITIAL_CAPACITY = 16;
const LOAD_FACTOR = 0.75;

/** Java's `String.hashCode()`. */
export function javaHashCode(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(31, hash) + text.charCodeAt(index)) | 0;
  return hash;
}

/** The distinct names in the order of a `HashSet` to which they were added in the order given. */
export function javaHashSetOrder(names: Iterable<string>): string[] {
  const distinct = [...new Set(names)];
  return javaHashOrder(distinct, javaHashCode);
}

/**
 * Distinct items in the order of a `HashSet` to which they were added in the order given.
 *
 * @param madeFor size of the collection that the set was made of, equal items included; 0: they were added one by one
 */
export function javaHashOrder<T>(items: readonly T[], hashOf: (item: T) => number, madeFor = 0): T[] {
  const needed = Math.floor(madeFor / LOAD_FACTOR) + 1;
  let capacity = INITIAL_CAPACITY;
  while (needed > capacity || items.length > capacity * LOAD_FACTOR) capacity *= 2;
  const bucket = (item: T) => {
    const hash = hashOf(item);
    return (hash ^ (hash >>> 16)) & (capacity - 1);
  };
  // Stable: items of one bucket stay in the order of their insertion, through every resize, as in Java.
  return items
    .map((item) => ({ item, bucket: bucket(item) }))
    .sort((a, b) => a.bucket - b.bucket)
    .map(({ item }) => item);
}
