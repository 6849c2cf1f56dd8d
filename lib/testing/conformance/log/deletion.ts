import { type Offset, offset } from '../../../model/offset.js';
import { type TopicPartition, type TopicPartitionKey, topicPartitionKey } from '../../../model/topic-partition.js';
import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, records } from './scene.js';

/** Records that go: by request and by age. */
export function deletionConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('deletion', () => {
    it(
      'of records moves the start of the log, within what was appended together too',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=0', 'b=1', 'c=2'));

        await scene.log.deleteRecords(below(at, 2));

        expect(await scene.offset(at, 'earliest')).toBe(2);
        expect(await codeOf(scene.fetch(at, 1))).toBe('STREAMS_OFFSET_OUT_OF_RANGE');
        expect(await scene.read(at, 'readCommitted', 2)).toEqual({ records: ['2:c=2'], nextOffset: 3 });
      }),
    );

    it(
      'of records never moves the start back',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=0', 'b=1', 'c=2'));
        await scene.log.deleteRecords(below(at, 2));

        await scene.log.deleteRecords(below(at, 1));

        expect(await scene.offset(at, 'earliest')).toBe(2);
      }),
    );

    it(
      'of all records leaves the end where it is, and the next append goes on there',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=0', 'b=1'));
        await scene.log.deleteRecords(below(at, 2));

        const next = await scene.log.append(at, records('c=2'));

        expect(next).toBe(2);
        expect(await scene.read(at, 'readCommitted', 2)).toEqual({ records: ['2:c=2'], nextOffset: 3 });
      }),
    );

    it(
      'into the middle of an open transaction shows none of what is left of it, and its end still takes an offset',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const producer = await scene.producer();
        await producer.send(at, records('a=0', 'b=1', 'c=2'));

        await scene.log.deleteRecords(below(at, 1));
        const { records: set, nextOffset, lastStableOffset } = await scene.fetch(at, 1);
        await producer.commit();

        expect([set.size, nextOffset, lastStableOffset]).toEqual([0, 1, 1]);
        expect(await scene.read(at, 'readCommitted', 1)).toEqual({ records: ['1:b=1', '2:c=2'], nextOffset: 4 });
      }),
    );

    it(
      'of records beyond the end is out of range and deletes nothing',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=0'));

        const code = await codeOf(scene.log.deleteRecords(below(at, 2)));

        expect([code, await scene.offset(at, 'earliest')]).toEqual(['STREAMS_OFFSET_OUT_OF_RANGE', 0]);
      }),
    );

    if (scenes.target.supports.promptRetention) {
      it(
        'by age goes by the timestamps of the records, segment by segment',
        scenes.play(async (scene) => {
          const at = await scene.partition({ 'retention.ms': '100000', 'segment.bytes': '1000' });
          const old = { key: 'old', value: 'x'.repeat(900), timestampMs: 1 };
          const eternal = { key: 'new', value: 'x'.repeat(900), timestampMs: 4_000_000_000_000 };
          await scene.log.append(at, records(old));
          await scene.log.append(at, records(old));
          await scene.log.append(at, records(eternal));
          await scene.log.append(at, records(old));

          await scene.advance(1_500);

          expect(await scene.offset(at, 'earliest')).toBe(2);
          expect(await scene.offset(at, 'highWatermark')).toBe(4);
        }),
      );
    }
  });
}

function below(at: TopicPartition, first: number): ReadonlyMap<TopicPartitionKey, Offset> {
  return new Map([[topicPartitionKey(at), offset(first)]]);
}
