/**
 * A value made at most once and then kept: what an execution environment reuses from one invocation to the next.
 *
 * A failed attempt is forgotten, so that the next invocation tries again.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}
