/** Where the time of a Node process goes: V8's sampling profile, added up by function and by file. */
import { mkdirSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.results/profiles');
const linesShown = 40;

/** Arguments of `node` that leave a profile behind. */
export const profileArgs: readonly string[] = ['--cpu-prof', '--cpu-prof-dir', folder];

interface CpuProfile {
  readonly nodes: ReadonlyArray<{
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }>;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Removes the profiles of earlier runs. */
export function clearProfiles(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** Says, of the largest profile left, which functions the time was spent in (self time, idle time left out). */
export async function writeProfileSummary(say: (line: string) => void): Promise<void> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.cpuprofile'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const largest = texts.sort((a, b) => b.length - a.length)[0];
  if (largest === undefined) throw new Error(`no profile in ${folder}`);
  const profile = JSON.parse(largest) as CpuProfile;

  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const microseconds = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, index) => {
    const name = names.get(id) ?? '';
    const spent = profile.timeDeltas[index] ?? 0;
    if (name.startsWith('(idle)') || name.startsWith('(program)')) return;
    microseconds.set(name, (microseconds.get(name) ?? 0) + spent);
    total += spent;
  });
  say(`profile of the longest run, ${Math.round(total / 1_000)} ms busy; profiles are in ${relative(root, folder)}/`);
  const sorted = [...microseconds].sort(([, a], [, b]) => b - a);
  for (const [name, spent] of sorted.slice(0, linesShown)) {
    say(`${((100 * spent) / total).toFixed(1).padStart(6)} %  ${name}`);
  }
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  return `${name}  ${url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url}:${lineNumber + 1}`;
}
