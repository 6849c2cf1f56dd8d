import type { TestRunner } from '../test-runner.js';
import { type LogScenes, records } from './scene.js';

/** L1 and L2: what readers see of transactions, and how their position moves over what they do not see. */
export function visibilityConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('visibility', () => {
    it(
      'L1: records of an open transaction are not delivered to readers of committed records',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.send(at, records('a=1'));

        const committed = await scene.fetch(at, 0);
        const uncommitted = await scene.read(at, 'readUncommitted');

        expect([committed.records.size, committed.nextOffset]).toEqual([0, 0]);
        expect(uncommitted).toEqual({ records: ['0:a=1'], nextOffset: 1 });
        await producer.abort();
      }),
    );

    it(
      'L1: a read never passes the last stable offset, though later records are committed',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('before=0'));
        const open = await scene.producer();
        await open.send(at, records('open=1'));
        await scene.commit(at, records('after=2'));

        const result = await scene.fetch(at, 0);
        const beyond = await scene.fetch(at, 2);

        expect([result.records.size, result.nextOffset]).toEqual([1, 1]);
        expect([result.lastStableOffset, result.highWatermark]).toEqual([1, 4]);
        expect([beyond.records.size, beyond.nextOffset]).toEqual([0, 2]);
        await open.abort();
      }),
    );

    it(
      'the last stable offset is the first of the oldest open transaction, the high watermark counts all (trap 5)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const older = await scene.producer();
        await older.send(at, records('open=0'));
        const younger = await scene.producer();
        await younger.send(at, records('a=1', 'b=2'));

        const both = [await scene.offset(at, 'lastStable'), await scene.offset(at, 'highWatermark')];
        await older.commit();
        const youngerLeft = [await scene.offset(at, 'lastStable'), await scene.offset(at, 'highWatermark')];
        await younger.commit();
        const none = [await scene.offset(at, 'lastStable'), await scene.offset(at, 'highWatermark')];

        expect([both, youngerLeft, none]).toEqual([
          [0, 3],
          [1, 4],
          [5, 5],
        ]);
      }),
    );

    it(
      'L2: a commit marker takes an offset, and a fetch of it alone advances (traps 1, 2, 20)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.commit(at, records('a=1'));

        const result = await scene.fetch(at, 1);

        expect([result.records.size, result.nextOffset, result.highWatermark]).toEqual([0, 2, 2]);
      }),
    );

    it(
      'L2: a fetch of nothing but aborted records and their marker advances to the end (trap 2)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.abort(at, records('a=1', 'a=2', 'a=3', 'a=4', 'a=5'));

        expect(await scene.read(at)).toEqual({ records: [], nextOffset: 6 });
      }),
    );

    it(
      'L2: the end is reached by position, not by the last record (trap 3)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.commit(at, records('a=0', 'b=1', 'c=2', 'd=3'));

        const reading = await scene.read(at);

        expect(reading.records.at(-1)).toBe('3:d=3');
        expect(reading.nextOffset).toBe(await scene.offset(at, 'highWatermark'));
      }),
    );

    it(
      'aborted records stay in the log for readers of uncommitted records',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.abort(at, records('a=1'));
        await scene.commit(at, records('b=2'));

        expect((await scene.read(at)).records).toEqual(['2:b=2']);
        expect((await scene.read(at, 'readUncommitted')).records).toEqual(['0:a=1', '2:b=2']);
      }),
    );

    it(
      'of overlapping transactions only the aborted ones are left out',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const [a, b, c] = [await scene.producer(), await scene.producer(), await scene.producer()];
        await a.send(at, records('a=0'));
        await b.send(at, records('b=1'));
        await c.send(at, records('c=2'));
        await a.send(at, records('a=3'));
        await b.abort();
        await c.send(at, records('c=5'));
        await a.commit();
        await c.abort();

        expect(await scene.read(at)).toEqual({ records: ['0:a=0', '3:a=3'], nextOffset: 8 });
      }),
    );

    it(
      'a producer whose first transaction was aborted commits the next: each record follows its own transaction',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.send(at, records('a=0'));
        await producer.abort();
        await producer.send(at, records('a=2'));
        await producer.commit();
        await producer.send(at, records('a=4'));
        await producer.abort();

        expect(await scene.read(at)).toEqual({ records: ['2:a=2'], nextOffset: 6 });
      }),
    );

    it(
      'a record whose key and value look like a control marker is an ordinary record',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const markerLike = { key: '\u0000\u0000\u0000\u0001', value: '\u0000\u0000\u0000\u0000\u0000\u0000' };
        await scene.abort(at, records(markerLike));
        await scene.commit(at, records(markerLike));

        const reading = await scene.read(at);

        expect([reading.records.map((line) => line.split(':')[0]), reading.nextOffset]).toEqual([['2'], 4]);
      }),
    );

    it(
      'plain records between transactional ones are committed by themselves',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.send(at, records('t=0'));
        await scene.log.append(at, records('p=1'));
        await producer.abort();
        await scene.log.append(at, records('p=3'));

        expect(await scene.read(at)).toEqual({ records: ['1:p=1', '3:p=3'], nextOffset: 4 });
      }),
    );
  });
}
