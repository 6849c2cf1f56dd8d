/**
 * Bundles each function of functions/ into one minified ES module, `<outDir>/<function>.mjs`, with everything it imports.
 *
 * One file without node_modules starts fastest, and holds its own copy of every client (never the runtime's). `npm run package`
 * and `npm run deploy` run this, after the compiler, before the framework zips the files; nothing else may build what is
 * deployed. It ends with an error where a bundle does not load.
 */
import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { checkBundles } from './check-bundles.js';

/** The functions of serverless.yml, by the names of their files. */
export const FUNCTIONS = ['scheduler', 'task', 'standby', 'query'] as const;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Packages in CommonJS inside an ES module still call `require` for Node's own modules. */
const requireForCommonJs =
  "import{createRequire as millraceRequire}from'node:module';const require=millraceRequire(import.meta.url);";

export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly sizeBytes: number;
}

/** What tests put in the place of an operator's files; paths are absolute, or from the top folder. */
export interface BundleOptions {
  /** Stands for functions/app.ts. */
  readonly app?: string;
  /** Stand for a function's own file, where a test must end its process from within. */
  readonly sources?: Readonly<Partial<Record<(typeof FUNCTIONS)[number], string>>>;
}

/**
 * Builds all functions.
 *
 * @param outDir where the bundles go; made if absent, files of the same names are replaced
 * @throws esbuild's error, with the file and line, if a source does not compile
 */
export async function bundleFunctions(
  outDir: string,
  { app, sources = {} }: BundleOptions = {},
): Promise<readonly Bundle[]> {
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(FUNCTIONS.map((name) => [name, sources[name] ?? join('functions', `${name}.ts`)])),
    outdir: outDir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    // Class names are part of what is logged: `StreamsError` takes its name from its class.
    keepNames: true,
    legalComments: 'none',
    banner: { js: requireForCommonJs },
    logLevel: 'warning',
    plugins: app === undefined ? [] : [otherApp(resolve(root, app))],
  });
  return Promise.all(
    FUNCTIONS.map(async (name) => {
      const file = join(outDir, `${name}.mjs`);
      return { name, file, sizeBytes: (await stat(file)).size };
    }),
  );
}

function otherApp(path: string): Plugin {
  return {
    name: 'other-app',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\/app\.js$/ }, ({ resolveDir }) =>
        resolveDir === join(root, 'functions') ? { path } : undefined,
      );
    },
  };
}

async function main(): Promise<void> {
  const bundles = await bundleFunctions(join(root, '.build'));
  await checkBundles(bundles);
  for (const { file, sizeBytes } of bundles)
    console.log(`${relative(root, file)} ${(sizeBytes / 1024).toFixed(0)} KiB`);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
