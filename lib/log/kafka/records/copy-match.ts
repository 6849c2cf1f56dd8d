/** The one step that all of the LZ77 family share. */

/** From this length on the built-in copy is quicker than a loop. */
const MIN_BUILT_IN_COPY_BYTES = 32;

/**
 * Copies `length` bytes from `distance` bytes before `at` to `at`, byte after byte: where they overlap, what was copied is
 * copied again. The caller has checked that both ranges are inside.
 */
export function copyMatch(output: Buffer, at: number, distance: number, length: number): void {
  const from = at - distance;
  if (distance >= length && length >= MIN_BUILT_IN_COPY_BYTES) {
    output.copyWithin(at, from, from + length);
  } else if (distance === 1) {
    output.fill(output[from] as number, at, at + length);
  } else {
    for (let index = 0; index < length; index += 1) output[at + index] = output[from + index] as number;
  }
}
