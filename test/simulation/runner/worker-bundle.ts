/** Bundles the worker once for many processes; for a mutant with one text of the product replaced. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { type Mutant, mutated } from '../mutants/mutant.js';

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
export async function bundleWorker(mutant: Mutant | null): Promise<WorkerBundle> {
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
    plugins: mutant === null ? [] : [replacing(mutant)],
  });
  return { file, remove: () => rm(folder, { recursive: true, force: true }) };
}

function replacing(mutant: Mutant): Plugin {
  const path = join(root, mutant.file);
  return {
    name: 'mutant',
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, async (args) =>
        args.path === path ? { contents: mutated(mutant, await readFile(path, 'utf8')), loader: 'ts' } : undefined,
      );
    },
  };
}
