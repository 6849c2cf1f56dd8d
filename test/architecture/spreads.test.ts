/**
 * No list of unbounded length is spread into the arguments of a call: arguments lie on the stack, and from about 120,000 of them on the
 * call throws a RangeError. `appendAll`, `greatest` and `smallest` of lib/model/lists.ts take lists of any length.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const lib = fileURLToPath(new URL('../../lib', import.meta.url));
/** What takes any number of arguments. */
const TAKES_ANY = new Set([
  'push',
  'unshift',
  'splice',
  'concat',
  'max',
  'min',
  'hypot',
  'fromCharCode',
  'fromCodePoint',
]);
/** Lists of a fixed size in a hot path: a state of the model has two members and two tasks. */
const BOUNDED = ['testing/protocol/keys.ts'];
/** Far below what lib/ holds; a reader that went blind would fall under it. */
const FEWEST_FILES = 40;

function spreadsOf(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.arguments.some(ts.isSpreadElement) && isCallOfAny(node.expression)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push(`${file}:${line + 1}: ${node.getText(source)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isCallOfAny(callee: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(callee) && TAKES_ANY.has(callee.name.text);
}

describe('lists as arguments', () => {
  it('are never spread into calls that take any number of them, anywhere in lib', async () => {
    const files = (await readdir(lib, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const found: string[] = [];

    for (const file of files) {
      const text = await readFile(join(lib, file), 'utf8');
      if (text.includes('...') && !BOUNDED.includes(file)) found.push(...spreadsOf(file, text));
    }

    expect(found).toEqual([]);
    expect(files.length).toBeGreaterThanOrEqual(FEWEST_FILES);
  });

  it.each([
    ['push', 'list.push(...more);'],
    ['splice over two lines', 'this.list.splice(0, 1,\n ...more.map((x) => x));'],
    ['Math.max', 'const most = Math.max(0, ...sizes);'],
    ['String.fromCharCode', 'String.fromCharCode(...bytes)'],
  ])('are found where they are spread: %s', (_, text) => {
    expect(spreadsOf('planted.ts', text)).toHaveLength(1);
  });

  it.each(['call({ ...options })', 'list.push({ ...each })', 'new Set([...one, ...other])', 'stop(...names)'])(
    'are not found where they are not: %s',
    (text) => {
      expect(spreadsOf('harmless.ts', text)).toEqual([]);
    },
  );
});
