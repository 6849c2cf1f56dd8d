/** A copy that nobody can change. */
export function frozenCopy<T>(value: T): T {
  return deepFreeze(structuredClone(value));
}

/** Items are trees of plain objects and arrays, a few levels deep. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
