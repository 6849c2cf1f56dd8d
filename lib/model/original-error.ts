import { StreamsError } from './errors.js';
import { isErrorOf, stackOf } from './thrown.js';

/** Causes that are followed: an error may be its own. */
const MAX_CAUSES = 8;

/**
 * What was thrown first: by user code, a serde or a client, before we said at which record and node. An error of ours that came of
 * nothing else is that itself. A handler, a dead letter and the log all tell of this one.
 */
export function originalError(thrown: unknown): unknown {
  let original = thrown;
  for (let followed = 0; followed < MAX_CAUSES; followed += 1) {
    if (!isErrorOf(StreamsError, original) || original.cause === undefined) break;
    original = original.cause;
  }
  return original;
}

/** The stack of what was thrown first; undefined if that is no error. */
export function originalStack(thrown: unknown): string | undefined {
  return stackOf(originalError(thrown));
}
