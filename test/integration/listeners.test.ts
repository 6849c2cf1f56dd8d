import { describe, expect, it } from 'vitest';
import type { RestoreProgress, StreamsListeners } from '../../lib/index.js';
import { defineApp, keyValueStore, string, TopologyBuilder, TopologyError } from '../../lib/index.js';
import {
  countingTopology,
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  STORE,
  someWords,
  startTask,
  stopTask,
  type TaskWorld,
  untilCommitted,
} from '../support/task-world.js';

const listening = (world: TaskWorld, listeners: StreamsListeners): TaskWorld => ({
  ...world,
  app: { ...world.app, listeners },
});

async function runToTheEnd(world: TaskWorld): Promise<void> {
  const task = await startTask(world);
  await untilCommitted(world);
  await stopTask(task);
}

describe('the listeners of an application', () => {
  it('hear each state of a task, in order', async () => {
    const heard: string[] = [];
    const world = listening(await createTaskWorld(), {
      onTaskState: ({ taskId, before, state }) => heard.push(`${taskId}: ${before} → ${state}`),
    });
    await feedWords(world, ['a']);
    await runToTheEnd(world);

    expect(heard).toEqual([
      '0_0: fencing → restoring',
      '0_0: restoring → running',
      '0_0: running → closing',
      '0_0: closing → ended',
    ]);
  });

  it('hear how a store is restored, from its begin to its end', async () => {
    const heard: [string, RestoreProgress][] = [];
    const world = listening(await createTaskWorld({ settings: { snapshotMinRecords: 100_000 } }), {
      onRestoreStart: (progress) => heard.push(['start', progress]),
      onBatchRestored: (progress) => heard.push(['batch', progress]),
      onRestoreEnd: (progress) => heard.push(['end', progress]),
    });
    await feedWords(world, someWords(50));
    await runToTheEnd(world);
    heard.length = 0;
    await feedWords(world, ['more']);
    await runToTheEnd(world);

    const [first] = heard;
    const last = heard.at(-1);
    expect(first).toMatchObject([
      'start',
      { taskId: '0_0', store: STORE, topic: `app-${STORE}-changelog`, partition: 0, fromOffset: 0, records: 0 },
    ]);
    expect(heard.slice(1, -1).map(([name]) => name)).toContain('batch');
    expect(last?.[0]).toBe('end');
    expect(last?.[1].records).toBeGreaterThan(0);
    expect(last?.[1].nextOffset).toBeGreaterThanOrEqual(first?.[1].endOffset ?? Number.NaN);
  });

  it('can do no harm: what they throw is logged', async () => {
    const world = listening(await createTaskWorld(), {
      onTaskState() {
        throw new Error('not my day');
      },
    });
    await feedWords(world, ['a']);
    await runToTheEnd(world);

    const failed = world.events.filter(({ event }) => event === 'listener-failed');
    expect(failed.map(({ fields }) => fields.message)).toContain('not my day');
  });

  it('are refused where they are none', () => {
    const given = { applicationId: 'app', topology: countingTopology() };

    expect(() => defineApp({ ...given, listeners: { onRestoreEnd: 5 as never } })).toThrow(TopologyError);
    expect(() => defineApp({ ...given, listeners: { onMonday: () => {} } as never })).toThrow("no listener 'onMonday'");
  });
});

it('a store without changelog says at each start that it begins empty', async () => {
  const text = { key: string(), value: string() };
  const topology = new TopologyBuilder()
    .addSource('source', INPUT, text)
    .addProcessor('step', () => ({ process() {} }), { parents: 'source' })
    .addStateStore(keyValueStore({ name: STORE, ...text, logged: false }), 'step')
    .addSink('sink', OUTPUT, { ...text, parents: 'step' })
    .build();
  const world = await createTaskWorld({ topology });
  for (const word of ['a', 'b']) {
    await feedWords(world, [word]);
    await runToTheEnd(world);
  }

  const said = world.events.filter(({ event }) => event === 'store-starts-empty');
  expect(said.map(({ level, fields }) => [level, fields.store])).toEqual([
    ['warn', STORE],
    ['warn', STORE],
  ]);
});
