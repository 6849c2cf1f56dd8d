import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.build/bench');

/**
 * Compiles the library and the benches' programs to plain JavaScript, file by file, as the package is: what loads TypeScript on
 * the fly is slower to start and names every closure. Answers where a program lies then, by its path from this folder.
 */
export async function compilePrograms(): Promise<(program: string) => string> {
  rmSync(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: ['lib/**/*.ts', 'bench/**/*.ts', 'test/support/**/*.ts', 'examples/wordcount/*.ts'],
    outbase: '.',
    outdir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  return (program) => join(folder, 'bench', program);
}
