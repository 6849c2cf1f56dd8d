/** Orders of a few things as one number, in the factorial number system: 0 is the order in which they are counted. */

/** The number of an order of more things would not be exact. */
export const MAX_PERMUTED = 18;

/** @param order each of 0 … length − 1 once; at most {@link MAX_PERMUTED} */
export function permutationNumber(order: readonly number[]): number {
  return order.reduce((number, each, place) => {
    const lesserAfter = order.slice(place + 1).filter((other) => other < each).length;
    return number * (order.length - place) + lesserAfter;
  }, 0);
}

/** The order of that number; null if so many things have no such order. */
export function permutationOf(number: number, length: number): readonly number[] | null {
  let rest = number;
  const digits: number[] = [];
  for (let base = 1; base <= length; base += 1) {
    digits.unshift(rest % base);
    rest = Math.floor(rest / base);
  }
  if (rest !== 0) return null;
  const left = Array.from({ length }, (_, each) => each);
  return digits.flatMap((digit) => left.splice(digit, 1));
}
