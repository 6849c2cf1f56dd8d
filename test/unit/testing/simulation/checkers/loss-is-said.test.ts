/** The checker of losses that are silent can fail, and knows what excuses. */
import { describe, expect, it } from 'vitest';
import { RecordSetBuilder } from '../../../../../lib/model/record-set-builder.js';
import { lossIsSaid as checker } from '../../../../../lib/testing/simulation/checkers/loss-is-said.js';
import { type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const LONG_MS = 60_000;
const at = { topic: 'lines', partition: 0 };
const kind = 'topic-recreated';
const harm = { kind, code: 'STREAMS_LOST_OFFSETS', isCertain: true, partitions: [at] } as const;
const failure = { taskId: '0_0', code: 'STREAMS_LOST_OFFSETS' };

/** An input is damaged, and after a while something happens. */
async function goesOn({ cloud, watched }: Scene, again: () => void, afterMs = LONG_MS): Promise<void> {
  cloud.harms.add({ ...harm, mustBeSaid: [at], atMs: cloud.time.nowMs });
  await cloud.until(cloud.time.nowMs + afterMs);
  again();
  await watched.ended?.();
}

const wrongAfter = (play: (scene: Scene) => void, committed = 7, afterMs = LONG_MS) =>
  wrongIn({ checker }, async (scene) => {
    scene.take('task#1', '0_0', 1);
    const producer = scene.initialise('task#1', '0_0', 0);
    scene.commit('task#1', producer, { 'lines-0': 5 });
    play(scene);
    await goesOn(scene, () => scene.commit('task#1', producer, { 'lines-0': committed }), afterMs);
  });

describe('loss is said', () => {
  it('a task that goes on as if it had lost nothing is seen', async () => {
    const wrong = await wrongAfter(() => undefined);

    expect(wrong).toEqual([`task 0_0 goes on for ${LONG_MS} ms after ${kind} as if it had lost nothing`]);
  });

  it('a task that reads the new input on is seen, although it stops later', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 1);
      const records = new RecordSetBuilder();
      records.append(null, Buffer.from('new'), 1);
      await goesOn(scene, () => {
        const result = { ...at, records: records.build() };
        scene.effect('task#1', { port: 'log', method: 'fetch', args: [[at]] }, [result]);
        scene.cloud.timeline.add('task#1', 'task-failed', failure);
      });
    });

    expect(wrong).toEqual([`task 0_0 reads lines-0 on after ${kind}`]);
  });

  it.each<readonly [string, (scene: Scene) => void, number, number]>([
    ['one that commits once more at once', () => undefined, 7, 10],
    ['one that commits the same again', () => undefined, 5, LONG_MS],
    ['one whose lease was deleted', ({ cloud }) => deleteLease(cloud), 7, LONG_MS],
    ['one that is damaged so twice', ({ cloud }) => cloud.harms.add({ ...harm, mustBeSaid: [] }), 7, LONG_MS],
  ])('%s is left alone', async (_, play, committed, afterMs) => {
    expect(await wrongAfter(play, committed, afterMs)).toEqual([]);
  });

  it('one that has stopped with the code of the loss is left alone', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 1);
      const producer = scene.initialise('task#1', '0_0', 0);
      await goesOn(scene, () => {
        scene.commit('task#1', producer, { 'lines-0': 7 });
        scene.cloud.timeline.add('task#1', 'task-failed', failure);
      });
    });

    expect(wrong).toEqual([]);
  });
});

function deleteLease(cloud: Scene['cloud']): void {
  cloud.timeline.add('fault', 'row-deleted', { lease: { taskId: '0_0' } });
}
