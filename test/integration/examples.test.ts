/** Each example on the embedded log, end to end, against plain code over the same input; and as `npm run example` runs it. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { tryOut } from '../../examples/try-out.js';
import { exampleRuns } from '../support/examples/example-runs.js';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

describe.each([1, 4])('an example on the embedded log, with %i members', (members) => {
  it.each(exampleRuns)('$name answers what plain code does', async ({ app, wanted, ...run }) => {
    const answer = await tryOut(app, { ...run, settings: { members } });

    expect(answer).toEqual(wanted);
    expect(Object.keys(Object(wanted)).length).toBeGreaterThan(5);
  });
});

describe('an example', () => {
  it('is there for each folder of examples/', async () => {
    const folders = (await readdir(`${root}examples`, { withFileTypes: true })).filter((each) => each.isDirectory());

    const own = ['simulate', 'gpu-members', 'rebalances']; // have tests of their own
    const names = folders.map(({ name }) => name).filter((name) => !own.includes(name));
    expect(exampleRuns.map(({ name }) => name).sort()).toEqual(names.sort());
  });
});

describe('npm run example', () => {
  const example = (name: string) =>
    execute(process.execPath, ['--import', 'tsx', 'examples/main.ts', name], { cwd: root });

  it.each([
    ['orders', 'ada: 2000 cents (orders: 2)'],
    ['windowed-sums', 'meter-1 from 2026-03-01T09:00:00.000Z: 590 Wh'],
    ['sessions', 'ada 09:33–09:33: deleted'],
    ['enrichment', 'parcel-1 to Aarhus: 500 cents'],
    ['fraud', 'ada: payment-2 from DK after a login from BR'],
    ['gpu-members', 'member-2 runs 0_0, 0_1, 0_2, 0_3, 1_1'],
  ])('tries out %s and prints what it answers', async (name, line) => {
    const { stdout } = await example(name);

    expect(stdout.split('\n')).toContain(line);
  });

  it('names the examples where it is asked for none of them', async () => {
    const failure: unknown = await example('nothing').catch((error: unknown) => error);

    expect(failure).toMatchObject({
      code: 1,
      stderr:
        'Usage: npm run example -- enrichment|fraud|gpu-members|orders|rebalances|sessions|simulate|windowed-sums\n',
    });
  });
});
