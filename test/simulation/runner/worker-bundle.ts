/** Bundles the worker once for many processes; for a mutant with texts of the product replaced. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type Edit, edited } from '../mutants/mutant.js';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
/** Packages in CommonJS inside an ES module still call `require` for Node's own modules. */
const requireForCommonJs =
  "import{createRequire as millraceRequire}from'node:module';const require=millraceRequire(import.meta.url);";
const ENTRY = 'test/simulation/runner/seed-worker.ts';

export interface WorkerBundle {
  readonly file: string;
  remove(): Promise<void>;
}

/** @throws esbuild's error, with the file and line, if a source does not compile */
export async function bundleWorker(edits: readonly Edit[] = []): Promise<WorkerBundle> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-simulation-'));
  const file = join(folder, 'seed-worker.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: [ENTRY],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    sourcemap: true,
    sourcesContent: false,
    banner: { js: requireForCommonJs },
    logLevel: 'warning',
    plugins: edits.length === 0 ? [] : [replacing(edits)],
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

function replacing(edits: readonly Edit[]): Plugin {
  return {
    name: 'edits',
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const here = edits.filter(({ file }) => join(root, file) === path);
        if (here.length === 0) return undefined;
        return { contents: here.reduce(edited, await readFile(path, 'utf8')), loader: 'ts' };
      });
    },
  };
}
