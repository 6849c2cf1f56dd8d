import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { MUTANTS } from '../simulation/mutants/all-mutants.js';
import { type Edit, edited } from '../simulation/mutants/mutant.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const everyEdit = MUTANTS.flatMap(({ edits, given = [] }) => [...edits, ...given]);
const compiler = compilerOf([...new Set(everyEdit.map(({ file }) => join(root, file)))]);

it('mutants have names of their own, and there are enough of them', () => {
  const names = MUTANTS.map(({ name }) => name);

  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThanOrEqual(14);
});

it('docs/testing.md says of each mutant what it protects, and nothing of others', async () => {
  const text = await readFile(join(root, 'docs/testing.md'), 'utf8');
  const table = text.slice(text.indexOf('| mutant | protects'));

  const rows = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `([a-z-]+)` \| ([^|]+) \|/gm)];

  expect(rows.map(([, name, protects]) => [name, protects])).toEqual(
    MUTANTS.map(({ name, protects }) => [name, protects]),
  );
});

it.each(MUTANTS)(
  'mutant $name replaces texts that stand where it says, and what it leaves compiles',
  async (mutant) => {
    const { edits, given = [] } = mutant;

    const sources = await changed([...given, ...edits]);

    expect(compiler.errorsOf(sources)).toEqual([]);
  },
);

/** The files that edits name, as they leave them. @throws if a text does not stand in its file exactly once */
async function changed(edits: readonly Edit[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const edit of edits) {
    const path = join(root, edit.file);
    files.set(path, edited(files.get(path) ?? (await readFile(path, 'utf8')), edit));
  }
  return files;
}

/** One compiler for all mutants: only what one of them changes is read again. */
function compilerOf(paths: readonly string[]) {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)).config;
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: paths }, ts.sys, root);
  let files: ReadonlyMap<string, string> = new Map();
  let round = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...paths],
    getScriptVersion: (path) => (files.has(path) ? String(round) : '0'),
    getScriptSnapshot: (path) => {
      const text = files.get(path) ?? ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (these) => ts.getDefaultLibFilePath(these),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
    useCaseSensitiveFileNames: () => true,
  });
  return {
    /** Of files with these contents instead of their own. */
    errorsOf(contents: ReadonlyMap<string, string>): readonly string[] {
      files = contents;
      round += 1;
      return [...files.keys()]
        .flatMap((path) => [...service.getSyntacticDiagnostics(path), ...service.getSemanticDiagnostics(path)])
        .map(({ messageText, file }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    },
  };
}
