/** The worked example of placement: what happens to twelve tasks when members come and go, line by line the same each time. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Step } from '../../examples/rebalances/observer.js';
import { rebalances } from '../../examples/rebalances/rebalances.js';

const GOLDEN = fileURLToPath(new URL('../../examples/rebalances/timeline.txt', import.meta.url));
/** Looking at output every 20 ms of virtual time, behind commits every 100. */
const PAUSE_MOST_MS = 500;
const TASKS_OF_ONE = 3;

let lines: readonly string[] = [];
let steps: readonly Step[] = [];

beforeAll(async () => {
  const printed: string[] = [];
  steps = await rebalances((line) => printed.push(line));
  lines = printed;
}, 120_000);

function stepOf(title: string): Step {
  const step = steps.find((one) => one.title.startsWith(title));
  if (step === undefined) throw new Error(`there is no step ${title}`);
  return step;
}

describe('twelve stateful tasks with one hot standby each on three members', () => {
  it('take the course of the timeline in the documents', async () => {
    if (process.env.UPDATE_DOCS !== undefined) await writeFile(GOLDEN, textOf(lines));

    expect(textOf(lines)).toBe(await readFile(GOLDEN, 'utf8'));
  });

  it('move exactly three actives to a fourth member, once their copies are warm there', () => {
    const { moves } = stepOf('D joins');
    const text = textOf(lines);

    expect(moves.map(({ to }) => to)).toEqual(['D', 'D', 'D']);
    expect(new Set(moves.map(({ taskId }) => taskId)).size).toBe(3);
    for (const { taskId } of moves) {
      const line = text.split('\n').findIndex((one) => one.includes(`${taskId}:`));
      const warm = text
        .split('\n')
        .findIndex((one) => /^ +D .*warm-up/.test(one) && one.split('warm-up')[1]?.includes(taskId));
      expect(warm).toBeGreaterThan(0);
      expect(warm).toBeLessThan(line);
    }
  });

  it.each([
    { title: 'B is taken away', member: 'B', plan: 'B is drained' },
    { title: 'A is lost', member: 'A', plan: 'A died' },
  ])('go to their standbys when $title', ({ title, member, plan }) => {
    const before = lines.slice(
      0,
      lines.findIndex((line) => line.includes(plan)),
    );
    const standbyOf = (taskId: string) =>
      before
        .findLast((line) =>
          line
            .split(/ standby | warm-up /)[1]
            ?.split(' ')
            .includes(taskId),
        )
        ?.trim()[0];

    const taken = stepOf(title).moves.filter(({ from, to }) => from === member && to !== member);

    expect(taken.length).toBeGreaterThan(0);
    for (const { taskId, to } of taken.slice(0, TASKS_OF_ONE))
      expect([taskId, to]).toEqual([taskId, standbyOf(taskId)]);
  });

  it('stay where they are, with no new plan, while all members get new code', () => {
    expect(stepOf('all get new code')).toMatchObject({ plans: 0, moves: [] });
  });

  it('never pause for long, and count each view once', () => {
    for (const { pauseMsOfMoved, pauseMsOfOthers } of steps.slice(1)) {
      expect(pauseMsOfMoved ?? 0).toBeLessThanOrEqual(PAUSE_MOST_MS);
      expect(pauseMsOfOthers ?? 0).toBeLessThanOrEqual(PAUSE_MOST_MS);
    }
    expect(lines.at(-1)).toMatch(/(\d+) of \1 pages are counted right/);
  });
});

function textOf(all: readonly string[]): string {
  return `${all.join('\n').trim()}\n`;
}
