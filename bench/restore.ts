/**
 * How long a state takes to be there again, by its size: Kafka Streams from an empty disk, our replay of the whole changelog, our snapshot
 * and its tail into memory, and our lazy store, which lies in the snapshot. All on one broker, in turns; what each has read is checked.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createJsonLinesLogger } from '../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../lib/host/node/node-host.js';
import type { Log } from '../lib/log/log.js';
import { offset } from '../lib/model/offset.js';
import { RecordSetBuilder } from '../lib/model/record-set-builder.js';
import { taskId } from '../lib/model/task-id.js';
import { topicPartitionKey } from '../lib/model/topic-partition.js';
import { advanceSnapshot } from '../lib/runtime/advance-snapshot.js';
import { createFolderSnapshotStore } from '../lib/snapshots/folder/folder-snapshot-store.js';
import { toolsClassPath } from '../test/support/kafka/jars.js';
import { runJavaTool } from '../test/support/kafka/java-tool.js';
import { openLog } from '../test/support/kafka/log-kit.js';
import { withBroker } from './broker.js';
import { compilePrograms } from './compiled.js';
import { restoreApp, STORE } from './restore-app.js';
import { type RestoreRun, runRestore } from './restore-side.js';
import type { Side } from './side.js';
import { median } from './spread.js';

const peers = fileURLToPath(new URL('peers', import.meta.url));
const say = (line: string) => process.stderr.write(`${line}\n`);

const defaults = {
  pairs: '2',
  /** Sizes of the state, the smallest first. */
  keys: '200000,2000000',
  'value-bytes': '100',
  partitions: '4',
  /** Of the keys, how many were written again since the snapshot. */
  'tail-percent': '1',
  threads: '1',
};

/** Largest time for a Java program that fills a topic. */
const LOAD_TIMEOUT_MS = 600_000;
const SIDES = ['kafkaStreams', 'replay', 'resident', 'lazy'] as const;
type SideName = (typeof SIDES)[number];
type Runs = Record<SideName, RestoreRun[]>;

interface Scene {
  readonly log: Log;
  readonly brokers: readonly string[];
  readonly partitions: number;
  readonly keys: number;
  /** Of the changelog. */
  readonly records: number;
  readonly applicationId: string;
  readonly input: string;
  /** With the snapshots. */
  readonly folder: string;
}

/** `npm run bench -- restore [--keys N,M] [--pairs N] …`: the JSON line. */
export async function restore(args: string[]): Promise<unknown> {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }]),
  ) as { [K in keyof typeof defaults]: { type: 'string'; default: string } };
  const { values } = parseArgs({ args, options });
  const classPath = await toolsClassPath(peers);
  const program = await compilePrograms();
  const sizes = values.keys.split(',').map(Number);
  return withBroker(async (brokers) => {
    const log = await openLog(brokers);
    const bySize: { readonly keys: number; readonly records: number; readonly runs: Runs }[] = [];
    for (const keys of sizes) {
      const scene = await prepare(log, brokers, keys, values);
      const runs: Runs = { kafkaStreams: [], replay: [], resident: [], lazy: [] };
      try {
        for (let pair = 1; pair <= Number(values.pairs); pair += 1) {
          for (const name of pair % 2 === 1 ? SIDES : [...SIDES].reverse()) {
            const run = await runOnce(scene, name, { classPath, program, threads: values.threads });
            say(`${keys} keys, pair ${pair}, ${name}: ${JSON.stringify(run)}`);
            runs[name].push(run);
          }
        }
      } finally {
        await rm(scene.folder, { recursive: true, force: true });
      }
      for (const topic of await log.listTopics())
        if (topic.startsWith(scene.applicationId)) await log.deleteTopic(topic);
      bySize.push({ keys, records: scene.records, runs });
    }
    await log.close();
    const machine = { cpus: availableParallelism(), node: process.version, load: loadavg() };
    return { bench: 'restore', settings: values, ...summary(bySize), machine };
  });
}

/** Fills the changelog, writes the snapshots as a standby does, and fills on: the tail. */
async function prepare(
  log: Log,
  brokers: readonly string[],
  keys: number,
  values: Readonly<typeof defaults>,
): Promise<Scene> {
  const partitions = Number(values.partitions);
  const tail = Math.round((keys * Number(values['tail-percent'])) / 100);
  const applicationId = `bench-restore-${keys}`;
  const input = `${applicationId}-input`;
  const changelog = `${applicationId}-${STORE}-changelog`;
  const folder = await mkdtemp(join(tmpdir(), 'millrace-restore-'));
  await log.createTopic({ name: input, partitions, config: {} });
  await log.createTopic({ name: changelog, partitions, config: { 'cleanup.policy': 'compact' } });
  const load = (again: number) =>
    runJavaTool('LoadState', [changelog, String(keys), values['value-bytes'], String(again)], {
      brokers,
      folder: peers,
      timeoutMs: LOAD_TIMEOUT_MS,
    });
  say(`${keys} keys: loading`);
  await load(0);
  const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'error' }) });
  const app = restoreApp({ applicationId, input, tasks: partitions, storeMode: 'resident' });
  const snapshots = createFolderSnapshotStore(join(folder, 'snapshots'));
  for (let partition = 0; partition < partitions; partition += 1) {
    await advanceSnapshot({
      app,
      ports: { log, snapshots, host },
      logger: host.logger,
      taskId: taskId(0, partition),
      changelog: { store: STORE, topic: changelog, partition, internal: true },
    });
  }
  await load(tail);
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic: changelog, partition }));
  const ends = await log.listOffsets(all, 'highWatermark');
  const records = [...ends.values()].reduce((sum: number, end) => sum + end, 0);
  const inputs = all.map(({ partition }) => topicPartitionKey({ topic: input, partition }));
  await log.commitOffsets(applicationId, new Map(inputs.map((key) => [key, { nextOffset: offset(0), metadata: '' }])));
  say(`${keys} keys: ${records} records in the changelog, ${tail} of them after the snapshot`);
  return { log, brokers, partitions, keys, records, applicationId, input, folder };
}

