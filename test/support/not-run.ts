/** What a run says at its end about tests that it left out for want of something. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Test files below a folder, by the names of the files, in order. */
export function filesOf(folder: string, name: RegExp): string[] {
  return readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => name.test(file))
    .map((file) => `${folder}/${file}`)
    .sort();
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
