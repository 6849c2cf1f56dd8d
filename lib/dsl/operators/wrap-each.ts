/**
 * A supplier of what `wrap` makes of each object that the user's supplier gives: of one object always the same, so that an object which
 * tasks would share is seen when the topology is built.
 */
export function wrapEach<T extends object, W extends object>(supplier: () => T, wrap: (one: T) => W): () => W {
  const wrapped = new WeakMap<T, W>();
  return () => {
    const one = supplier();
    const made = wrapped.get(one) ?? wrap(one);
    wrapped.set(one, made);
    return made;
  };
}
