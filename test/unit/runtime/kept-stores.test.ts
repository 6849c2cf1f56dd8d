import { expect, it } from 'vitest';
import { offset } from '../../../lib/model/offset.js';
import { taskId } from '../../../lib/model/task-id.js';
import { KeptStores } from '../../../lib/runtime/kept-stores.js';
import { emptyStore } from '../../../lib/runtime/load-store.js';

const keep = (kept: KeptStores, partition: number, name = 'store') =>
  kept.keep({
    taskId: taskId(0, partition),
    store: emptyStore({ name }),
    topicId: 'topic',
    nextOffset: offset(5),
    atEndMs: 1,
    snapshotOffset: offset(0),
  });

it('a kept store is handed out once: it is never in two hands', () => {
  const kept = new KeptStores();
  keep(kept, 0);

  expect(kept.take(taskId(0, 0), 'store')?.nextOffset).toBe(5);
  expect(kept.take(taskId(0, 0), 'store')).toBeNull();
});

it('what is kept is reported, by task and store', () => {
  const kept = new KeptStores();
  keep(kept, 0, 'a');
  keep(kept, 1, 'b');

  expect(kept.positions().map(({ taskId: id, store }) => [id, store])).toEqual([
    ['0_0', 'a'],
    ['0_1', 'b'],
  ]);
});

it('the store kept longest goes first when there are too many', () => {
  const kept = new KeptStores();
  for (let partition = 0; partition < 300; partition += 1) keep(kept, partition);

  expect(kept.positions()).toHaveLength(256);
  expect(kept.take(taskId(0, 0), 'store')).toBeNull();
  expect(kept.take(taskId(0, 299), 'store')).not.toBeNull();
});
