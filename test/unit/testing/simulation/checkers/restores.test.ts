/** The checker of restores at once can fail. */
import { expect, it } from 'vitest';
import { restoresAreLimited } from '../../../../../lib/testing/simulation/checkers/restores-are-limited.js';
import { QUICK_SETTINGS } from '../../../../../lib/testing/simulation/generate-scenario.js';
import { wrongIn } from '../../../../support/simulation/checked-scene.js';

type Line = readonly [who: string, event: string, taskId: string, more?: Readonly<Record<string, unknown>>];

/** What is wrong with these lines where so many may restore at once. */
const wrongOf = (limit: number, lines: readonly Line[]) =>
  wrongIn(
    { checker: restoresAreLimited, scenario: { settings: { ...QUICK_SETTINGS, maxConcurrentRestores: limit } } },
    async ({ cloud }) => {
      for (const who of ['task#1', 'task#2']) cloud.timeline.add(who, 'member-claimed');
      for (const [who, event, taskId, more] of lines)
        cloud.timeline.add(who, event, { taskId, store: 'counts', mode: 'log', ...more });
    },
  );

it('tasks and copies may be read back one after the other', async () => {
  const wrong = await wrongOf(1, [
    ['task#1', 'restore-started', '0_0'],
    ['task#1', 'restore-finished', '0_0'],
    ['task#1', 'copy-started', '0_1'],
    ['task#1', 'copy-waits', '0_1'],
    ['task#1', 'restore-started', '0_2'],
    ['task#1', 'task-recovering', '0_2'],
    ['task#1', 'copy-started', '0_1'],
    ['task#1', 'copy-caught-up', '0_1'],
    ['task#1', 'restore-started', '0_3'],
    ['task#1', 'member-ended', ''],
    ['task#1', 'member-claimed', ''],
    ['task#1', 'restore-started', '0_4'],
  ]);

  expect(wrong).toEqual([]);
});

it('stores of one task, what a process has kept, and other members do not count', async () => {
  const wrong = await wrongOf(1, [
    ['task#1', 'restore-started', '0_0'],
    ['task#1', 'restore-started', '0_0', { store: 'names' }],
    ['task#1', 'restore-started', '0_1', { mode: 'memory' }],
    ['task#1', 'copy-started', '0_2', { mode: 'memory' }],
    ['task#2', 'restore-started', '0_3'],
    ['query#1', 'restore-started', '0_4'],
    ['query#1', 'restore-started', '0_5'],
  ]);

  expect(wrong).toEqual([]);
});

it('one task more than may restore is seen', async () => {
  const wrong = await wrongOf(2, [
    ['task#1', 'restore-started', '0_0'],
    ['task#1', 'restore-started', '0_1'],
    ['task#1', 'restore-started', '0_2'],
  ]);

  expect(wrong).toEqual(['task#1 reads back 0_0, 0_1, 0_2 at once, though 2 may be']);
});

it('a copy that is read back beside a task is seen, and one that goes on after it gave way', async () => {
  const beside = await wrongOf(1, [
    ['task#1', 'restore-started', '0_0'],
    ['task#1', 'copy-started', '0_1'],
  ]);
  const goingOn = await wrongOf(1, [
    ['task#1', 'copy-started', '0_1'],
    ['task#1', 'copy-waits', '0_1'],
    ['task#1', 'restore-started', '0_0'],
    ['task#1', 'copy-goes-on', '0_1'],
  ]);

  expect([beside, goingOn]).toEqual([
    ['task#1 reads back 0_0, 0_1 at once, though 1 may be'],
    ['task#1 reads back 0_0, 0_1 at once, though 1 may be'],
  ]);
});
