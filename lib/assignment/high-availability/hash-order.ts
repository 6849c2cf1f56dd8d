/**
 * The order in which Java's hash tables hold task ids: where Kafka Streams goes through one, later tasks find members that
 * earlier ones have filled, so the order is part of its answer. It depends on nothing but the ids.
 */
import type { PlacedTask } from '../cluster.js';

const LEAST_CAPACITY = 16;
const LOAD_FACTOR = 0.75;

/**
 * Tasks in the order of a table that has grown with them (`HashMap.put` one by one).
 *
 * @param tasks in the order in which they came in; of one bucket the first comes first
 */
export function orderOfGrownTable(tasks: readonly PlacedTask[]): PlacedTask[] {
  let capacity = LEAST_CAPACITY;
  while (tasks.length > capacity * LOAD_FACTOR) capacity *= 2;
  return byBucket(tasks, capacity);
}

/** Tasks in the order of a table made for so many at once (`new HashSet(collection)`). */
export function orderOfCopiedTable(tasks: readonly PlacedTask[]): PlacedTask[] {
  let capacity = LEAST_CAPACITY;
  while (capacity < Math.trunc(tasks.length / LOAD_FACTOR) + 1) capacity *= 2;
  return byBucket(tasks, capacity);
}

function byBucket(tasks: readonly PlacedTask[], capacity: number): PlacedTask[] {
  const bucketOf = (task: PlacedTask): number => spread(hashOf(task)) & (capacity - 1);
  return tasks
    .map((task) => ({ task, bucket: bucketOf(task) }))
    .sort((a, b) => a.bucket - b.bucket) // stable
    .map(({ task }) => task);
}

/** `TaskId.hashCode()`: of sub-topology, partition and no name of a topology. */
function hashOf({ subTopology, partition }: PlacedTask): number {
  return Math.imul(Math.imul(31 + subTopology, 31) + partition, 31);
}

/** What `HashMap` makes of a hash. */
function spread(hash: number): number {
  return hash ^ (hash >>> 16);
}
