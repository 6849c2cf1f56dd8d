/** What a run says at its end about tests that it left out for want of something. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Test files below a folder, by the names of the files, in order. */
export function filesOf(folder: string, name: RegExp): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** Prints the notices after the run, and under them each test that has left itself out with a reason (`skip(…, reason)`). */
export function namesWhatDidNotRun(notices: readonly string[]): Reporter {
  return {
    onTestRunEnd(modules) {
      const lines: string[] = [];
      for (const module of modules)
        for (const test of module.children.allTests('skipped')) {
          const { state, note } = { note: undefined, ...test.result() };
          if (state === 'skipped' && note !== undefined)
            lines.push(`    not run: ${module.relativeModuleId} > ${test.fullName}: ${note}`);
        }
      if (lines.length > 0) lines.unshift('', `SINGLE TESTS DID NOT RUN: ${lines.length}.`);
      const text = [...notices, ...lines].join('\n');
      if (text !== '') console.log(text);
    },
  };
}

/**
 * The words.
 *
 * @param what in capitals: `KAFKA`
 * @param wanted what is missing, and what else would do
 */
export function noticeOf(what: string, wanted: string, files: readonly string[]): string {
  return [
    '',
    `${what} TESTS DID NOT RUN: ${files.length} files. Wanted: ${wanted}.`,
    ...files.map((file) => `    not run: ${file}`),
    '',
  ].join('\n');
}
