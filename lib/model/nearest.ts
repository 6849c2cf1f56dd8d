/** The name that somebody may have meant who wrote one that there is not. */

/** Edits by which a misspelt name may differ: one for three letters, two at least. */
const LETTERS_PER_EDIT = 3;
const EDITS_LEAST = 2;

/** @returns the known name that is the fewest edits away; null if none is near */
export function nearestName(name: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let fewest = Math.max(EDITS_LEAST, Math.floor(name.length / LETTERS_PER_EDIT)) + 1;
  for (const candidate of known) {
    const distance = edits(name.toLowerCase(), candidate.toLowerCase());
    if (distance >= fewest) continue;
    fewest = distance;
    nearest = candidate;
  }
  return nearest;
}

/** `; is 'seeds' meant?`, or nothing where no name is near. */
export function suggestion(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest === null ? '' : `; is '${nearest}' meant?`;
}

/** Letters to put in, take out or change (Levenshtein). */
function edits(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (before[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      line.push(Math.min(changed, (before[column] ?? 0) + 1, (line[column - 1] ?? 0) + 1));
    }
    before = line;
  }
  return before[other.length] ?? 0;
}
