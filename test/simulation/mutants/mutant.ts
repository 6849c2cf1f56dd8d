/**
 * A protection of the product, switched off: one text of one file replaced. The product has no switches for it; the bundle of the
 * simulation's worker is made from the changed text.
 */
export interface Mutant {
  /** Unique, in kebab-case: what is missing. */
  readonly name: string;
  /** The invariant or trap that is without its protection, and what should go wrong. */
  readonly protects: string;
  /** From the root of the repository. */
  readonly file: string;
  /** What is replaced: stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** @throws {Error} if the text to replace does not stand there exactly once */
export function mutated({ name, file, find, replace }: Mutant, source: string): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`mutant ${name}: its text stands ${source.split(find).length - 1} times in ${file}, not once`);
  return `${before}${replace}${after}`;
}
