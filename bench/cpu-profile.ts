/** Where the time of a Node process goes: V8's sampling profile, added up by function and by file. */
import { mkdirSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.results/profiles');
const linesShown = 40;
const notBusy = new Set(['(idle)', '(program)', '(root)']);

/** Arguments of `node` that leave a profile behind. */
export const profileArgs: readonly string[] = ['--cpu-prof', '--cpu-prof-dir', folder];

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

interface CpuProfile {
  readonly nodes: ReadonlyArray<{ readonly id: number; readonly callFrame: CallFrame }>;
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

  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const byArea = new Map<string, number>();
  const byFunction = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || notBusy.has(frame.functionName)) return;
    const spent = profile.timeDeltas[index] ?? 0;
    total += spent;
    add(byArea, areaOf(frame), spent);
    add(byFunction, nameOf(frame), spent);
  });
  say(`profile of the longest run, ${Math.round(total / 1_000)} ms busy; profiles are in ${relative(root, folder)}/`);
  for (const spentBy of [byArea, byFunction]) {
    const sorted = [...spentBy].sort(([, a], [, b]) => b - a).slice(0, linesShown);
    for (const [name, spent] of sorted) say(`${((100 * spent) / total).toFixed(1).padStart(6)} %  ${name}`);
    say('');
  }
}

function add(to: Map<string, number>, name: string, spent: number): void {
  to.set(name, (to.get(name) ?? 0) + spent);
}

/** `lib/state`, a package, or the machine's own part. */
function areaOf({ functionName, url }: CallFrame): string {
  const file = fileOf(url);
  if (file === '') return functionName.startsWith('(') ? functionName : '(V8 and Node, native)';
  if (file.startsWith('node:')) return 'node:';
  const parts = file.split('/');
  return parts.slice(0, parts[0] === 'lib' && parts[1] === 'log' ? 3 : 2).join('/');
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  return url === '' ? name : `${name}  ${fileOf(url)}:${lineNumber + 1}`;
}

function fileOf(url: string): string {
  return url.startsWith('file:') ? relative(root, fileURLToPath(url)).replace(/^\.build\/bench\//, '') : url;
}
