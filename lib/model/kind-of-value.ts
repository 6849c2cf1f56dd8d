/** What a value is, with its article, for messages about one of a wrong kind: `a number`, `an object`, `null`. */
export function kindOfValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
