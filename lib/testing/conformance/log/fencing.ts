import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, offsetsOf, records } from './scene.js';

const FENCED = 'STREAMS_PRODUCER_FENCED';

/** L3: initialisation fences, and the time-out of a transaction does. */
export function fencingConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('fencing', () => {
    it(
      'L3: each initialisation of a transactional id gets a newer identity',
      scenes.play(async (scene) => {
        const transactionalId = scene.name('producer');

        const [first, second] = [await scene.producer(transactionalId), await scene.producer(transactionalId)];

        const isNewer = second.producerId !== first.producerId || second.epoch > first.epoch;
        expect(isNewer).toBe(true);
      }),
    );

    it(
      'L3: initialisation aborts what an older producer left open before it returns, and frees the last stable offset',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const transactionalId = scene.name('producer');
        const zombie = await scene.producer(transactionalId);
        await zombie.send(at, records('z=0'));
        await scene.commit(at, records('later=1'));

        const before = (await scene.fetch(at, 0)).nextOffset;
        await scene.producer(transactionalId);

        expect(before).toBe(0);
        expect(await scene.read(at)).toEqual({ records: ['1:later=1'], nextOffset: 4 });
        expect(await scene.offset(at, 'lastStable')).toBe(4);
      }),
    );

    it(
      'L3: the commit of a zombie is refused and leaves no trace',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        const transactionalId = scene.name('producer');
        const zombie = await scene.producer(transactionalId);
        await zombie.send(at, records('z=0'));
        await zombie.sendOffsets(groupId, offsetsOf([at, 9]));
        const owner = await scene.producer(transactionalId);

        const code = await codeOf(zombie.commit());
        await owner.send(at, records('o=2'));
        await owner.commit();

        expect(code).toBe(FENCED);
        expect((await scene.read(at)).records).toEqual(['2:o=2']);
        expect(await scene.committed(groupId, at)).toBe(null);
      }),
    );

    it(
      'L3: whatever a zombie sends is refused, and the new transaction is not touched by it',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        const transactionalId = scene.name('producer');
        const zombies = [];
        for (let count = 0; count < 4; count += 1) zombies.push(await scene.producer(transactionalId));
        const owner = await scene.producer(transactionalId);
        await owner.send(at, records('o=0'));

        const [a, b, c, d] = zombies;
        const codes = [
          await codeOf(a?.send(at, records('z=1')) ?? Promise.resolve()),
          await codeOf(b?.sendOffsets(groupId, offsetsOf([at, 9])) ?? Promise.resolve()),
          await codeOf(c?.send(at, records('z=2')) ?? Promise.resolve()),
          await codeOf(d?.send(at, records('z=3')) ?? Promise.resolve()),
        ];
        await owner.commit();

        expect(codes).toEqual([FENCED, FENCED, FENCED, FENCED]);
        expect(await scene.read(at, 'readUncommitted')).toEqual({ records: ['0:o=0'], nextOffset: 2 });
        expect(await scene.committed(groupId, at)).toBe(null);
      }),
    );

    it(
      'L3: a fenced producer says so again and again',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const transactionalId = scene.name('producer');
        const zombie = await scene.producer(transactionalId);
        await zombie.send(at, records('z=0'));
        await scene.producer(transactionalId);

        const codes = [await codeOf(zombie.send(at, records('z=1'))), await codeOf(zombie.commit())];

        expect(codes).toEqual([FENCED, FENCED]);
      }),
    );

    it(
      'producers of other transactional ids are left alone',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const other = await scene.producer();
        await other.send(at, records('o=0'));
        const transactionalId = scene.name('producer');
        await scene.producer(transactionalId);
        await scene.producer(transactionalId);

        await other.commit();

        expect((await scene.read(at)).records).toEqual(['0:o=0']);
      }),
    );

    if (scenes.target.supports.promptTransactionTimeout) {
      it(
        'a transaction that is open for too long is aborted, and its producer is fenced though nobody else initialised',
        scenes.play(async (scene) => {
          const at = await scene.partition();
          const slow = await scene.producer(scene.name('producer'), 1_000);
          await slow.send(at, records('s=0'));
          await scene.advance(999);
          const justBefore = await scene.offset(at, 'lastStable');
          await scene.advance(2);

          expect(justBefore).toBe(0);
          expect(await scene.read(at)).toEqual({ records: [], nextOffset: 2 });
          expect(await codeOf(slow.commit())).toBe(FENCED);
          expect(await scene.read(at)).toEqual({ records: [], nextOffset: 2 });
        }),
      );

      it(
        'the time-out counts from the first send of each transaction, not from initialisation',
        scenes.play(async (scene) => {
          const at = await scene.partition();
          const producer = await scene.producer(scene.name('producer'), 1_000);
          await scene.advance(5_000);
          await producer.send(at, records('a=0'));
          await scene.advance(900);
          await producer.commit();
          await producer.send(at, records('a=2'));
          await scene.advance(900);
          await producer.commit();

          expect((await scene.read(at)).records).toEqual(['0:a=0', '2:a=2']);
        }),
      );
    }
  });
}
