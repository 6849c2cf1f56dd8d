/** Checkers of outputs, stores and offsets can fail. */
import { describe, expect, it } from 'vitest';
import { offset } from '../../../../../lib/model/offset.js';
import { RecordSet } from '../../../../../lib/model/record-set.js';
import { taskId } from '../../../../../lib/model/task-id.js';
import { writeSnapshot } from '../../../../../lib/snapshots/write-snapshot.js';
import { misnumbered, noDuplicateNoGap } from '../../../../../lib/testing/simulation/checkers/no-duplicate-no-gap.js';
import { offsetsEqualReference } from '../../../../../lib/testing/simulation/checkers/offsets-equal-reference.js';
import { outputsEqualOracle } from '../../../../../lib/testing/simulation/checkers/outputs-equal-oracle.js';
import { outputsEqualReference } from '../../../../../lib/testing/simulation/checkers/outputs-equal-reference.js';
import { stateEqualsChangelog } from '../../../../../lib/testing/simulation/checkers/state-equals-changelog.js';
import { storesEqualReference } from '../../../../../lib/testing/simulation/checkers/stores-equal-reference.js';
import { long, type Scene, wrongIn } from '../../../../support/simulation/checked-scene.js';

async function someInput(scene: Scene): Promise<void> {
  await scene.input('lines', 0, null, 'down the mill race the water runs');
  await scene.input('events', 0, 'e1', 'happened');
  await scene.input('events', 0, 'e1', 'happened');
}

/** All sets of a topic without their first record. */
const without = (topic: string) => (at: string, set: RecordSet) =>
  at === topic ? (set.size > 1 ? set.slice(1, set.size) : RecordSet.EMPTY) : set;

describe.each([
  { checker: outputsEqualReference, broken: 'numbered' },
  { checker: outputsEqualOracle, broken: 'numbered' },
  { checker: noDuplicateNoGap, broken: 'numbered' },
  { checker: outputsEqualOracle, broken: 'recent' },
  { checker: storesEqualReference, broken: 'stress-counts-changelog' },
  { checker: storesEqualReference, broken: 'stress-recent-changelog' },
])('$checker.name without a record of $broken', ({ checker, broken }) => {
  it('is content with what the reference writes', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await someInput(scene);
      await scene.writeReference();
      await scene.watched.ended?.();
    });

    expect(wrong).toEqual([]);
  });

  it('sees that a record is missing', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await someInput(scene);
      await scene.writeReference(without(broken));
      await scene.watched.ended?.();
    });

    expect(wrong.length).toBeGreaterThan(0);
  });
});

/** All records of a topic a second later. */
const later = (topic: string) => (at: string, set: RecordSet) =>
  at === topic ? new RecordSet({ ...set, timestamps: set.timestamps.map((ms) => ms + 1_000) }) : set;

/** All records of a topic with a header. */
const marked = (topic: string) => (at: string, set: RecordSet) =>
  at === topic
    ? new RecordSet({ ...set, headers: Array.from({ length: set.size }, () => [{ key: 'h', value: null }]) })
    : set;

describe.each([
  { what: 'timestamps', change: later, said: /'.+' at \d+|0x\w+ at \d+/ },
  { what: 'headers', change: marked, said: /with "h": null/ },
])('$what of outputs', ({ what, change, said }) => {
  const wrongWith = (timestamps: boolean, headers: boolean) =>
    wrongIn(
      { checker: outputsEqualReference, subject: { comparedParts: { numbered: { timestamps, headers } } } },
      async (scene) => {
        await someInput(scene);
        await scene.writeReference(change('numbered'));
        await scene.watched.ended?.();
      },
    );

  it('are seen to be others than the reference says', async () => {
    expect(await wrongWith(true, true)).toEqual([expect.stringMatching(said)]);
  });

  it('are let be where they are not compared', async () => {
    expect(await wrongWith(what !== 'timestamps', what !== 'headers')).toEqual([]);
  });
});

it('a record that is there twice is seen in outputs and in numbers', async () => {
  for (const checker of [outputsEqualReference, outputsEqualOracle, noDuplicateNoGap]) {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await someInput(scene);
      await scene.writeReference();
      await scene.write('numbered', 0, 'e1', long(2));
      await scene.witness.settle();
      await scene.watched.ended?.();
    });

    expect(wrong.length, checker.name).toBeGreaterThan(0);
  }
});

it('numbers behind a cache may leave some out and may not fall', () => {
  expect(misnumbered([1, 3, 7], true)).toBeNull();
  expect(misnumbered([1, 3, 3], true)).toContain('3 follows 3');
  expect(misnumbered([1, 3], false)).toContain('3 follows 1');
  expect(misnumbered([1, null], false)).toContain('null follows 1');
});

describe('state equals changelog', () => {
  const checker = stateEqualsChangelog;
  const changelog = { topic: 'stress-counts-changelog', partition: 0 };

  it('is content with a compacted log and without snapshots', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await someInput(scene);
      await scene.writeReference();
      await scene.cloud.log.compact(changelog.topic);
      await scene.watched.ended?.();
    });

    expect(wrong).toEqual([]);
  });

  it('sees a snapshot that holds something else than the log below it', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await scene.createInternalTopics();
      for (const at of [0, 1, 2]) await scene.write(changelog.topic, 0, `word-${at}`, long(1));
      await scene.witness.settle();
      const { topicId = '' } = (await scene.cloud.log.describeTopics([changelog.topic])).get(changelog.topic) ?? {};
      const task = scene.witness.map.tasks.find(({ changelogs }) =>
        changelogs.some(({ topic, partition }) => topic === changelog.topic && partition === 0),
      );
      await writeSnapshot({
        store: scene.cloud.snapshots,
        host: scene.cloud.host,
        identity: { applicationId: 'stress', taskId: task?.taskId ?? taskId(0, 0), store: 'counts', topicId },
        changelog,
        writer: 'member-1',
        nextOffset: offset(3),
        lastKnownEndAtMs: scene.cloud.host.clock.now(),
        entries: [],
      });
      await scene.watched.ended?.();
    });

    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toContain('a restore from snapshot and tail');
  });

  it('sees records that are gone from the log', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await scene.createInternalTopics();
      await scene.write(changelog.topic, 0, 'word', long(1));
      await scene.witness.settle();
      await scene.cloud.log.deleteTopic(changelog.topic);
      await scene.createInternalTopics();
      await scene.watched.ended?.();
    });

    expect(wrong).toHaveLength(3);
  });
});

describe('offsets equal reference', () => {
  const checker = offsetsEqualReference;

  it('a committed offset that goes backward is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.take('task#1', '0_0', 1);
      const producer = scene.initialise('task#1', '0_0', 0);
      scene.commit('task#1', producer, { 'lines-0': 5 });
      scene.commit('task#1', producer, { 'lines-0': 7 });
      scene.commit('task#1', producer, { 'lines-0': 6 });
    });

    expect(wrong).toEqual(['task#1 sets the committed offset of lines-0 back from 7 to 6']);
  });

  it('an input that is not committed up to its end is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      await scene.input('events', 1, 'e1', 'happened');
      await scene.watched.ended?.();
    });

    expect(wrong).toEqual(['events-1 is committed up to 0, and ends at 1']);
  });

  it('a commit outside a transaction is seen', async () => {
    const wrong = await wrongIn({ checker }, async (scene) => {
      scene.effect('task#1', { port: 'log', method: 'commitOffsets', args: ['stress', new Map()] }, undefined);
    });

    expect(wrong).toHaveLength(1);
  });
});
