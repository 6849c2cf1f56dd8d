/** When a task that starts commits for the first time. */
import { expect, it } from 'vitest';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import {
  countingTopology,
  createTaskWorld,
  feedWords,
  INPUT,
  startTask,
  stopTask,
  untilCommitted,
} from '../support/task-world.js';
import { sleep, waitFor } from '../support/wait-for.js';

it('the first commit of a run waits for no interval, the next ones do', async () => {
  let processed = 0;
  const topology = countingTopology(() => {
    processed += 1;
  });
  const world = await createTaskWorld({
    topology,
    settings: { commitIntervalMs: 450_000, transactionTimeoutMs: 900_000 },
  });
  await feedWords(world, ['a', 'b']);
  const task = await startTask(world);
  await untilCommitted(world);

  await feedWords(world, ['c']);
  await waitFor('the third word', async () => processed === 3 || undefined);
  await sleep(200);

  const at = { topic: INPUT, partition: 0 };
  const committed = await world.ports.log.committedOffsets(world.app.applicationId, [at]);
  expect(committed.get(topicPartitionKey(at))?.nextOffset).toBe(2);
  await stopTask(task);
});
