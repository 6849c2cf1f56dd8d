import { describe, expect, it } from 'vitest';
import { topicPartitionKey } from '../../../../../lib/model/topic-partition.js';
import { countsOf, exactCounts, runScene, type SceneRun } from '../../../../support/simulation/fault-scene.js';

const startOf = async ({ cloud }: SceneRun, topic: string, partition: number) =>
  (await cloud.log.listOffsets([{ topic, partition }], 'earliest')).get(topicPartitionKey({ topic, partition }));

/** In the pause: both members sleep, and have released their tasks. */
const ASLEEP_MS = 5_500;
/** Nobody looks for input: no doorbell, and the schedule comes once a minute. */
const UNHEARD = { doorbells: false };

describe('a truncated input', () => {
  it('has lost what was read of it, and nothing comes of that', async () => {
    const run = await runScene([{ kind: 'topic-truncated', atMs: 2_000, partition: 0 }]);

    const { topic, partition, before } = run.fault('topic-truncated').fields;
    expect(await startOf(run, String(topic), Number(partition))).toBeGreaterThanOrEqual(Number(before));
    expect(Number(before)).toBeGreaterThan(0);
    expect(run.cloud.harms.all).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('an input that is lost before it was read', () => {
  it('stops its task with STREAMS_LOST_OFFSETS, alone, and says which sub-topologies it excuses', async () => {
    const run = await runScene([{ kind: 'input-lost', atMs: 9_500, partition: 0 }], UNHEARD);

    const { fields } = run.fault('input-lost');
    const taskId = `0_${fields.partition}`;
    const codes = run.entries('task-failed').map((entry) => [entry.fields.taskId, entry.fields.code]);
    expect(new Set(codes.map(String))).toEqual(new Set([`${taskId},STREAMS_LOST_OFFSETS`]));
    expect([...run.cloud.harms.stoppedTasks]).toEqual([taskId]);
    expect([...run.cloud.harms.excused()].sort()).toEqual([0, 1]);
    expect([...run.cloud.harms.excusedTopics()].sort()).toContain('counts');
    expect(run.violations).toEqual([]);
  });
});

describe('an input that is created again', () => {
  it('is another topic; a task that slept stops where the new one has records already', async () => {
    const quiet = await runScene([], UNHEARD);
    const faults = [
      { kind: 'topic-recreated', atMs: ASLEEP_MS, topic: 0 },
      { kind: 'schedule-repeated', atMs: 9_500, times: 1 },
    ];
    const run = await runScene(faults, UNHEARD);

    const idOf = async ({ cloud }: SceneRun) => (await cloud.log.describeTopics(['lines'])).get('lines')?.topicId;
    expect(await idOf(run)).not.toBe(await idOf(quiet));
    const codes = new Set(run.entries('task-failed').map((entry) => entry.fields.code));
    expect([...codes]).toEqual(['STREAMS_LOST_OFFSETS']);
    expect(run.violations).toEqual([]);
  });

  it('stops a task that runs, whose position is beyond the new end', async () => {
    const run = await runScene([{ kind: 'topic-recreated', atMs: 2_000, topic: 0 }]);

    const { atMs } = run.fault('topic-recreated');
    const [failed] = run.entries('task-failed').filter((entry) => entry.atMs >= atMs);
    expect(failed?.fields.code).toBe('STREAMS_LOST_OFFSETS');
    expect(run.violations).toEqual([]);
  });
});

describe('an input that is created again and filled beyond what was read', () => {
  const codesOf = (run: SceneRun) => [...new Set(run.entries('task-failed').map((entry) => entry.fields.code))];

  it('stops a task that runs, although its position is in range (trap 25)', async () => {
    const run = await runScene([{ kind: 'topic-recreated', atMs: 2_000, topic: 0, filled: true }]);

    const [harm] = run.cloud.harms.all;
    expect(harm?.mustBeSaid).toEqual([0, 1].map((partition) => ({ topic: 'lines', partition })));
    expect(codesOf(run)).toEqual(['STREAMS_LOST_OFFSETS']);
    expect([...run.cloud.harms.stoppedTasks].sort()).toEqual(['0_0', '0_1']);
    expect(run.violations).toEqual([]);
  });

  it('within a commit stops the task that has committed its old position in the new topic (trap 25)', async () => {
    const run = await runScene([{ kind: 'topic-recreated', atMs: 2_000, topic: 0, filled: true, inCommit: true }]);

    const messages = run.entries('task-failed').map((entry) => String(entry.fields.message));
    expect(messages).toContainEqual(expect.stringContaining('the committed offset is of the old one'));
    expect(codesOf(run)).toEqual(['STREAMS_LOST_OFFSETS']);
    expect([...run.cloud.harms.stoppedTasks].sort()).toEqual(['0_0', '0_1']);
    expect(run.violations).toEqual([]);
  });
});

describe('a changelog that is created again', () => {
  it.each([
    ['under a task that runs', 2_000],
    ['while its task sleeps', ASLEEP_MS],
  ])('%s stops it with STREAMS_LOST_STATE before it goes on without its state (trap 25)', async (_, atMs) => {
    const run = await runScene([{ kind: 'changelog-recreated', atMs, topic: 0 }]);

    const { fields } = run.fault('changelog-recreated');
    const codes = new Set(run.entries('task-failed').map((entry) => entry.fields.code));
    expect(fields.topic).toBe('scene-counts-changelog');
    expect([...codes]).toEqual(['STREAMS_LOST_STATE']);
    expect([...run.cloud.harms.stoppedTasks].sort()).toEqual(['1_0', '1_1']);
    expect(run.violations).toEqual([]);
  });
});

describe('compaction', () => {
  it('takes records out of the changelogs between two calls, and the state stays what it was', async () => {
    const run = await runScene([{ kind: 'compaction', call: 400, times: 8, between: 60 }]);

    const { log } = run.cloud;
    const topic = (await log.listTopics()).find((name) => name.endsWith('-changelog')) ?? '';
    const at = [0, 1].map((partition) => ({ topic, partition, fromOffset: 0 as never }));
    const results = await log.fetch(at, { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 1 << 20 });
    const records = results.reduce((sum, result) => sum + result.records.size, 0);
    const updates = Object.values(exactCounts()).reduce((sum, count) => sum + count, 0);
    expect(run.faultsFired.get('compaction')).toBe(1);
    expect(records).toBeLessThan(updates);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});

describe('expired offsets', () => {
  it('of tasks that sleep come back from their leases', async () => {
    const run = await runScene([{ kind: 'offsets-expired', atMs: ASLEEP_MS, task: 0, all: true }]);

    const { atMs, fields } = run.fault('offsets-expired');
    expect((fields.partitions as readonly string[]).length).toBeGreaterThan(1);
    expect(run.entries('task-taken').some((entry) => entry.atMs > atMs)).toBe(true);
    expect([...run.cloud.harms.stoppedTasks]).toEqual([]);
    expect(await countsOf(run)).toEqual(exactCounts());
  });
});
