type Method = (...args: unknown[]) => unknown;

/**
 * A port with something around each of its methods; plain fields are handed through. What is around a method is made once, when it is first
 * asked for.
 */
export function wrapMethods<T extends object>(port: T, around: (method: Method, name: string) => Method): T {
  const wrapped = new Map<PropertyKey, Method>();
  return new Proxy(port, {
    get(target, property) {
      const known = wrapped.get(property);
      if (known !== undefined) return known;
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== 'function') return member;
      const made = around(member as Method, String(property));
      wrapped.set(property, made);
      return made;
    },
  });
}
