/** The command line as its users run it: built, and a process of its own. */
import { execFile } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface BuiltCommand {
  /** Folder beside the command, for modules that it is to load. */
  readonly folder: string;
  run(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended>;
  remove(): Promise<void>;
}

/** Builds the command under a name of its own; `modules` are built beside it, as `<name>.mjs`. */
export async function buildCommand(
  name: string,
  modules: Readonly<Record<string, string>> = {},
): Promise<BuiltCommand> {
  const folder = join(root, '.results', 'cli', `${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  await build({
    entryPoints: { millrace: 'lib/cli/main.ts', ...modules },
    absWorkingDir: root,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'error',
  });
  const run: BuiltCommand['run'] = (args, environment = {}) =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, ...environment };
      execFile(process.execPath, [join(folder, 'millrace.mjs'), ...args], { env, cwd: folder }, (error, out, err) => {
        resolve({ code: Number(error?.code ?? 0), out, err });
      });
    });
  return { folder, run, remove: () => rm(folder, { recursive: true, force: true }) };
}
