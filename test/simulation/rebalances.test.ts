/** The worked example of placement: what happens to twelve tasks when members come and go, line by line the same each time. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Step } from '../../examples/rebalances/observer.js';
import { rebalances } from '../../examples/rebalances/rebalances.js';

const GOLDEN = fileURLToPath(new URL('../../examples/rebalances/timeline.txt', import.meta.url));
/** Looking at output every 20 ms of virtual time, behind commits every 100. */
const PAUSE_MOST_MS = 500;

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
    if (process.env.UPDATE_DOCS !== undefined)
      await import('node:fs/promises').then((fs) => fs.writeFile(GOLDEN, textOf(lines)));

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

  it('go to their standbys when a member is lost', () => {
    const step = stepOf('A is lost');
    const died = lines.findIndex((line) => line.includes('A died'));
    const standbyOf = (taskId: string) =>
      lines
        .slice(0, died)
        .reverse()
        .find((line) => / standby /.test(line) && line.split(' standby ')[1]?.split(' ').includes(taskId))
        ?.trim()[0];

    const taken = step.moves.filter(({ from }) => from === 'A');
    expect(taken.length).toBeGreaterThan(0);
    for (const { taskId, to } of taken) expect(to).toBe(standbyOf(taskId));
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
