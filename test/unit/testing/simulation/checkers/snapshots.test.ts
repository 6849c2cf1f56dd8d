/** Checkers of snapshots, and of offsets that must not expire, can fail. */
import { describe, expect, it } from 'vitest';
import { byteKey } from '../../../../../lib/model/byte-key.js';
import { offset } from '../../../../../lib/model/offset.js';
import { writeSnapshot } from '../../../../../lib/snapshots/write-snapshot.js';
import { newestSnapshotIsUsed } from '../../../../../lib/testing/simulation/checkers/newest-snapshot-is-used.js';
import { offsetsAreKept } from '../../../../../lib/testing/simulation/checkers/offsets-are-kept.js';
import { snapshotsEqualChangelog } from '../../../../../lib/testing/simulation/checkers/snapshots-equal-changelog.js';
import { QUICK_SETTINGS } from '../../../../../lib/testing/simulation/generate-scenario.js';
import { long, type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

const CHANGELOG = { topic: 'stress-counts-changelog', partition: 0 };

/** Writes two counts to a changelog, and a snapshot that has `value` for the second. */
async function snapshotWith(scene: Scene, value: number): Promise<string> {
  const { cloud, witness } = scene;
  const task = witness.map.tasks.find(({ changelogs }) => changelogs.some(({ store }) => store === 'counts'));
  if (task === undefined) throw new Error('nobody counts');
  await scene.createInternalTopics();
  await scene.write(CHANGELOG.topic, 0, 'w1', long(1));
  await scene.write(CHANGELOG.topic, 0, 'w2', long(1));
  await witness.settle();
  const nowMs = cloud.host.clock.now();
  const topicId = (await cloud.log.describeTopics([CHANGELOG.topic])).get(CHANGELOG.topic)?.topicId ?? '';
  const { name } = await writeSnapshot({
    store: cloud.snapshots,
    host: cloud.host,
    identity: { applicationId: cloud.app.applicationId, taskId: task.taskId, store: 'counts', topicId },
    changelog: CHANGELOG,
    writer: 'somebody',
    nextOffset: offset(2),
    lastKnownEndAtMs: nowMs,
    entries: [
      { key: byteKey(Buffer.from('w1')), value: long(1), timestampMs: nowMs },
      { key: byteKey(Buffer.from('w2')), value: long(value), timestampMs: nowMs },
    ],
  });
  scene.effect('task#1', { port: 'snapshots', method: 'create', args: [name] }, true);
  return name;
}

describe('snapshots equal the changelog', () => {
  const checker = snapshotsEqualChangelog;

  it.each([
    ['what was committed', 1, 0],
    ['what nobody has committed', 2, 1],
  ])('a snapshot of %s', async (_, value, count) => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await snapshotWith(scene, value);
      await scene.watched.ended?.();
    });

    expect(wrong).toHaveLength(count);
  });

  it.each([
    ['by a fault is none of the product', true, 0],
    ['by nobody is seen', false, 1],
  ])('a snapshot that lost a segment %s', async (_, isFault, count) => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await snapshotWith(scene, 1);
      const objects = await scene.cloud.snapshots.list('');
      const segment = objects.find(({ name }) => name.endsWith('.segment'))?.name ?? '';
      await scene.cloud.snapshots.remove(segment);
      if (isFault) scene.cloud.timeline.add('fault', 'snapshot-lost', { name: segment });
      await scene.watched.ended?.();
    });

    expect(wrong).toHaveLength(count);
  });
});

describe('the newest snapshot is used', () => {
  it.each([
    ['the newest that was shown is right', 2, [], 0],
    ['an older one is right where the newest was refused', 1, ['corrupt-segment'], 0],
    ['an older one is seen', 1, [], 1],
    ['the log from its start is seen', 0, ['memory: beyond-the-end'], 1],
  ])('%s', async (_, fromOffset, refused, count) => {
    const wrong = await wrongIn({ checker: newestSnapshotIsUsed }, async (scene) => {
      const name = await snapshotWith(scene, 1);
      const prefix = `${name.split('/').slice(0, 4).join('/')}/`;
      const shown = await scene.cloud.snapshots.list(prefix);
      scene.effect('task#1', { port: 'snapshots', method: 'list', args: [prefix] }, shown);
      const [, taskId] = name.split('/');
      const fields = { taskId, store: 'counts', mode: 'log', fromOffset, toOffset: 2, refused };
      scene.cloud.timeline.add('task#1', 'restore-started', fields);
    });

    expect(wrong).toHaveLength(count);
  });
});

describe('offsets are kept', () => {
  it.each([
    ['an input whose offset is never committed again is seen', 60_000, false, 1],
    ['one that is committed now and then is kept', 60_000, true, 0],
    ['one whose offset has long to live may wait', 7 * 86_400_000, false, 0],
  ])('%s', async (_, offsetsRetentionMs, keeps, count) => {
    const scenario = { settings: { ...QUICK_SETTINGS, offsetsRetentionMs } };
    const wrong = await wrongIn({ checker: offsetsAreKept, scenario }, async (scene) => {
      const [task] = scene.witness.map.tasks;
      const inputs = Object.fromEntries(
        (task?.inputs ?? []).map(({ topic, partition }) => [`${topic}-${partition}`, 1]),
      );
      const producer = scene.initialise('task#1', task?.taskId ?? '', 0);
      for (let times = 0; times < 4; times += 1) {
        if (keeps) scene.commit('task#1', producer, inputs);
        await scene.pass(15_000);
      }
    });

    expect(wrong).toHaveLength(count);
  });

  it.each([
    ['a task commits nothing while its stores are restored', false, 0],
    ['from then on it has to', true, 1],
  ])('%s', async (_, isRestored, count) => {
    const scenario = { settings: { ...QUICK_SETTINGS, offsetsRetentionMs: 60_000 } };
    const wrong = await wrongIn({ checker: offsetsAreKept, scenario }, async (scene) => {
      const taskId = scene.witness.map.tasks.find(({ changelogs }) => changelogs.length > 0)?.taskId ?? '';
      scene.initialise('task#1', taskId, 0);
      await scene.pass(60_000);
      if (isRestored) scene.cloud.timeline.add('task#1', 'task-restored', { taskId });
      await scene.pass(60_000);
    });

    expect(wrong).toHaveLength(count);
  });

  it('a task whose process has died runs no more, though it has not said so', async () => {
    const scenario = { settings: { ...QUICK_SETTINGS, offsetsRetentionMs: 60_000 } };
    const wrong = await wrongIn({ checker: offsetsAreKept, scenario }, async (scene) => {
      const [task] = scene.witness.map.tasks;
      scene.run('task#1');
      scene.initialise('task#1', task?.taskId ?? '', 0);
      scene.cloud.platform.running[0]?.kill('crash');
      await scene.pass(60_000);
    });

    expect(wrong).toEqual([]);
  });
});
