/** Who takes a place among those that may restore at once. */
import { expect, it } from 'vitest';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import { TAIL_BYTES } from '../../../lib/runtime/restore-estimate.js';
import { lonelyRestores } from '../../support/member-restores.js';
import {
  createTaskWorld,
  feedWords,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../../support/task-world.js';
import { waitFor } from '../../support/wait-for.js';

/** As much as a record is taken for. */
const RECORD_BYTES = 100;

const neverAdmitting = (world: TaskWorld) => lonelyRestores(world, { maxConcurrentRestores: 1 });

const waits = ({ events }: TaskWorld) => events.filter(({ event }) => event === 'restore-waits').length;

async function ranOnce(): Promise<{ readonly world: TaskWorld; readonly kept: KeptStores }> {
  const world = await createTaskWorld();
  const kept = new KeptStores();
  await feedWords(world, someWords(50));
  const first = await startTask(world, { kept });
  await untilCommitted(world);
  await stopTask(first);
  return { world, kept };
}

it('a task whose stores are here and lack little takes no place, and waits for none', async () => {
  const { world, kept } = await ranOnce();
  await feedWords(world, ['one', 'more']);

  const task = await startTask(world, { kept, incarnation: 2, restores: neverAdmitting(world) });
  await untilCommitted(world);

  expect(waits(world)).toBe(0);
  await stopTask(task);
});

it('a task whose stores are not here waits, however little there is to read', async () => {
  const { world } = await ranOnce();
  expect(50 * RECORD_BYTES).toBeLessThan(TAIL_BYTES);

  const task = await startTask(world, { incarnation: 2, restores: neverAdmitting(world) });
  await waitFor('the task to wait for a place', async () => waits(world) === 1 || undefined);

  await stopTask(task);
});

it('a task whose stores are here and turn out to be of no use waits before it reads others', async () => {
  const { world, kept } = await ranOnce();
  for (const one of kept.all()) kept.keep({ ...one, topicId: 'of another life' });

  const task = await startTask(world, { kept, incarnation: 2, restores: neverAdmitting(world) });
  await waitFor('the task to wait for a place', async () => waits(world) === 1 || undefined);

  expect(world.events.filter(({ event }) => event === 'restore-started').length).toBeLessThanOrEqual(1); // of the first run
  await stopTask(task);
});
