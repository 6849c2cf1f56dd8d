/**
 * `npm start -- --once FILE` over at least 50 MB of real text: the documents and sources of the installed packages.
 * The counts must be those of `tr`, `sort` and `uniq -c` over the same file.
 */
import { execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WANTED_BYTES = 52 * 1024 * 1024;
const TEXT = /\.(md|txt|ts|js|mjs|cjs|css|html)$/;
const RUN_TIMEOUT_MS = 600_000;

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-text-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

it(
  'counts 50 MB of text as tr, sort and uniq count it',
  async () => {
    const text = join(folder, 'text.txt');
    const counted = join(folder, 'counted.txt');
    const sizeBytes = await collectText(text);

    const figures = await count(text, counted);
    const cut = `LC_ALL=C tr -cs 'A-Za-z0-9_' '\\n' < "$1" | LC_ALL=C tr 'A-Z' 'a-z' | grep -v '^$' | LC_ALL=C sort | uniq -c > "$2"`;
    const wanted = join(folder, 'wanted.txt');
    await run('sh', ['-c', cut, 'sh', text, wanted]);

    process.stdout.write(`${(sizeBytes / 1_048_576).toFixed(1)} MB of text\n${figures}`);
    expect(sizeBytes).toBeGreaterThan(50 * 1024 * 1024);
    expect((await readFile(counted)).equals(await readFile(wanted))).toBe(true);
  },
  RUN_TIMEOUT_MS,
);

/** Concatenates text files of the installed packages, in order of their paths, until there is enough. */
async function collectText(into: string): Promise<number> {
  const out = createWriteStream(into);
  let sizeBytes = 0;
  for await (const path of textFiles(join(ROOT, 'node_modules'))) {
    if (sizeBytes >= WANTED_BYTES) break;
    const bytes = await readFile(path);
    out.write(bytes);
    out.write('\n');
    sizeBytes += bytes.length + 1;
  }
  out.end();
  await finished(out);
  return sizeBytes;
}

async function* textFiles(directory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* textFiles(path);
    else if (entry.isFile() && TEXT.test(entry.name)) yield path;
  }
}

/** @returns what the run printed */
async function count(text: string, counted: string): Promise<string> {
  const args = ['start', '--silent', '--', '--once', '--port', '0', '--counts', counted, text];
  const child = spawn('npm', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  for await (const chunk of child.stdout) printed += String(chunk);
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode !== 0) throw new Error(`npm start ended with ${child.exitCode}: ${printed}`);
  return printed;
}
