import { type Offset, offset } from '../../../model/offset.js';
import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, records, shown } from './scene.js';

const LONG_WAIT_MS = 30_000;

/** L7 and the rest of fetching: waiting, bounds of bytes, several partitions, errors. */
export function fetchingConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('fetching', () => {
    it(
      'waits for a first record and answers when it is appended',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        const waiting = scene.fetch(at, 0, { maxWaitMs: LONG_WAIT_MS });
        await scene.advance(10);
        await scene.log.append(at, records('a=1'));

        expect(shown((await waiting).records)).toEqual(['0:a=1']);
      }),
    );

    it(
      'waits for the commit of what it may not see yet',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        let answered = false;

        const waiting = scene.fetch(at, 0, { maxWaitMs: LONG_WAIT_MS }).finally(() => {
          answered = true;
        });
        await producer.send(at, records('a=1'));
        await scene.advance(10);
        const answeredWhileOpen = answered;
        await producer.commit();

        expect(answeredWhileOpen).toBe(false);
        expect(shown((await waiting).records)).toEqual(['0:a=1']);
      }),
    );

    it(
      'that waits is answered by an abort too: its position moves',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.send(at, records('a=1'));

        const waiting = scene.fetch(at, 0, { maxWaitMs: LONG_WAIT_MS });
        await scene.advance(10);
        await producer.abort();
        const { records: set, nextOffset } = await waiting;

        // How far one fetch goes is the log's affair: a broker ends it with the segment.
        expect([set.size, nextOffset > 0]).toEqual([0, true]);
        expect((await scene.read(at)).nextOffset).toBe(2);
      }),
    );

    it(
      'answers without records when the wait is over',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        const waiting = scene.log.fetch([{ ...at, fromOffset: offset(0) }], {
          isolation: 'readCommitted',
          maxWaitMs: 20,
          maxBytes: 1_000,
        });
        await scene.advance(25);

        expect((await waiting).every(({ records: set, nextOffset }) => set.size === 0 && nextOffset === 0)).toBe(true);
      }),
    );

    it(
      'L7: ends at once when its signal fires',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const giveUp = new AbortController();

        const waiting = codeOf(scene.fetch(at, 0, { maxWaitMs: LONG_WAIT_MS, signal: giveUp.signal }));
        await scene.advance(10);
        giveUp.abort();

        expect(await waiting).toBe('STREAMS_ABORTED');
      }),
    );

    it(
      'L7: does not begin for a signal that fired before',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=1'));

        expect(await codeOf(scene.fetch(at, 0, { signal: AbortSignal.abort() }))).toBe('STREAMS_ABORTED');
      }),
    );

    it(
      'L7: an initialisation does not begin for a signal that fired before',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const transactionalId = scene.name('producer');
        const owner = await scene.producer(transactionalId);
        await owner.send(at, records('a=0'));

        const code = await codeOf(
          scene.log.initProducer({ transactionalId, transactionTimeoutMs: 10_000, signal: AbortSignal.abort() }),
        );
        await owner.commit();

        expect(code).toBe('STREAMS_ABORTED');
        expect((await scene.read(at)).records).toEqual(['0:a=0']);
      }),
    );

    it(
      'stays near its bound of bytes, and the next one goes on',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const value = 'x'.repeat(100);
        for (let round = 0; round < 10; round += 1)
          await scene.log.append(at, records(...Array.from({ length: 10 }, () => ({ key: 'k', value }))));

        const sizes: number[] = [];
        let position = 0;
        while (position < 100) {
          const { records: set, nextOffset } = await scene.fetch(at, position, { maxBytes: 3_000 });
          sizes.push(set.size);
          position = nextOffset;
        }

        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(100);
        expect(sizes.every((size) => size <= 30)).toBe(true);
      }),
    );

    it(
      'gives a record that is larger than its bound, so that no reader is stuck',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records({ key: 'k', value: 'x'.repeat(5_000) }));

        expect((await scene.fetch(at, 0, { maxBytes: 100 })).records.size).toBe(1);
      }),
    );

    it(
      'of several partitions gives each its turn, however much there is in one of them',
      scenes.play(async (scene) => {
        const topic = await scene.topic(3);
        const value = 'x'.repeat(500);
        for (const partition of [0, 1, 2])
          for (let round = 0; round < 20; round += 1)
            await scene.log.append({ topic, partition }, records({ key: 'k', value }, { key: 'k', value }));
        const positions = new Map<number, Offset>([0, 1, 2].map((partition) => [partition, offset(0)]));

        // Six fetches of 2,000 bytes: a third of what they bring would do for each partition to have had its turn.
        for (let round = 0; round < 6; round += 1) {
          const requests = [...positions].map(([partition, fromOffset]) => ({ topic, partition, fromOffset }));
          const options = {
            isolation: 'readCommitted',
            maxWaitMs: scenes.target.pollMs ?? 0,
            maxBytes: 2_000,
          } as const;
          for (const { partition, nextOffset } of await scene.log.fetch(requests, options))
            positions.set(partition, nextOffset);
        }

        expect([...positions.values()].every((position) => position > 0)).toBe(true);
        expect([...positions.values()].every((position) => position < 40)).toBe(true);
      }),
    );

    it(
      'of several partitions is woken by any of them',
      scenes.play(async (scene) => {
        const topic = await scene.topic(2);
        const requests = [0, 1].map((partition) => ({ topic, partition, fromOffset: offset(0) }));

        const waiting = scene.log.fetch(requests, {
          isolation: 'readCommitted',
          maxWaitMs: LONG_WAIT_MS,
          maxBytes: 1_000,
        });
        await scene.advance(10);
        await scene.log.append({ topic, partition: 1 }, records('b=1'));
        const found = (await waiting).filter(({ records: set }) => set.size > 0);

        expect(found.map(({ partition, records: set }) => [partition, shown(set)])).toEqual([[1, ['0:b=1']]]);
      }),
    );

    it(
      'beyond the end is out of range, at the end it is not',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=1'));

        const beyond = await codeOf(scene.fetch(at, 2));
        const { nextOffset } = await scene.fetch(at, 1);

        expect([beyond, nextOffset]).toEqual(['STREAMS_OFFSET_OUT_OF_RANGE', 1]);
      }),
    );

    it(
      'of an unknown topic or partition is refused',
      scenes.play(async (scene) => {
        const topic = await scene.topic(1);

        const codes = [
          await codeOf(scene.fetch({ topic: scene.name('absent'), partition: 0 }, 0)),
          await codeOf(scene.fetch({ topic, partition: 1 }, 0)),
          await codeOf(scene.log.listOffsets([{ topic, partition: 1 }], 'earliest')),
          await codeOf(scene.log.append({ topic, partition: 1 }, records('a=1'))),
        ];

        expect(codes).toEqual(Array(4).fill('STREAMS_UNKNOWN_TOPIC'));
      }),
    );
  });
}
