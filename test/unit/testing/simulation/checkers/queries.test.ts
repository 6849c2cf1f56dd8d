/** The checker of answers can fail. */
import { describe, expect, it } from 'vitest';
import { queriesAreTrue, untruth } from '../../../../../lib/testing/simulation/checkers/queries-are-true.js';
import { defaultPartition } from '../../../../../lib/topology/default-partitioner.js';
import { long, type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const topic = 'stress-counts-changelog';
const key = 'water';
const partition = defaultPartition(Buffer.from(key), null, 3);
const question = {
  store: 'counts',
  key,
  changelog: { topic, partition },
  askedAtMs: 0,
  committedUpTo: 2,
  answeredAtMs: 0,
};

async function counted(scene: Scene): Promise<void> {
  await scene.createInternalTopics();
  for (const count of [1, 2, 3]) await scene.write(topic, partition, key, long(count));
  await scene.witness.settle();
}

function answer(value: number | null, nextOffset: number): string {
  return JSON.stringify({ value, asOf: { topic, partition, nextOffset } });
}

describe('queries are true', () => {
  const checker = queriesAreTrue;

  it('what was committed at the offset that is named is true', async () => {
    await wrongIn({ checker }, async (scene) => {
      await counted(scene);
      const judge = (body: string, snapshotsEnd: number | null = null) =>
        untruth(scene, { ...question, ok: true, body }, body, snapshotsEnd);

      expect(judge(answer(2, 2))).toBeNull();
      expect(judge(answer(3, 3))).toBeNull();
      expect(judge(answer(3, 2))).toContain('where');
      expect(judge(answer(3, 2), 2)).toContain('where');
      expect(judge(answer(3, 2), 3)).toBeNull();
      expect(judge(answer(4, 2), 3)).toContain('where');
      expect(judge(answer(null, 3))).toContain('where');
      expect(judge(answer(1, 1))).toContain('2 was committed when it came');
      expect(judge(JSON.stringify({ value: 3, asOf: { topic, partition: partition + 1, nextOffset: 3 } }))).toContain(
        'is answered from',
      );
    });
  });

  it('a platform that answers something else is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await counted(scene);
      scene.cloud.platform.request = async () => ({ statusCode: 200, body: answer(7, 3) });
      await scene.watched.settled?.();
      await scene.watched.ended?.();
    });

    expect(wrong.length).toBeGreaterThan(0);
  });

  it('a failure that no fault explains is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await counted(scene);
      await scene.cloud.until(60_000);
      scene.cloud.platform.request = async () => ({ statusCode: 503, body: '{}' });
      await scene.watched.settled?.();
    });

    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong[0]).toContain('fails: 503');
  });
});
