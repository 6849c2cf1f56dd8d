import { describe, expect, it } from 'vitest';
import { MAX_ROUND_BYTES, SendQueue } from '../../../../lib/log/kafka/producing/send-queue.js';
import type { EncodedBatch } from '../../../../lib/log/kafka/records/encode-batches.js';

const [left, right] = [0, 1].map((partition) => ({ topic: 't', partition })) as [
  { topic: string; partition: number },
  { topic: string; partition: number },
];

function batches(...contents: (string | number)[]): readonly EncodedBatch[] {
  return contents.map((content) => ({
    bytes: typeof content === 'string' ? Buffer.from(content) : Buffer.alloc(content),
    from: 0,
    to: 1,
    baseSequence: 0,
  }));
}

/** A queue whose rounds are written down, as `partition:content` each. */
function scene(failAt = Number.POSITIVE_INFINITY) {
  const steps: string[] = [];
  let appends = 0;
  const queue = new SendQueue({
    enlist: async (partitions) => {
      steps.push(`enlist ${partitions.map(({ partition }) => partition).join(' ')}`);
    },
    append: async (round) => {
      appends += 1;
      if (appends >= failAt) throw new Error('lost');
      steps.push(`append ${round.map(({ partition, batch }) => `${partition}:${batch}`).join(' ')}`);
    },
  });
  return { queue, steps };
}

describe('sends of a transaction', () => {
  it('of one turn travel together, each partition added once', async () => {
    const { queue, steps } = scene();

    await Promise.all([queue.add(left, batches('a')), queue.add(right, batches('b'))]);
    await queue.add(left, batches('c'));

    expect(steps).toEqual(['enlist 0 1', 'append 0:a 1:b', 'append 0:c']);
  });

  it('Q1: keep the order of each partition, one batch at a time', async () => {
    const { queue, steps } = scene();

    await Promise.all([
      queue.add(left, batches('a', 'b')),
      queue.add(left, batches('c')),
      queue.add(right, batches('x')),
    ]);

    expect(steps).toEqual(['enlist 0 1', 'append 0:a 1:x', 'append 0:b', 'append 0:c']);
  });

  it('Q2: of a next transaction add their partitions again', async () => {
    const { queue, steps } = scene();
    await queue.add(left, batches('a'));

    queue.reset();
    await queue.add(left, batches('b'));

    expect(steps).toEqual(['enlist 0', 'append 0:a', 'enlist 0', 'append 0:b']);
  });

  it('Q3: all end with the first error, and nothing is sent after it', async () => {
    const { queue, steps } = scene(2);

    const outcomes = await Promise.allSettled([
      queue.add(left, batches('a')),
      queue.add(left, batches('b', 'c')),
      queue.add(left, batches('d')),
    ]);
    await queue.idle();

    await expect(queue.add(right, batches('x'))).rejects.toThrow('lost');
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(steps).toEqual(['enlist 0', 'append 0:a']);
  });

  it('Q4: carry so many bytes at a time, or one batch', async () => {
    const { queue, steps } = scene();

    await Promise.all([queue.add(left, batches(MAX_ROUND_BYTES + 1)), queue.add(right, batches('b'))]);

    expect(steps.map((step) => step.slice(0, 10))).toEqual(['enlist 0', 'append 0:\u0000', 'enlist 1', 'append 1:b']);
  });
});
