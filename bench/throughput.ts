/**
 * Count by key on a broker, beside Kafka Streams: the same topology, input, guarantee, commit interval and no record cache on
 * either side, in turns (one first, then the other), on one broker. Both are checked: every key counts 1, 2, 3 …
 */
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Log } from '../lib/log/log.js';
import { topicPartitionKey } from '../lib/model/topic-partition.js';
import { toolsClassPath } from '../test/support/kafka/jars.js';
import { runJavaTool } from '../test/support/kafka/java-tool.js';
import { openLog } from '../test/support/kafka/log-kit.js';
import { withBroker } from './broker.js';
import { checkCounts } from './check-counts.js';
import { compilePrograms } from './compiled.js';
import { clearProfiles, profileArgs, writeProfileSummary } from './cpu-profile.js';
import { runSide, type Side, type SideRun } from './side.js';
import { median, type Spread, spread } from './spread.js';

const peers = fileURLToPath(new URL('peers', import.meta.url));
const say = (line: string) => process.stderr.write(`${line}\n`);

/** As a team would run it, and with the names of its options. */
const defaults = {
  pairs: '5',
  records: '1000000',
  keys: '100000',
  'value-bytes': '100',
  partitions: '4',
  'commit-interval-ms': '100',
  guarantee: 'exactly_once_v2',
  threads: '1',
};

type SideName = 'millrace' | 'kafkaStreams' | 'limit';

interface Scene {
  readonly log: Log;
  readonly brokers: readonly string[];
  readonly input: string;
  readonly partitions: number;
  readonly records: number;
}

/** `npm run bench -- throughput [--pairs N] … [--profile]`: the JSON line. */
export async function throughput(args: string[]): Promise<unknown> {
  const { values } = parseArgs({
    args,
    options: {
      ...(Object.fromEntries(
        Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }]),
      ) as {
        [K in keyof typeof defaults]: { type: 'string'; default: string };
      }),
      profile: { type: 'boolean', default: false },
    },
  });
  return withBroker(async (brokers) => {
    const log = await openLog(brokers);
    const scene: Scene = {
      log,
      brokers,
      input: 'bench-input',
      partitions: Number(values.partitions),
      records: Number(values.records),
    };
    if (values.profile) clearProfiles();
    say(`loading ${values.records} records`);
    const load = [scene.input, values.partitions, values.records, values.keys, values['value-bytes']];
    await runJavaTool('LoadInput', load, { brokers, folder: peers });

    const common = [values.records, values['commit-interval-ms'], values.guarantee];
    const classPath = await toolsClassPath(peers);
    const java = ['-Xmx2g', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath, 'KafkaStreamsCount'];
    const program = await compilePrograms();
    const sides: Record<SideName, (app: string) => Side> = {
      millrace: (app) => ({
        command: process.execPath,
        args: [
          ...(values.profile ? profileArgs : []),
          program('count-member.js'),
          ...[app, scene.input, outputOf(app), ...common, values.partitions],
        ],
      }),
      kafkaStreams: (app) => ({
        command: 'java',
        args: [...java, ...[app, scene.input, outputOf(app), ...common, values.threads]],
      }),
      limit: (app) => ({
        command: process.execPath,
        args: [
          program('raw-limit.js'),
          ...[app, scene.input, outputOf(app), changelogOf(app), values['commit-interval-ms']],
        ],
      }),
    };

    const runs: Record<SideName, SideRun[]> = { millrace: [], kafkaStreams: [], limit: [] };
    for (let pair = 1; pair <= Number(values.pairs); pair += 1) {
      const order: SideName[] = pair % 2 === 1 ? ['millrace', 'kafkaStreams'] : ['kafkaStreams', 'millrace'];
      for (const side of [...order, 'limit'] as const) {
        const app = `bench-${side}-${pair}`;
        const run = await runOnce(scene, app, sides[side](app), side);
        say(
          `pair ${pair}, ${side}: ${run.recordsPerS} records/s, from start ${run.recordsPerSFromStart}, ${run.peakRssMb} MB`,
        );
        runs[side].push(run);
      }
    }
    await log.close();
    if (values.profile) await writeProfileSummary(say);
    return { bench: 'throughput', settings: values, ...summary(runs), runs, machine: machine() };
  });
}

const outputOf = (app: string) => `${app}-output`;
const changelogOf = (app: string) => `${app}-counts-changelog`;

async function runOnce(scene: Scene, app: string, side: Side, name: SideName): Promise<SideRun> {
  const { log, brokers, input, partitions, records } = scene;
  const topics = name === 'limit' ? [outputOf(app), changelogOf(app)] : [outputOf(app)];
  for (const topic of topics) await log.createTopic({ name: topic, partitions, config: {} });
  const inputs = Array.from({ length: partitions }, (_, partition) => ({ topic: input, partition }));
  const ends = await log.listOffsets(inputs, 'highWatermark');

  const run = await runSide(side, brokers, async () => {
    const committed = await log.committedOffsets(app, inputs);
    return inputs.map(topicPartitionKey).every((key) => (committed.get(key)?.nextOffset ?? 0) >= (ends.get(key) ?? 0));
  });

  if (run.records !== records) throw new Error(`${app} processed ${run.records} of ${records} records`);
  if (name !== 'limit') await checkCounts(log, outputOf(app), partitions, records);
  // Gone before the next side runs: what the broker still does with them would be on its time.
  for (const topic of await log.listTopics()) if (topic.startsWith(`${app}-`)) await log.deleteTopic(topic);
  return run;
}

function summary(runs: Record<SideName, readonly SideRun[]>) {
  const ratio = (of: (run: SideRun) => number, to: SideName): Spread =>
    spread(runs.millrace.map((run, index) => of(run) / of(runs[to][index] as SideRun)));
  const perS = ({ recordsPerS }: SideRun) => recordsPerS;
  const perSFromStart = ({ recordsPerSFromStart }: SideRun) => recordsPerSFromStart;
  const ratios = {
    countVsKafkaStreams: ratio(perS, 'kafkaStreams'),
    countVsKafkaStreamsFromStart: ratio(perSFromStart, 'kafkaStreams'),
    countVsLimit: ratio(perS, 'limit'),
  };
  const each = (of: (run: SideRun) => number) => ({
    millrace: median(runs.millrace.map(of)),
    kafkaStreams: median(runs.kafkaStreams.map(of)),
    limit: median(runs.limit.map(of)),
  });
  return {
    ratios: Object.fromEntries(Object.entries(ratios).map(([name, { median }]) => [name, median])),
    ratioRanges: Object.fromEntries(Object.entries(ratios).map(([name, { min, max }]) => [name, [min, max]])),
    recordsPerS: each(perS),
    recordsPerSFromStart: each(perSFromStart),
    peakRssMb: each(({ peakRssMb }) => peakRssMb),
  };
}

const machine = () => ({ cpus: availableParallelism(), node: process.version, load: loadavg() });
