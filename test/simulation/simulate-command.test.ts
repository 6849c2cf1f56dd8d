import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MOST_MS = 120_000;

function simulate(...args: readonly string[]) {
  return new Promise<{ readonly code: number | string | null; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const command = ['--import', 'tsx', 'test/simulation/main.ts', ...args];
      execFile(process.execPath, command, { cwd: root, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : (error.code ?? null), stdout, stderr });
      });
    },
  );
}

it(
  'the same seed takes the same course in two processes, to the byte',
  async () => {
    const first = await simulate('--seed', '3', '--timeline');
    const second = await simulate('--seed', '3', '--timeline');

    expect(first.stdout).toMatch(/^fault 0: .*\n {2}took (no effect|effect at [\d.]+ ms: \{)/m);
    expect(first.stdout.split('\n').length).toBeGreaterThan(100);
    expect(first.stdout).toMatch(/^digest [0-9a-f]{64}$/m);
    expect(second.stdout).toBe(first.stdout);
  },
  MOST_MS,
);

it(
  'another seed takes another course',
  async () => {
    const digestOf = async (seed: string) => /^digest (.*)$/m.exec((await simulate('--seed', seed)).stdout)?.[1];

    expect(await digestOf('4')).not.toBe(await digestOf('5'));
  },
  MOST_MS,
);

it(
  'a part of a seed runs without what was left out, and the last line says how it went',
  async () => {
    const { code, stdout } = await simulate(
      '--seed',
      '3',
      '--faults',
      'none',
      '--inputs',
      '0-2,5',
      '--members',
      '1',
      '--timeline',
    );

    expect(stdout).toContain('npm run simulate -- --seed 3 --faults none --inputs 0-2,5 --members 1');
    expect(stdout.match(/ world input /g)).toHaveLength(4);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('all held: seed 3, 0 violations');
    expect(code).toBe(0);
  },
  MOST_MS,
);

it.each([
  [['--sedes', '3'], /sedes/],
  [['--seeds', 'many'], /--seeds many: a whole number/],
  [['--timeline'], /--timeline goes with --seed/],
  [['--seed', '1', '--mutants'], /do not go together/],
  [['--seed', '1', '--faults', '1-x'], /--faults 1-x: .* no range/],
  [['--seed', '1', '--inputs', '99999'], /--inputs 99999: there is no 99999/],
  [['--seed', '1', '--seeds', '3'], /--seed and --seeds do not go together/],
  [['--seed', '1', '--from', '3'], /--seed and --from do not go together/],
  [['--mutants', '--only', 'nothing'], /no mutant is called nothing/],
])(
  'options that are not understood are refused with exit code 2: %s',
  async (args, words) => {
    const { code, stderr } = await simulate(...args);

    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  },
  MOST_MS,
);