interface Programs {
  readonly classPath: string;
  readonly program: (name: string) => string;
  readonly threads: string;
}

async function runOnce(scene: Scene, name: SideName, programs: Programs): Promise<RestoreRun> {
  const { log, brokers, partitions, applicationId, input, folder } = scene;
  // One record for each task, of a key that its store has: its commit shows that the task is at work.
  const ends = new Map<number, number>();
  for (const [partition, key] of (await keysByPartition(scene)).entries()) {
    const builder = new RecordSetBuilder();
    builder.append(Buffer.from(key), Buffer.from('woken'), Date.now(), []);
    ends.set(partition, (await log.append({ topic: input, partition }, builder.build())) + 1);
  }
  const own = await mkdtemp(join(tmpdir(), 'millrace-restore-run-'));
  try {
    if (name === 'resident' || name === 'lazy') await cp(folder, own, { recursive: true });
    const inputs = Array.from({ length: partitions }, (_, partition) => ({ topic: input, partition }));
    return checked(
      scene,
      name,
      await runRestore(sideOf(scene, name, own, programs), {
        brokers,
        stores: partitions,
        isCommitted: async () => {
          const committed = await log.committedOffsets(applicationId, inputs);
          return inputs.every(
            (at) => (committed.get(topicPartitionKey(at))?.nextOffset ?? 0) >= (ends.get(at.partition) ?? 0),
          );
        },
      }),
    );
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

function sideOf(
  { applicationId, input, partitions }: Scene,
  name: SideName,
  folder: string,
  { classPath, program, threads }: Programs,
): Side {
  if (name === 'kafkaStreams') {
    const java = ['-Xmx2g', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath, 'KafkaStreamsRestore'];
    return { command: 'java', args: [...java, applicationId, input, threads] };
  }
  const mode = name === 'lazy' ? 'lazy' : 'resident';
  return {
    command: process.execPath,
    args: [program('restore-member.js'), applicationId, input, String(partitions), mode, folder],
  };
}

/** A side that is fast and has read something else is not fast. */
function checked({ keys, records }: Scene, name: SideName, run: RestoreRun): RestoreRun {
  const { records: replayed = 0, entries = 0, tail = 0 } = run.read;
  const isRight = {
    kafkaStreams: replayed >= records,
    replay: entries === 0 && tail >= records,
    resident: entries === keys && tail > 0 && tail < records / 2,
    lazy: entries === 0 && tail > 0 && tail < records / 2,
  }[name];
  if (!isRight) throw new Error(`${name}, ${keys} keys: read ${JSON.stringify(run.read)}`);
  return run;
}

/** A key of each partition, as its changelog begins with it. */
async function keysByPartition({ log, partitions, applicationId }: Scene): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let partition = 0; partition < partitions; partition += 1) {
    const at = { topic: `${applicationId}-${STORE}-changelog`, partition };
    const options = { isolation: 'readCommitted', maxWaitMs: 1_000, maxBytes: 64 * 1024 } as const;
    const [fetched] = await log.fetch([{ ...at, fromOffset: offset(0) }], options);
    const key = fetched?.records.key(0);
    if (key === null || key === undefined) throw new Error(`nothing came of ${topicPartitionKey(at)}`);
    keys.push(Buffer.from(key).toString());
  }
  return keys;
}

function summary(sizes: readonly { readonly keys: number; readonly records: number; readonly runs: Runs }[]) {
  const bySize = sizes.map(({ keys, records, runs }) => {
    const each = (of: (run: RestoreRun) => number) =>
      Object.fromEntries(SIDES.map((name) => [name, median(runs[name].map(of))])) as Record<SideName, number>;
    const restoreMs = each((run) => run.restoreMs);
    return {
      keys,
      /** Of the changelog: what was restored, read record by record or not. */
      records,
      recordsPerS: each((run) => Math.round((1_000 * records) / Math.max(1, run.restoreMs))),
      restoreMs,
      startToCommittedMs: each((run) => run.startToCommittedMs),
      peakRssMb: each((run) => run.peakRssMb),
    };
  });
  const [small, large] = [bySize[0], bySize.at(-1)];
  if (small === undefined || large === undefined) throw new Error('no size was asked for');
  const ratio = (a: number, b: number) => Math.round((100 * a) / b) / 100;
  return {
    ratios: {
      residentVsKafkaStreams: ratio(large.recordsPerS.resident, large.recordsPerS.kafkaStreams),
      replayVsKafkaStreams: ratio(large.recordsPerS.replay, large.recordsPerS.kafkaStreams),
      lazyLargeVsSmall: ratio(large.startToCommittedMs.lazy, small.startToCommittedMs.lazy),
    },
    sizes: bySize,
  };
}
