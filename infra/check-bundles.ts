/** Whether the bundles load: what a function would do at its first start, done before anybody deploys it. */
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Longest that a bundle may take to load, on a machine that is busy; Lambda gives a start 10 s. */
const LOAD_TIMEOUT_MS = 30_000;
const NO_HANDLER = 'it exports no function named `handler`';

/** Prints what is wrong, in the error's own words, and nothing where all is well. Exits, whatever the module has opened. */
const LOADER = `
  const say = (text) => process.stdout.write(text, () => process.exit());
  import(process.env.MILLRACE_BUNDLE).then(
    ({ handler }) => say(typeof handler === 'function' ? '' : ${JSON.stringify(NO_HANDLER)}),
    (error) => say([error?.code, error?.message ?? error, error?.remedy].filter(Boolean).join('\\n    ')),
  );`;

/**
 * Imports each bundle once, in a process of its own that has no credentials: making a handler opens nothing, the first
 * invocation does.
 *
 * @throws {Error} naming each function that does not load, with the error's own text
 */
export async function checkBundles(
  bundles: readonly { readonly name: string; readonly file: string }[],
): Promise<void> {
  const broken: string[] = [];
  for (const { name, file } of bundles) {
    const complaint = await complaintOf(file);
    if (complaint !== '') broken.push(`functions/${name}.ts does not load:\n    ${complaint}`);
  }
  if (broken.length > 0) throw new Error(broken.join('\n'));
}

async function complaintOf(file: string): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^(AWS_|SLS_|SERVERLESS_|NODE_OPTIONS$)/.test(name));
  const env = { ...Object.fromEntries(kept), MILLRACE_BUNDLE: pathToFileURL(file).href, NODE_NO_WARNINGS: '1' };
  try {
    const options = { cwd: tmpdir(), env, timeout: LOAD_TIMEOUT_MS };
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', LOADER], options);
    return stdout;
  } catch (error) {
    const { killed, message } = error as Error & { killed?: boolean };
    return killed === true ? `it was not loaded after ${LOAD_TIMEOUT_MS / 1_000} s` : message;
  }
}
