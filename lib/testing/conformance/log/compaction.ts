import type { TopicConfig } from '../../../log/log.js';
import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, records } from './scene.js';

const COMPACT: TopicConfig = { 'cleanup.policy': 'compact', 'delete.retention.ms': '1000' };

/** Compaction: what stays, what goes and when, and how readers pass over the gaps. */
export function compactionConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('compaction', () => {
    it(
      'keeps the last record of each key, at its offset',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.log.append(at, records('a=0', 'b=1', 'a=2'));
        await scene.log.append(at, records('c=3', 'b=4'));

        await scene.compact(at.topic);

        expect(await scene.read(at)).toEqual({ records: ['2:a=2', '3:c=3', '4:b=4'], nextOffset: 5 });
        expect([await scene.offset(at, 'earliest'), await scene.offset(at, 'highWatermark')]).toEqual([0, 5]);
      }),
    );

    it(
      'leaves gaps that a fetch from any offset in them passes over',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        for (let index = 0; index < 6; index += 1) await scene.log.append(at, records(`a=${index}`));
        await scene.compact(at.topic);

        for (const from of [0, 1, 4, 5])
          expect(await scene.read(at, 'readCommitted', from)).toEqual({ records: ['5:a=5'], nextOffset: 6 });
      }),
    );

    it(
      'of what ends in emptied ranges lets the position reach the end (trap 1)',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.commit(at, records('a=0', 'b=1'));
        await scene.commit(at, records('hot=3'));
        await scene.abort(at, records('hot=5', 'hot=6'));
        await scene.compact(at.topic);
        await scene.advance(1_001);
        await scene.compact(at.topic);

        expect(await scene.read(at)).toEqual({ records: ['0:a=0', '1:b=1', '3:hot=3'], nextOffset: 8 });
      }),
    );

    it(
      'does not let an aborted record outdo a committed one',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.commit(at, records('a=kept'));
        await scene.abort(at, records('a=gone', 'a'));
        await scene.compact(at.topic);

        expect((await scene.read(at)).records).toEqual(['0:a=kept']);
      }),
    );

    it(
      'stops at the last stable offset: an open transaction and what follows it are left alone',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.log.append(at, records('a=0', 'a=1'));
        const open = await scene.producer();
        await open.send(at, records('a=2'));
        await scene.log.append(at, records('b=3', 'b=4'));
        await scene.compact(at.topic);

        const whileOpen = await scene.read(at, 'readUncommitted');
        await open.abort();
        await scene.compact(at.topic);

        expect(whileOpen.records).toEqual(['1:a=1', '2:a=2', '3:b=3', '4:b=4']);
        expect((await scene.read(at)).records).toEqual(['1:a=1', '4:b=4']);
      }),
    );

    it(
      'leaves an open transaction to be committed whole, with its tombstones',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.log.append(at, records('a=0', 'b=1'));
        const open = await scene.producer();
        await open.send(at, records('a', 'b=3'));
        await scene.compact(at.topic);
        await open.commit();

        const committed = await scene.read(at);
        await scene.compact(at.topic);

        expect(committed).toEqual({ records: ['0:a=0', '1:b=1', '2:a=null', '3:b=3'], nextOffset: 5 });
        expect(await scene.read(at)).toEqual({ records: ['2:a=null', '3:b=3'], nextOffset: 5 });
      }),
    );

    it(
      'keeps a tombstone for delete.retention.ms after it first met it, then drops it',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.log.append(at, records('a=0', 'b=1', 'a'));
        await scene.log.append(at, records('c'));
        await scene.log.append(at, records('d'));
        await scene.compact(at.topic);
        const first = (await scene.read(at)).records;
        await scene.advance(900);
        await scene.compact(at.topic);
        const second = (await scene.read(at)).records;
        await scene.advance(101);
        await scene.compact(at.topic);

        expect(first).toEqual(['1:b=1', '2:a=null', '3:c=null', '4:d=null']);
        expect(second).toEqual(first);
        expect(await scene.read(at)).toEqual({ records: ['1:b=1'], nextOffset: 5 });
      }),
    );

    it(
      'again and again gives the same, and later records outdo what was kept before',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);
        await scene.log.append(at, records('a=0', 'b=1'));
        await scene.compact(at.topic);
        await scene.compact(at.topic);
        await scene.log.append(at, records('a=2'));
        await scene.compact(at.topic);

        expect(await scene.read(at)).toEqual({ records: ['1:b=1', '2:a=2'], nextOffset: 3 });
      }),
    );

    it(
      'takes no record without a key',
      scenes.play(async (scene) => {
        const at = await scene.partition(COMPACT);

        const code = await codeOf(scene.log.append(at, records({ key: null, value: 'v' })));

        expect([code, await scene.offset(at, 'highWatermark')]).toEqual(['STREAMS_INVALID_RECORD', 0]);
      }),
    );
  });
}
