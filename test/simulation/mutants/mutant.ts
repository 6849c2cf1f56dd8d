/**
 * A protection of the product, switched off: texts of its files replaced. The product has no switches for it; the bundle of the
 * simulation's worker is made from the changed text.
 */
export interface Mutant {
  /** Unique, in kebab-case: what is missing. */
  readonly name: string;
  /** The invariant or trap that is without its protection, and what should go wrong. */
  readonly protects: string;
  readonly edits: readonly Edit[];
  /** What the protection is there for where no fault of the cloud brings it about: a seed has to hold with this alone. */
  readonly given?: readonly Edit[];
}

export interface Edit {
  /** From the root of the repository. */
  readonly file: string;
  /** What is replaced: stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** @throws {Error} if the text to replace does not stand there exactly once */
export function edited(source: string, { file, find, replace }: Edit): string {
  const parts = source.split(find);
  if (parts.length !== 2) throw new Error(`the text to replace stands ${parts.length - 1} times in ${file}: ${find}`);
  return parts.join(replace);
}
