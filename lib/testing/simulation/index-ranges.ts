/** Lists of indices as people write them: `0-120,130`, both ends inclusive; empty for none. */

/** @param indices ascending, each once */
export function formatIndexRanges(indices: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const index of indices) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1 === index) last[1] = index;
    else ranges.push([index, index]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/**
 * @param end indices are below it
 * @returns ascending, each once
 * @throws {RangeError} if the text is no such list, or names an index that there is not
 */
export function parseIndexRanges(text: string, end: number): readonly number[] {
  const indices = new Set<number>();
  for (const part of text.split(',').filter((written) => written !== '')) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    const from = Number(match?.[1]);
    const to = Number(match?.[2] ?? match?.[1]);
    if (match === null || to < from) throw new RangeError(`'${part}' is no range of indices, such as 3 or 0-120`);
    if (to >= end) throw new RangeError(`there is no ${to}: indices are below ${end}`);
    for (let index = from; index <= to; index += 1) indices.add(index);
  }
  return [...indices].sort((a, b) => a - b);
}
