/**
 * What was thrown, as text. User code may throw anything: a text, a symbol, an object without prototype, an error whose message is a getter
 * that throws. Telling of it must never throw in its turn, or it would pass the handlers and hide what happened.
 */

/** What is said of a thing that can not be made text. */
const NO_TEXT = 'something that can not be shown as text';

/** What a thrown thing says. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return NO_TEXT;
  }
}

/** The name of an error's class; of anything else its type. Never throws. */
export function nameOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.name) : typeof thrown;
  } catch {
    return typeof thrown;
  }
}

/** The stack of an error; undefined if there is none to be had. Never throws. */
export function stackOf(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error && typeof thrown.stack === 'string' ? thrown.stack : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is an error of a class. Never throws, as `instanceof` does for some proxies. */
export function isErrorOf<E extends Error>(
  errorClass: abstract new (...args: never) => E,
  thrown: unknown,
): thrown is E {
  try {
    return thrown instanceof errorClass;
  } catch {
    return false;
  }
}
