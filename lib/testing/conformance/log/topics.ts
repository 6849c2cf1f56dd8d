import { codeOf, type TestRunner } from '../test-runner.js';
import { type LogScenes, offsetsOf, records, shown } from './scene.js';

/** Times that a reader asks for a topic that nobody knows at the moment. */
const MAX_ASKED = 100;

/** Topics: creating, describing, deleting, and being another one after that. */
export function topicsConformance(scenes: LogScenes, { describe, it, expect }: TestRunner): void {
  describe('topics', () => {
    it(
      'are created once; a second creation changes nothing and says so',
      scenes.play(async (scene) => {
        const name = scene.name('topic');

        const first = await scene.log.createTopic({ name, partitions: 2, config: { 'cleanup.policy': 'compact' } });
        const second = await scene.log.createTopic({ name, partitions: 3, config: {} });
        const described = (await scene.log.describeTopics([name])).get(name);

        expect([first, second]).toEqual([true, false]);
        expect([described?.partitions, described?.config['cleanup.policy']]).toEqual([2, 'compact']);
      }),
    );

    it(
      'are listed, sorted; unknown ones are absent from a description',
      scenes.play(async (scene) => {
        const names = [await scene.topic(), await scene.topic()];
        const absent = scene.name('absent');

        const listed = await scene.log.listTopics();
        const described = await scene.log.describeTopics([...names, absent]);

        expect(listed.filter((name) => names.includes(name))).toEqual([...names].sort());
        expect([...listed]).toEqual([...listed].sort());
        expect([...described.keys()].sort()).toEqual([...names].sort());
      }),
    );

    it(
      'with a setting, name or count that makes no sense are refused',
      scenes.play(async (scene) => {
        const specs = [
          { name: scene.name('topic'), partitions: 1, config: { 'cleanup.policy': 'shred' } },
          { name: scene.name('topic'), partitions: 1, config: { 'retention.ms': 'long' } },
          { name: scene.name('topic'), partitions: 0, config: {} },
          { name: 'not a name', partitions: 1, config: {} },
        ];

        const codes = [];
        for (const spec of specs) codes.push(await codeOf(scene.log.createTopic(spec)));

        expect(codes).toEqual(Array(4).fill('STREAMS_INVALID_SETTING'));
        expect((await scene.log.describeTopics(specs.map(({ name }) => name))).size).toBe(0);
      }),
    );

    it(
      'that are deleted are unknown, also to who waits for their records',
      scenes.play(async (scene) => {
        const at = await scene.partition();

        const waiting = codeOf(scene.fetch(at, 0, { maxWaitMs: 30_000 }));
        await scene.advance(10);
        await scene.log.deleteTopic(at.topic);

        expect(await waiting).toBe('STREAMS_UNKNOWN_TOPIC');
        expect(await codeOf(scene.log.append(at, records('a=1')))).toBe('STREAMS_UNKNOWN_TOPIC');
        expect(await codeOf(scene.log.deleteTopic(at.topic))).toBe('STREAMS_UNKNOWN_TOPIC');
      }),
    );

    it(
      'that are created again are empty, and no committed offset of the old one is left (trap 25)',
      scenes.play(async (scene) => {
        const at = await scene.partition();
        const groupId = scene.name('group');
        await scene.log.append(at, records('a=1'));
        await scene.log.commitOffsets(groupId, offsetsOf([at, 1]));

        await scene.log.deleteTopic(at.topic);
        await scene.log.createTopic({ name: at.topic, partitions: 1, config: {} });

        expect(await scene.offset(at, 'highWatermark')).toBe(0);
        expect(await scene.committed(groupId, at)).toBe(null);
      }),
    );

    if (scenes.target.supports.topicIds) {
      it(
        'have an id that changes when they are created again',
        scenes.play(async (scene) => {
          const name = await scene.topic();
          const idOf = async () => (await scene.log.describeTopics([name])).get(name)?.topicId;
          const [before, again] = [await idOf(), await idOf()];

          await scene.log.deleteTopic(name);
          await scene.log.createTopic({ name, partitions: 1, config: {} });
          const after = await idOf();

          expect(before).toBe(again);
          expect(typeof after === 'string' && after !== before).toBe(true);
        }),
      );

      it(
        'L8: are read by their id: nothing of a new one is answered to who wants the old one (trap 25)',
        scenes.play(async (scene) => {
          const at = await scene.partition();
          const idOf = async () => (await scene.log.describeTopics([at.topic])).get(at.topic)?.topicId ?? '';
          const old = await idOf();
          await scene.log.append(at, records('a=1', 'b=2'));
          const before = await scene.fetch({ ...at, topicId: old }, 0);

          await scene.log.deleteTopic(at.topic);
          await scene.log.createTopic({ name: at.topic, partitions: 1, config: { 'retention.ms': '-1' } });
          await scene.log.append(at, records('c=3', 'd=4', 'e=5'));
          const refused = await codeOf(scene.fetch({ ...at, topicId: old }, 2));
          const after = await scene.fetch({ ...at, topicId: await idOf() }, 2);
          const nameless = await scene.fetch(at, 0);

          expect(shown(before.records)).toEqual(['0:a=1', '1:b=2']);
          expect(refused).toBe('STREAMS_TOPIC_RECREATED');
          expect(shown(after.records)).toEqual(['2:e=5']);
          expect(shown(nameless.records)).toEqual(['0:c=3', '1:d=4', '2:e=5']);
        }),
      );

      it(
        'L8: that are created again under a reader who waits with the old id are refused to it (trap 25)',
        scenes.play(async (scene) => {
          const at = await scene.partition();
          const topicId = (await scene.log.describeTopics([at.topic])).get(at.topic)?.topicId ?? '';
          await scene.log.append(at, records('a=1'));

          const waiting = (async () => {
            // Between the two lives the topic is unknown for a moment: a reader asks again.
            for (let asked = 1; ; asked += 1) {
              const code = await codeOf(scene.fetch({ ...at, topicId }, 1, { maxWaitMs: 30_000 }));
              if (code !== 'STREAMS_UNKNOWN_TOPIC' || asked === MAX_ASKED) return code;
              await scene.advance(10);
            }
          })();
          await scene.advance(10);
          await scene.log.deleteTopic(at.topic);
          await scene.log.createTopic({ name: at.topic, partitions: 1, config: { 'retention.ms': '-1' } });
          await scene.log.append(at, records('b=2', 'c=3'));

          expect(await waiting).toBe('STREAMS_TOPIC_RECREATED');
        }),
      );
    }

    it(
      'that are deleted in the middle of a transaction leave the rest of it whole',
      scenes.play(async (scene) => {
        const [doomed, kept] = [await scene.partition(), await scene.partition()];
        const producer = await scene.producer();
        await producer.send(doomed, records('a=1'));
        await producer.send(kept, records('b=2'));

        await scene.log.deleteTopic(doomed.topic);
        await producer.commit();

        expect(await scene.read(kept)).toEqual({ records: ['0:b=2'], nextOffset: 2 });
      }),
    );
  });
}
