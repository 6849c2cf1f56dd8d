/** A word count on a broker whose topics are deleted and created again under it (docs/decisions/0014-topics-have-an-identity.md). */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp, type StreamsApp, StreamsBuilder, string } from '../../../lib/index.js';
import { createMemoryInvoker } from '../../../lib/invoke/memory/memory-invoker.js';
import { createMemoryLeaseStore } from '../../../lib/leases/memory/memory-lease-store.js';
import type { KafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { offset } from '../../../lib/model/offset.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { createMemorySnapshotStore } from '../../../lib/snapshots/memory/memory-snapshot-store.js';
import { records } from '../../../lib/testing/conformance/log/scene.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { newName, openLog } from '../../support/kafka/log-kit.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { startTask, stopTask, type TaskWorld } from '../../support/task-world.js';
import { waitFor } from '../../support/wait-for.js';
import { readCounts } from '../../support/word-count-reader.js';

/** How soon a task has to notice, in milliseconds: far less than it waits for anything else. */
const SOON_MS = 20_000;

/** Records of these tests are years old: a broker would be right to delete them at any moment. */
const KEPT = { 'retention.ms': '-1' };

/** A look at the ids of topics every two seconds. */
const QUICK = { commitIntervalMs: 20, pollMs: 200, heartbeatIntervalMs: 500, sessionTimeoutMs: 2_000 };

let log: KafkaLog;

beforeAll(async () => {
  log = await openLog(inject('kafkaBrokers'));
});
afterAll(() => log.close());

interface Scene extends TaskWorld {
  readonly input: string;
  readonly output: string;
  readonly changelog: string;
}

/** An application of its own, with its topics. */
async function wordCount(): Promise<Scene> {
  const [applicationId, input, output] = [newName('again'), newName('lines'), newName('counts')];
  const builder = new StreamsBuilder();
  builder
    .stream(input, { key: string(), value: string() })
    .groupByKey()
    .count({ store: 'counts' })
    .toStream()
    .to(output);
  const settings = { ...QUICK, statestoreCacheMaxBytes: 0 };
  const app: StreamsApp = defineApp({ applicationId, topology: builder.build(), settings });
  for (const name of [input, output]) await log.createTopic({ name, partitions: 1, config: KEPT });
  for (const spec of internalTopicSpecs(app, resolvePartitions(app, new Map([[input, 1]]))))
    await log.createTopic(spec);
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const ports = {
    log,
    leases: createMemoryLeaseStore(),
    snapshots: createMemorySnapshotStore({ clock: host.clock }),
    invoker: createMemoryInvoker({ clock: host.clock, onFailure: () => undefined }),
    host,
  };
  const changelog = `${applicationId}-counts-changelog`;
  return { app, ports, events, partitions: 1, input, output, changelog };
}

async function createAgain(topic: string): Promise<void> {
  const { config = {}, partitions = 1 } = (await log.describeTopics([topic])).get(topic) ?? {};
  const policy = config['cleanup.policy'];
  await log.deleteTopic(topic);
  await log.createTopic({
    name: topic,
    partitions,
    config: policy === 'compact' ? { 'cleanup.policy': policy } : KEPT,
  });
}

const feed = ({ input }: Scene, ...words: readonly string[]) =>
  log.append({ topic: input, partition: 0 }, records(...words.map((word) => `${word}=${word}`)));

function untilCommitted({ app, input }: Scene, wanted: number): Promise<unknown> {
  const at = { topic: input, partition: 0 };
  return waitFor(`${wanted} to be committed`, async () => {
    const found = (await log.committedOffsets(app.applicationId, [at])).get(topicPartitionKey(at));
    return (found?.nextOffset ?? 0) >= wanted || undefined;
  });
}

/** The last count of each word. */
async function counts({ output }: Scene): Promise<Readonly<Record<string, number | undefined>>> {
  return Object.fromEntries([...(await readCounts(log, output, 1))].map(([word, seen]) => [word, seen.at(-1)]));
}

async function outcomeOf(task: Awaited<ReturnType<typeof startTask>>) {
  const { ended, error } = await task.outcome;
  return [ended, error?.code];
}

const setByHand = ({ app, input }: Scene, to: number) =>
  log.commitOffsets(
    app.applicationId,
    new Map([[topicPartitionKey({ topic: input, partition: 0 }), { nextOffset: offset(to), metadata: '' }]]),
  );

describe('a word count on a broker', () => {
  it(
    'stops when its input is created again and filled beyond its position; goes on from offsets set by hand (trap 25)',
    async () => {
      const scene = await wordCount();
      await feed(scene, 'a', 'b', 'a');
      const running = await startTask(scene);
      await untilCommitted(scene, 3);

      await createAgain(scene.input);
      await feed(scene, 'x', 'x', 'x', 'x', 'a', 'x');
      const noticed = await outcomeOf(running);
      const again = await outcomeOf(await startTask(scene));
      const before = await counts(scene);
      await setByHand(scene, 4);
      const last = await startTask(scene);
      await untilCommitted(scene, 6);
      await stopTask(last);

      expect([noticed, again]).toEqual(Array(2).fill(['failed', 'STREAMS_LOST_OFFSETS']));
      expect(before).toEqual({ a: 2, b: 1 });
      expect(await counts(scene)).toEqual({ a: 3, b: 1, x: 1 });
    },
    2 * SOON_MS,
  );

  it(
    'stops when its changelog is created again; counts anew once its offsets are set by hand (trap 25)',
    async () => {
      const scene = await wordCount();
      await feed(scene, 'a', 'b', 'a');
      const running = await startTask(scene);
      await untilCommitted(scene, 3);

      await createAgain(scene.changelog);
      const noticed = await outcomeOf(running);
      const again = await outcomeOf(await startTask(scene));
      await createAgain(scene.changelog);
      await setByHand(scene, 0);
      await feed(scene, 'b');
      const last = await startTask(scene);
      await untilCommitted(scene, 4);
      await stopTask(last);

      expect([noticed, again]).toEqual(Array(2).fill(['failed', 'STREAMS_LOST_STATE']));
      expect(await counts(scene)).toEqual({ a: 2, b: 2 });
    },
    2 * SOON_MS,
  );
});
