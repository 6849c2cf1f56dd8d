import { expect, it } from 'vitest';
import { copyRecords } from '../support/large-records.js';
import { countingTopology, createTaskWorld, feedWords, startTask, untilCommitted } from '../support/task-world.js';

const large = (name: string) => `${name} ${'x'.repeat(2_000)}`;

it.each(['exactly_once_v2', 'at_least_once'] as const)(
  'records that only their topic finds too large are dead letters, and all others go through once: %s',
  async (processingGuarantee) => {
    const values = ['a', large('b'), 'c', large('d'), large('b'), 'e'];

    const copied = await copyRecords({
      applicationId: 'large',
      maxMessageBytes: 1_000,
      settings: { processingGuarantee },
      values,
    });

    expect(copied.out).toEqual(['a', 'c', 'e']);
    expect(copied.dead).toEqual([large('b'), large('d'), large('b')]);
    expect(copied.counted).toBe(values.length);
  },
);

it('hundreds of large records in one batch are all dead letters', async () => {
  const values = ['first', ...Array.from({ length: 300 }, (_, index) => large(`n${index}`)), 'last'];

  const copied = await copyRecords({ applicationId: 'many', maxMessageBytes: 1_000, values });

  expect(copied.out).toEqual(['first', 'last']);
  expect(copied.dead).toHaveLength(300);
});

it('a dead letter that is too large for its own topic stops the task: it is written nowhere else', async () => {
  const world = await createTaskWorld({
    settings: { processingExceptionHandler: 'continue', deadLetterTopic: 'dead' },
    topology: failing(),
  });
  await world.ports.log.createTopic({ name: 'dead', partitions: 1, config: { 'max.message.bytes': '100' } });
  await feedWords(world, ['w'.repeat(200)]);

  const { ended, error } = await (await startTask(world)).outcome;

  expect({ ended, code: error?.code }).toEqual({ ended: 'failed', code: 'STREAMS_RECORD_TOO_LARGE' });
});

it('a changelog record that is too large stops the task: nothing of a store may be left out', async () => {
  const world = await createTaskWorld({ settings: { productionExceptionHandler: 'continue' } });
  await world.ports.log.deleteTopic('app-counts-changelog');
  await world.ports.log.createTopic({
    name: 'app-counts-changelog',
    partitions: 1,
    config: { 'cleanup.policy': 'compact', 'max.message.bytes': '150' },
  });
  await feedWords(world, ['a']);
  const task = await startTask(world);
  await untilCommitted(world);
  await feedWords(world, ['b'.repeat(200)]);

  const { ended, error } = await task.outcome;

  expect({ ended, code: error?.code }).toEqual({ ended: 'failed', code: 'STREAMS_RECORD_TOO_LARGE' });
  expect(error?.message).toContain('app-counts-changelog');
});

function failing() {
  return countingTopology(() => {
    throw new Error('always');
  });
}
