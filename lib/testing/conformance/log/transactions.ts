import type { TopicPartition } from '../../../model/topic-partition.js';
import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScene, type LogScenes, offsetsOf, records, shown } from './scene.js';

/** L4 and L5: all or nothing, and what a producer may do after an error. */
export function transactionsConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('transactions', () => {
    it(
      'L4: records of several partitions and offsets become visible together',
      scenes.play(async (scene) => {
        const { left, right, input, groupId } = await places(scene);
        const producer = await scene.producer();
        await producer.send(left, records('a=1'));
        await producer.send(right, records('b=2'));
        await producer.sendOffsets(groupId, offsetsOf([input, 7]));

        const before = [(await scene.fetch(left, 0)).records.size, (await scene.fetch(right, 0)).records.size];
        await producer.commit();

        expect(before).toEqual([0, 0]);
        expect([await scene.read(left), await scene.read(right)]).toEqual([
          { records: ['0:a=1'], nextOffset: 2 },
          { records: ['0:b=2'], nextOffset: 2 },
        ]);
        expect(await scene.committed(groupId, input)).toBe(7);
      }),
    );

    it(
      'L4: an abort leaves none of it, and offsets stay as they were',
      scenes.play(async (scene) => {
        const { left, right, input, groupId } = await places(scene);
        await scene.log.commitOffsets(groupId, offsetsOf([input, 3]));
        const producer = await scene.producer();
        await producer.send(left, records('a=1'));
        await producer.send(right, records('b=2'));
        await producer.sendOffsets(groupId, offsetsOf([input, 7]));
        await producer.abort();

        expect([(await scene.read(left)).records, (await scene.read(right)).records]).toEqual([[], []]);
        expect(await scene.committed(groupId, input)).toBe(3);
      }),
    );

    it(
      'L4: a concurrent reader of two partitions never sees one half of a transaction',
      scenes.play(async (scene) => {
        const { left, right } = await places(scene);
        const producer = await scene.producer();
        const halves: boolean[] = [];
        let isDone = false;
        const reader = (async () => {
          while (!isDone) {
            // Left first: what it shows was committed, so that the later look at the right must show it too.
            const seenLeft = (await scene.read(left)).records.length;
            const seenRight = (await scene.read(right)).records.length;
            if (seenRight < seenLeft) halves.push(true);
            await Promise.resolve();
          }
        })();
        for (let round = 0; round < 20; round += 1) {
          await producer.send(right, records(`r=${round}`));
          await Promise.resolve();
          await producer.send(left, records(`l=${round}`));
          await Promise.resolve();
          await (round % 3 === 2 ? producer.abort() : producer.commit());
        }
        isDone = true;
        await reader;

        expect(halves).toEqual([]);
        expect((await scene.read(left)).records.length).toBe(14);
        expect((await scene.read(right)).records.length).toBe(14);
      }),
    );

    it(
      'a marker takes one offset in each partition that the transaction touched, and in no other',
      scenes.play(async (scene) => {
        const { left, right, input } = await places(scene);
        const producer = await scene.producer();
        await producer.send(left, records('a=1', 'b=2'));
        await producer.send(left, records('c=3'));
        await producer.send(right, records('d=4'));
        await producer.commit();

        const ends = [];
        for (const at of [left, right, input]) ends.push(await scene.offset(at, 'highWatermark'));

        expect(ends).toEqual([4, 2, 0]);
      }),
    );

    it(
      'two producers write in turns, each in its own transaction',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const [a, b] = [await scene.producer(), await scene.producer()];
        await a.send(at, records('a=0'));
        await b.send(at, records('b=1'));
        await b.commit();
        await a.send(at, records('a=3'));
        await a.commit();
        await b.send(at, records('b=5'));
        await b.commit();

        expect(await scene.read(at)).toEqual({ records: ['0:a=0', '1:b=1', '3:a=3', '5:b=5'], nextOffset: 7 });
      }),
    );

    it(
      'offsets alone are a transaction too',
      scenes.play(async (scene) => {
        const { input, groupId } = await places(scene);
        const producer = await scene.producer();
        await producer.sendOffsets(groupId, offsetsOf([input, 11]));
        await producer.commit();

        expect(await scene.committed(groupId, input)).toBe(11);
        expect(await scene.offset(input, 'highWatermark')).toBe(0);
      }),
    );

    it(
      'L5: after a refused record the producer is poisoned, and a new initialisation starts clean',
      scenes.play(async (scene) => {
        const at = await scene.partition({ 'max.message.bytes': '1000' });
        const transactionalId = scene.name('producer');
        const producer = await scene.producer(transactionalId);
        await producer.send(at, records('a=1'));

        const refused = await codeOf(producer.send(at, records({ key: 'b', value: 'x'.repeat(1_100) })));
        const afterwards = [
          await codeOf(producer.send(at, records('c=3'))),
          await codeOf(producer.commit()),
          await codeOf(producer.abort()),
        ];
        await producer.close();
        const next = await scene.producer(transactionalId);
        await next.send(at, records('d=4'));
        await next.commit();

        expect(refused).toBe('STREAMS_RECORD_TOO_LARGE');
        expect(afterwards).toEqual(Array(3).fill('STREAMS_TRANSACTION_STATE'));
        expect((await scene.read(at)).records.map((line) => line.split(':')[1])).toEqual(['d=4']);
      }),
    );

    it(
      'L5: a send to an unknown topic poisons the producer',
      scenes.play(async (scene) => {
        const producer = await scene.producer();

        const code = await codeOf(producer.send({ topic: scene.name('absent'), partition: 0 }, records('a=1')));

        expect(code).toBe('STREAMS_UNKNOWN_TOPIC');
        expect(await codeOf(producer.commit())).toBe('STREAMS_TRANSACTION_STATE');
      }),
    );

    it(
      'close may be called twice, and a closed producer does nothing more',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.close();
        await producer.close();

        expect(await codeOf(producer.send(at, records('a=1')))).toBe('STREAMS_TRANSACTION_STATE');
        expect(await scene.offset(at, 'highWatermark')).toBe(0);
      }),
    );

    it(
      'a transaction that its producer left open at close is ended by the next initialisation',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const transactionalId = scene.name('producer');
        const producer = await scene.producer(transactionalId);
        await producer.send(at, records('a=0'));
        await producer.close();

        const whileOpen = await scene.offset(at, 'lastStable');
        await scene.producer(transactionalId);

        expect([whileOpen, await scene.offset(at, 'lastStable')]).toEqual([0, 2]);
      }),
    );

    it(
      'a set that was sent may be sent again: each has its own offsets',
      scenes.play(async (scene) => {
        const { left, right } = await places(scene);
        const set = records('a=1', 'b=2');
        await scene.commit(left, set);
        await scene.commit(left, set);
        await scene.commit(right, set.slice(1, 2));

        expect((await scene.read(left)).records).toEqual(['0:a=1', '1:b=2', '3:a=1', '4:b=2']);
        expect(shown((await scene.fetch(right, 0)).records)).toEqual(['0:b=2']);
      }),
    );
  });
}

async function places(scene: LogScene): Promise<{
  readonly left: TopicPartition;
  readonly right: TopicPartition;
  readonly input: TopicPartition;
  readonly groupId: string;
}> {
  const topic = await scene.topic(2);
  const groupId = scene.name('group');
  return { left: { topic, partition: 0 }, right: { topic, partition: 1 }, input: await scene.partition(), groupId };
}
