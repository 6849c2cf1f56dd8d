/** A copy that nobody can change. Items are trees of plain objects and arrays, a few levels deep. */
export function frozenCopy<T>(value: T): T {
  return copied(value) as T;
}

function copied(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(copied));
  return Object.freeze(Object.fromEntries(Object.entries(value).map(([name, part]) => [name, copied(part)])));
}

/** Items are trees of plain objects and arrays, a few levels deep. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
