import type { Serde } from './serde.js';

/**
 * The same serde, for keys or values that may be null.
 *
 * It changes the type alone: no serde ever sees null, and a null key or value goes through a topology whatever the serde
 * says (docs/decisions/0003-nulls-pass-through.md). Say `nullable` where the functions after it must reckon with null.
 */
export function nullable<T>(serde: Serde<T>): Serde<T | null> {
  return serde;
}
