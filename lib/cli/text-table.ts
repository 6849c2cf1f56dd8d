/** Rows as a table for people: columns padded to their widest cell, numbers to the right. */
export function textTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, column) => widest(cells.map((row) => row[column] ?? '')));
  const isNumber = head.map((_, column) => rows.length > 0 && rows.every((row) => typeof row[column] === 'number'));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return cells.map(line).join('\n');
}

/** Lines that name and value stand in, aligned. */
export function textList(entries: readonly (readonly [string, string | number])[]): string {
  const width = widest(entries.map(([name]) => name));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, { length }) => Math.max(most, length), 0);
}
