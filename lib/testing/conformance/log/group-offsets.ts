import { offset } from '../../../model/offset.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, offsetsOf, records } from './scene.js';

/** L6: committed offsets, their metadata, and waiting for open transactions. */
export function groupOffsetsConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('committed offsets', () => {
    it(
      'are kept by group and partition with their metadata; what was never committed is absent',
      scenes.play(async (scene) => {
        const topic = await scene.topic(3);
        const [p0, p1, p2] = [0, 1, 2].map((partition) => ({ topic, partition })) as [never, never, never];
        const groupId = scene.name('group');
        await scene.log.commitOffsets(groupId, offsetsOf([p0, 5, 'héllo'], [p1, 0]));

        const found = await scene.log.committedOffsets(groupId, [p0, p1, p2]);

        expect([...found].sort()).toEqual([
          [topicPartitionKey(p0), { nextOffset: 5, metadata: 'héllo' }],
          [topicPartitionKey(p1), { nextOffset: 0, metadata: '' }],
        ]);
        expect(await scene.committed(scene.name('other'), p0)).toBe(null);
      }),
    );

    it(
      'may go back as well as forward: the last commit counts',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');

        await scene.log.commitOffsets(groupId, offsetsOf([at, 10]));
        await scene.log.commitOffsets(groupId, offsetsOf([at, 9]));

        expect(await scene.committed(groupId, at)).toBe(9);
      }),
    );

    it(
      'take metadata of 4,096 bytes and no more',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        const most = 'é'.repeat(2_048);
        await scene.log.commitOffsets(groupId, offsetsOf([at, 1, most]));

        const code = await codeOf(scene.log.commitOffsets(groupId, offsetsOf([at, 2, `${most}x`])));

        expect(code).toBe('STREAMS_RECORD_TOO_LARGE');
        expect((await scene.log.committedOffsets(groupId, [at])).get(topicPartitionKey(at))).toEqual({
          nextOffset: offset(1),
          metadata: most,
        });
      }),
    );

    it(
      'L6: are not answered while a transaction that commits them is open, then as it decided',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        await scene.log.commitOffsets(groupId, offsetsOf([at, 1]));
        const producer = await scene.producer();

        for (const [end, expected] of [
          ['commit', 2],
          ['abort', 2],
        ] as const) {
          await producer.sendOffsets(groupId, offsetsOf([at, end === 'commit' ? 2 : 3]));
          let answered = false;
          const asked = scene.committed(groupId, at).then((found) => {
            answered = true;
            return found;
          });
          await scene.advance(50);
          const answeredWhileOpen = answered;
          await producer[end]();

          expect(answeredWhileOpen).toBe(false);
          expect(await asked).toBe(expected);
        }
      }),
    );

    it(
      'L6: of other partitions and groups do not wait',
      scenes.play(async (scene) => {
        const [busy, idle] = [await scene.partition(), await scene.partition()];
        const groupId = scene.name('group');
        const producer = await scene.producer();
        await producer.sendOffsets(groupId, offsetsOf([busy, 4]));

        const [sameGroup, otherGroup] = [
          await scene.committed(groupId, idle),
          await scene.committed(scene.name('other'), busy),
        ];
        await producer.abort();

        expect([sameGroup, otherGroup]).toEqual([null, null]);
      }),
    );

    it(
      'L6: wait ends with the initialisation of a newer producer',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        const transactionalId = scene.name('producer');
        const zombie = await scene.producer(transactionalId);
        await zombie.send(at, records('z=0'));
        await zombie.sendOffsets(groupId, offsetsOf([at, 4]));

        const asked = scene.committed(groupId, at);
        await scene.producer(transactionalId);

        expect(await asked).toBe(null);
      }),
    );

    if (scenes.target.supports.promptTransactionTimeout) {
      it(
        'L6: wait ends with the time-out of the transaction',
        scenes.play(async (scene) => {
          const at = await scene.partition();
          const groupId = scene.name('group');
          await scene.log.commitOffsets(groupId, offsetsOf([at, 1]));
          const slow = await scene.producer(scene.name('producer'), 1_000);
          await slow.sendOffsets(groupId, offsetsOf([at, 4]));

          const asked = scene.committed(groupId, at);
          await scene.advance(1_001);

          expect(await asked).toBe(1);
        }),
      );
    }

    it(
      'of a topic that does not exist are refused',
      scenes.play(async (scene) => {
        const absent = { topic: scene.name('absent'), partition: 0 };

        const code = await codeOf(scene.log.commitOffsets(scene.name('group'), offsetsOf([absent, 1])));

        expect(code).toBe('STREAMS_UNKNOWN_TOPIC');
      }),
    );
  });
}
