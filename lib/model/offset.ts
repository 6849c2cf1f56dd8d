/**
 * Log offsets as checked numbers.
 *
 * An offset is a safe integer ≥ 0. JavaScript numbers are exact up to 2^53 − 1, which a partition that takes a million
 * records a second reaches after 285 years; anything outside is refused at the border instead of being rounded
 * (docs/decisions/0002-offsets-are-checked-numbers.md). "No offset" is `null`, never −1: sentinels do not enter arithmetic.
 */
import { InvalidOffsetError } from './errors.js';

declare const offsetBrand: unique symbol;
/** First, next, last or end offset of a partition; the name of the variable says which side it is on (`nextOffset` …). */
export type Offset = number & { readonly [offsetBrand]: true };

/**
 * Checks a number at the border and makes it an offset.
 *
 * @throws {InvalidOffsetError} STREAMS_INVALID_OFFSET if it is negative, fractional or above 2^53 − 1
 */
export function offset(value: number): Offset {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new InvalidOffsetError(`${value} is no offset`, { details: { value } });
  return value as Offset;
}

/** Records between a position and an end, both exclusive-next; 0 when the position is at or beyond the end. */
export function lagBetween(position: Offset, endOffset: Offset): number {
  return Math.max(0, endOffset - position);
}
