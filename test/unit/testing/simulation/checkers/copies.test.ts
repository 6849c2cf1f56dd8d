/** The checker of copies can fail. */
import { expect, it } from 'vitest';
import { byteKey } from '../../../../../lib/model/byte-key.js';
import { offset } from '../../../../../lib/model/offset.js';
import { emptyStore } from '../../../../../lib/runtime/load-store.js';
import { copiesEqualChangelog } from '../../../../../lib/testing/simulation/checkers/copies-equal-changelog.js';
import { long, type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const CHANGELOG = 'stress-counts-changelog';

/** A copy of a changelog with two counts, that has `value` for the second and says that it is at the end. */
async function copyWith(scene: Scene, value: number): Promise<string> {
  const task = scene.witness.map.tasks.find(({ changelogs }) => changelogs.some(({ store }) => store === 'counts'));
  if (task === undefined) throw new Error('nobody counts');
  await scene.createInternalTopics();
  const nowMs = scene.cloud.host.clock.now();
  await scene.write(CHANGELOG, 0, 'w1', long(1));
  await scene.write(CHANGELOG, 0, 'w2', long(1));
  scene.run('task#1');
  const store = emptyStore({ name: 'counts' });
  store.restore({ key: byteKey(Buffer.from('w1')), value: long(1), timestampMs: nowMs });
  store.restore({ key: byteKey(Buffer.from('w2')), value: long(value), timestampMs: nowMs });
  const at = { nextOffset: offset(2), endOffset: offset(2), atEndMs: nowMs, snapshotOffset: offset(0) };
  scene.cloud.platform.running[0]?.kept.keep({ taskId: task.taskId, store, topicId: 'any', ...at });
  await scene.watched.sample?.();
  return task.taskId;
}

it('a copy that is the fold of its changelog is right', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    await copyWith(scene, 1);
  });

  expect(wrong).toEqual([]);
});

it('a copy that holds something else is wrong', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    await copyWith(scene, 7);
  });

  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain('w2');
});

it('who writes a snapshot of a task that it never had is wrong', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    const taskId = await copyWith(scene, 1);
    const object = `stress/${taskId}/counts/any`;
    scene.effect('task#1', { port: 'snapshots', method: 'create', args: [object] }, true);
    scene.take('task#2', taskId, 1);
    scene.effect('task#2', { port: 'snapshots', method: 'create', args: [object] }, true);
  });

  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain('task#1');
});
