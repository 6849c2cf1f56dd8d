import { expect, it } from 'vitest';
import { UnknownOutcomeError } from '../../lib/model/errors.js';
import { offset } from '../../lib/model/offset.js';
import { taskId } from '../../lib/model/task-id.js';
import { topicPartitionKey } from '../../lib/model/topic-partition.js';
import type { ProcessorContext } from '../../lib/processor/processor-context.js';
import { StreamRecord } from '../../lib/processor/stream-record.js';
import { string } from '../../lib/serde/string-serde.js';
import type { KeyValueStore } from '../../lib/state/state-store.js';
import { keyValueStore } from '../../lib/topology/stores.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import { withCommitFaults } from '../support/faulty-log.js';
import { restored } from '../support/restored-store.js';
import {
  createTaskWorld,
  feedWords,
  INPUT,
  OUTPUT,
  STORE,
  someWords,
  startTask,
  stopTask,
  untilCommitted,
} from '../support/task-world.js';
import { waitFor } from '../support/wait-for.js';

const text = { key: string(), value: string() };

it('a repartition topic is trimmed up to what its reader has committed, and nothing is lost by it', async () => {
  const topology = new TopologyBuilder()
    .addRepartitionTopic('between-repartition', 1)
    .addSource('source', INPUT, text)
    .addSink('to-between', 'between-repartition', { parents: 'source', ...text })
    .addSource('from-between', 'between-repartition', text)
    .addSink('out', OUTPUT, { parents: 'from-between', ...text })
    .build();
  const world = await createTaskWorld({ topology });
  const between = { topic: 'app-between-repartition', partition: 0 };
  const key = topicPartitionKey(between);
  await feedWords(world, someWords(100));
  const upstream = await startTask(world, { taskId: taskId(0, 0) });
  await untilCommitted(world);
  await stopTask(upstream);

  const downstream = await startTask(world, { taskId: taskId(1, 0) });
  await waitFor('the repartition topic to be read', async () => {
    const end = (await world.ports.log.listOffsets([between], 'highWatermark')).get(key);
    const committed = await world.ports.log.committedOffsets('app', [between]);
    return committed.get(key)?.nextOffset === end || undefined;
  });
  await stopTask(downstream);

  const committed = (await world.ports.log.committedOffsets('app', [between])).get(key)?.nextOffset;
  expect((await world.ports.log.listOffsets([between], 'earliest')).get(key)).toBe(committed);
  const [out] = await world.ports.log.fetch([{ topic: OUTPUT, partition: 0, fromOffset: offset(0) }], {
    isolation: 'readCommitted',
    maxWaitMs: 0,
    maxBytes: 1_000_000,
  });
  expect(out?.records.size).toBe(100);
});

it('offsets of idle inputs are committed again with the first commit of every run, so that they do not expire', async () => {
  const world = await createTaskWorld();
  await feedWords(world, ['a']);
  const first = await startTask(world);
  await untilCommitted(world);
  await stopTask(first);
  const commits: number[] = [];
  const ports = {
    ...world.ports,
    log: new Proxy(world.ports.log, {
      get(target, property) {
        const member: unknown = Reflect.get(target, property);
        if (property !== 'initProducer') return typeof member === 'function' ? member.bind(target) : member;
        return async (options: Parameters<typeof target.initProducer>[0]) => {
          const producer = await target.initProducer(options);
          const { sendOffsets } = producer;
          producer.sendOffsets = (groupId, offsets) => {
            commits.push(offsets.size);
            return sendOffsets.call(producer, groupId, offsets);
          };
          return producer;
        };
      },
    }),
  };

  const idle = await startTask(world, { incarnation: 2, ports });
  await waitFor('the task to run', async () => idle.status.phase === 'running' || undefined);
  await stopTask(idle);

  expect(commits).toEqual([1]);
});

it('offsets of a session that has nothing to commit are committed again before they expire', async () => {
  const made = await createTaskWorld();
  const settings = { ...made.app.settings, offsetsRetentionMs: 400 }; // less than an operator may set
  const world = { ...made, app: { ...made.app, settings } };
  await feedWords(world, ['a']);
  const first = await startTask(world);
  await untilCommitted(world);
  await stopTask(first);

  const idle = await startTask(world, { incarnation: 2 });
  await waitFor('two keeps', async () => idle.status.commits >= 2 || undefined);

  expect(idle.status.recordsCommitted).toBe(0);
  expect((await stopTask(idle)).ended).toBe('released');
});

it('what users write to a store while it is closed after an error is in no later session', async () => {
  let words = 0;
  const topology = new TopologyBuilder()
    .addSource('source', INPUT, text)
    .addProcessor(
      'keeper',
      () => {
        let store: KeyValueStore<string, string>;
        return {
          init(context: ProcessorContext<string, string>) {
            store = context.getStateStore(STORE);
          },
          async process(record: StreamRecord<string, string>) {
            words += 1;
            await store.put(record.key, 'processed');
          },
          async close() {
            await store.put('closed', 'at some time');
          },
        };
      },
      { parents: 'source' },
    )
    .addStateStore(keyValueStore({ name: STORE, ...text }), 'keeper')
    .build();
  const world = await createTaskWorld({ topology });
  let commits = 0;
  const ports = withCommitFaults(world.ports, () => {
    commits += 1;
    return commits === 3 ? async () => Promise.reject(new UnknownOutcomeError('the connection broke')) : null;
  });

  const task = await startTask(world, { ports });
  await feedWords(world, ['a']);
  await waitFor('a word', async () => words > 0 || undefined);
  await untilCommitted(world);
  await feedWords(world, ['b']);
  await waitFor('the error', async () => world.events.some(({ event }) => event === 'task-recovering') || undefined);
  await untilCommitted(world);
  await stopTask(task);

  const { store } = await restored(world);
  expect([...store.committed()].map(({ key }) => key)).toEqual(['a', 'b']);
});

it('wall-clock punctuations are called without any input, and what they forward is committed', async () => {
  const topology = new TopologyBuilder()
    .addSource('source', INPUT, text)
    .addProcessor(
      'tick',
      () => ({
        init(context: ProcessorContext<string, string>) {
          context.schedule(10, 'wallClockTime', async (atMs) => {
            await context.forward(StreamRecord.of({ key: 'tick', value: String(atMs), timestampMs: atMs }));
          });
        },
        process: (_: StreamRecord<string, string>) => undefined,
      }),
      { parents: 'source' },
    )
    .addSink('out', OUTPUT, { parents: 'tick', ...text })
    .build();
  const world = await createTaskWorld({ topology });

  const task = await startTask(world);
  const at = { topic: OUTPUT, partition: 0 };
  await waitFor('ticks in the output', async () => {
    const end = (await world.ports.log.listOffsets([at], 'lastStable')).get(topicPartitionKey(at));
    return (end ?? 0) > 3 || undefined;
  });

  expect((await stopTask(task)).ended).toBe('released');
});
