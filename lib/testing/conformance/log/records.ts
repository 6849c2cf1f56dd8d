import { RecordTooLargeError } from '../../../model/errors.js';
import { offset } from '../../../model/offset.js';
import { topicPartitionKey } from '../../../model/topic-partition.js';
import type { TestRunner } from '../test-runner.js';
import { type LogScenes, offsetsOf, records, shown } from './scene.js';

/** Records come back as they were written, at the offsets that they got. */
export function recordsConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('records', () => {
    it(
      'are numbered from 0 in the order of their appends',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        const first = await scene.log.append(at, records('a=1', 'b=2'));
        const second = await scene.log.append(at, records('c=3'));

        expect([first, second]).toEqual([0, 2]);
        expect(await scene.read(at)).toEqual({ records: ['0:a=1', '1:b=2', '2:c=3'], nextOffset: 3 });
      }),
    );

    it(
      'keep null and empty keys and values apart',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        await scene.log.append(
          at,
          records(
            { key: null, value: 'v' },
            { key: '', value: '' },
            { key: 'k', value: null },
            { key: null, value: null },
          ),
        );
        const { records: set } = await scene.fetch(at, 0);

        expect([...set].map(({ key, value }) => [key?.length ?? null, value?.length ?? null])).toEqual([
          [null, 1],
          [0, 0],
          [1, null],
          [null, null],
        ]);
      }),
    );

    it(
      'keep their timestamps, 0 among them',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        await scene.log.append(
          at,
          records(...[0, 1_700_000_000_000, 5].map((timestampMs) => ({ key: 'k', value: 'v', timestampMs }))),
        );
        const { records: set } = await scene.fetch(at, 0);

        expect([...set].map(({ timestampMs }) => timestampMs)).toEqual([0, 1_700_000_000_000, 5]);
      }),
    );

    it(
      'may have no timestamp, which is −1',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        await scene.log.append(at, records({ key: 'k', value: 'v', timestampMs: -1 }));

        expect((await scene.fetch(at, 0)).records.timestamps[0]).toBe(-1);
      }),
    );

    it(
      'keep their headers: order, repeated names, null and empty values',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const headers = [
          { key: 'a', value: Buffer.from([0, 255]) },
          { key: 'a', value: null },
          { key: '', value: Buffer.alloc(0) },
        ];

        await scene.log.append(at, records('k=v', { key: 'k', value: 'w', headers }, 'k=x'));
        const { records: set } = await scene.fetch(at, 0);
        const read = [0, 1, 2].map((index) =>
          set.headersOf(index).map(({ key, value }) => [key, value === null ? null : [...value]]),
        );

        expect(read).toEqual([
          [],
          [
            ['a', [0, 255]],
            ['a', null],
            ['', []],
          ],
          [],
        ]);
      }),
    );

    it(
      'can be read from any offset in the middle of what was appended together',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records('a=1', 'b=2', 'c=3'));

        const { records: set, nextOffset } = await scene.fetch(at, 1);

        expect([shown(set), nextOffset]).toEqual([['1:b=2', '2:c=3'], 3]);
      }),
    );

    it(
      'of many small appends all come, once and in order',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const count = 600;
        for (let index = 0; index < count; index += 1) await scene.log.append(at, records(`k${index % 7}=${index}`));

        const reading = await scene.read(at);

        expect(reading.records).toEqual(Array.from({ length: count }, (_, index) => `${index}:k${index % 7}=${index}`));
      }),
    );

    it(
      'have offsets that compare as numbers: 9 before 10, 99 before 100 (trap 23)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(at, records(...Array.from({ length: 101 }, (_, index) => `k=${index}`)));
        const groupId = scene.name('group');
        const seen = [];

        for (const next of [9, 10, 99, 100]) {
          await scene.log.commitOffsets(groupId, offsetsOf([at, next]));
          await scene.log.deleteRecords(new Map([[topicPartitionKey(at), offset(next)]]));
          const [first] = (await scene.read(at, 'readCommitted', next)).records;
          seen.push([await scene.committed(groupId, at), await scene.offset(at, 'earliest'), first]);
        }

        expect(seen).toEqual([9, 10, 99, 100].map((next) => [next, next, `${next}:k=${next}`]));
      }),
    );

    it(
      'that are larger than the topic takes are refused by their places, and nothing of their set is kept',
      scenes.play(async (scene) => {
        const at = await scene.partition({ 'max.message.bytes': '1000' });

        const large = { key: 'b', value: 'x'.repeat(1_100) };
        const appended = scene.log.append(at, records('a=1', large, 'c=3', large));
        const refused = await appended.catch((error) => (error instanceof RecordTooLargeError ? error.refused : error));

        expect(refused).toEqual([1, 3]);
        expect(await scene.offset(at, 'highWatermark')).toBe(0);
      }),
    );

    it(
      'are found by time: the first at or after it, or the end',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        await scene.log.append(
          at,
          records(...[100, 300, 200, 400].map((timestampMs) => ({ key: 'k', value: 'v', timestampMs }))),
        );

        const found = [];
        for (const timestampMs of [0, 100, 101, 301, 401]) found.push(await scene.offset(at, { timestampMs }));

        expect(found).toEqual([0, 0, 1, 3, 4]);
      }),
    );

    it(
      'offsets of an empty partition are all 0',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        const offsets = [];
        for (const spec of ['earliest', 'highWatermark', 'lastStable', { timestampMs: 0 }] as const)
          offsets.push((await scene.log.listOffsets([at], spec)).get(topicPartitionKey(at)));

        expect(offsets).toEqual([0, 0, 0, 0]);
      }),
    );
  });
}
