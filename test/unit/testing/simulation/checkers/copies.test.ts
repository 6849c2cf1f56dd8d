/** The checker of copies can fail. */
import { expect, it } from 'vitest';
import type { TransactionalProducer } from '../../../../../lib/log/log.js';
import { byteKey } from '../../../../../lib/model/byte-key.js';
import { offset } from '../../../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../../../lib/model/record-set-builder.js';
import { emptyStore } from '../../../../../lib/runtime/load-store.js';
import { copiesEqualChangelog } from '../../../../../lib/testing/simulation/checkers/copies-equal-changelog.js';
import { long, type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const CHANGELOG = 'stress-counts-changelog';

type Counts = Readonly<Record<string, number>>;

/** A copy with these counts that says that it is at the end of its changelog, up to where readers of committed records come. */
async function copyWith(scene: Scene, counts: Counts, nextOffset: number): Promise<string> {
  const task = scene.witness.map.tasks.find(({ changelogs }) => changelogs.some(({ store }) => store === 'counts'));
  if (task === undefined) throw new Error('nobody counts');
  const nowMs = scene.cloud.host.clock.now();
  scene.run('task#1');
  const store = emptyStore({ name: 'counts' });
  for (const [word, count] of Object.entries(counts))
    store.restore({ key: byteKey(Buffer.from(word)), value: long(count), timestampMs: nowMs });
  const end = offset(nextOffset);
  const at = { nextOffset: end, endOffset: end, atEndMs: nowMs, snapshotOffset: offset(0) };
  scene.cloud.platform.running[0]?.kept.keep({ taskId: task.taskId, store, topicId: 'any', ...at });
  await scene.watched.sample?.();
  return task.taskId;
}

/** A changelog with a count, somebody else's transaction that hangs open, and two counts more. */
async function hangingChangelog(scene: Scene): Promise<TransactionalProducer> {
  const { log } = scene.cloud;
  await scene.createInternalTopics();
  await scene.write(CHANGELOG, 0, 'w1', long(1));
  const producer = await log.initProducer({ transactionalId: 'somebody-else', transactionTimeoutMs: 60_000 });
  const records = new RecordSetBuilder();
  records.append(Buffer.from('(aborted)'), Buffer.from('(aborted)'), 0);
  await producer.send({ topic: CHANGELOG, partition: 0 }, records.build());
  await scene.write(CHANGELOG, 0, 'w1', long(2));
  await scene.write(CHANGELOG, 0, 'w2', long(1));
  return producer;
}

/** What is said of a copy with these counts, beneath the transaction, once that is aborted and the run has ended. */
function wrongBehindHanging(counts: Counts): Promise<readonly string[]> {
  return wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    const producer = await hangingChangelog(scene);
    await copyWith(scene, counts, 1);
    await producer.abort();
    await scene.write(CHANGELOG, 0, 'w3', long(1));
    await scene.witness.settle();
    await scene.watched.ended?.();
  });
}

async function writeCounts(scene: Scene): Promise<void> {
  await scene.createInternalTopics();
  await scene.write(CHANGELOG, 0, 'w1', long(1));
  await scene.write(CHANGELOG, 0, 'w2', long(1));
}

it('a copy that is the fold of its changelog is right', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    await writeCounts(scene);
    await copyWith(scene, { w1: 1, w2: 1 }, 2);
    await scene.watched.ended?.();
  });

  expect(wrong).toEqual([]);
});

it('a copy that holds something else is wrong', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    await writeCounts(scene);
    await copyWith(scene, { w1: 1, w2: 7 }, 2);
    await scene.watched.ended?.();
  });

  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain('w2');
});

it('a copy that its task has left behind an open transaction may hold what the task had committed beyond', async () => {
  expect(await wrongBehindHanging({ w1: 1 })).toEqual([]);
  expect(await wrongBehindHanging({ w1: 2, w2: 1 })).toEqual([]);
});

it('no copy holds what was never committed, or was committed only after it was seen', async () => {
  expect(await wrongBehindHanging({ w1: 3, w2: 1 })).toHaveLength(1);
  expect(await wrongBehindHanging({ w1: 2, w2: 1, w3: 1 })).toHaveLength(1);
});

it('who writes a snapshot of a task that it never had is wrong', async () => {
  const wrong = await wrongIn({ checker: copiesEqualChangelog }, async (scene) => {
    await writeCounts(scene);
    const taskId = await copyWith(scene, { w1: 1, w2: 1 }, 2);
    const object = `stress/${taskId}/counts/any`;
    scene.effect('task#1', { port: 'snapshots', method: 'create', args: [object] }, true);
    scene.take('task#2', taskId, 1);
    scene.effect('task#2', { port: 'snapshots', method: 'create', args: [object] }, true);
  });

  expect(wrong).toHaveLength(1);
  expect(wrong[0]).toContain('task#1');
});
