/**
 * How long a killed process's tasks stand still, beside Kafka Streams: two processes with a hot standby of each task of the other,
 * under an even load; one is killed, in turns on either side, on one broker. The reader of the output and the load are one
 * program for all sides; every key is checked to count 1, 2, 3 … .
 */
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toolsClassPath } from '../test/support/kafka/jars.js';
import { openLog } from '../test/support/kafka/log-kit.js';
import type { MemberProgram } from '../test/support/processes/forked-members.js';
import { LiveFeed } from '../test/support/processes/live-feed.js';
import { OutputWatch } from '../test/support/processes/output-watch.js';
import { ProcessCluster } from '../test/support/processes/process-cluster.js';
import { sleep, waitFor } from '../test/support/wait-for.js';
import { withBroker } from './broker.js';
import { compilePrograms } from './compiled.js';
import { KafkaStreamsCluster } from './kafka-streams-cluster.js';
import { median, type Spread, spread } from './spread.js';

const peers = fileURLToPath(new URL('peers', import.meta.url));
const say = (line: string) => process.stderr.write(`${line}\n`);

const MEMBERS = 2;
const COMMIT_INTERVAL_MS = 100;
/** Bytes of the values that fill the state. */
const STATE_VALUE_BYTES = 100;
/** How long all work undisturbed before the kill. */
const UNDISTURBED_MS = 3_000;
const RESUMED_WITHIN_MS = 120_000;

const defaults = {
  pairs: '3',
  partitions: '4',
  'state-keys': '200000',
  /** Records a second, over all partitions. */
  rate: '400',
  'session-timeout-ms': '6000',
  'heartbeat-interval-ms': '2000',
};

/** With a failure event · found by the session time-out alone · Kafka Streams, which knows only that. */
const SIDES = ['failureEvent', 'sessionTimeout', 'kafkaStreams'] as const;
type SideName = (typeof SIDES)[number];

interface Run {
  /** From the kill to the moment at which the reader had seen new counts of every task of the killed process. */
  readonly killToResumedMs: number;
  /** The same from the moment at which the death was known: declared by the scheduler, or a rebalance heard of. */
  readonly detectedToResumedMs: number;
}

interface Scene {
  readonly brokers: readonly string[];
  readonly partitions: number;
  readonly stateKeys: number;
  readonly rate: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly program: MemberProgram;
  readonly classPath: string;
}

/** `npm run bench -- failover [--pairs N] …`: the JSON line. */
export async function failover(args: string[]): Promise<unknown> {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }]),
  ) as { [K in keyof typeof defaults]: { type: 'string'; default: string } };
  const { values } = parseArgs({ args, options });
  const program = await compilePrograms();
  const classPath = await toolsClassPath(peers);
  return withBroker(async (brokers) => {
    const scene: Scene = {
      brokers,
      partitions: Number(values.partitions),
      stateKeys: Number(values['state-keys']),
      rate: Number(values.rate),
      sessionTimeoutMs: Number(values['session-timeout-ms']),
      heartbeatIntervalMs: Number(values['heartbeat-interval-ms']),
      program: { path: program('../test/support/processes/member-process.js'), execArgv: [] },
      classPath,
    };
    const runs: Record<SideName, Run[]> = { failureEvent: [], sessionTimeout: [], kafkaStreams: [] };
    for (let pair = 1; pair <= Number(values.pairs); pair += 1) {
      for (const side of pair % 2 === 1 ? SIDES : [...SIDES].reverse()) {
        const run = await runOnce(scene, side, `failover-${side.toLowerCase()}-${pair}`);
        say(
          `pair ${pair}, ${side}: ${run.killToResumedMs} ms from the kill, ${run.detectedToResumedMs} ms from detection`,
        );
        runs[side].push(run);
      }
    }
    const machine = { cpus: availableParallelism(), node: process.version, load: loadavg() };
    return { bench: 'failover', settings: values, ...summary(runs), runs, machine };
  });
}

async function runOnce(scene: Scene, side: SideName, app: string): Promise<Run> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    return side === 'kafkaStreams'
      ? await runKafkaStreams(scene, app, cleanUps)
      : await runMillrace(scene, app, side === 'failureEvent', cleanUps);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
    await deleteTopics(scene.brokers, app);
  }
}

async function runMillrace(
  scene: Scene,
  app: string,
  reportsDeaths: boolean,
  cleanUps: (() => Promise<unknown>)[],
): Promise<Run> {
  const { brokers, partitions, stateKeys, rate, sessionTimeoutMs, heartbeatIntervalMs, program } = scene;
  const cluster = await ProcessCluster.start(
    {
      applicationId: app,
      brokers,
      partitions,
      ratePerPartition: rate / partitions,
      stateKeys,
      program,
      reportsDeaths,
      settings: {
        members: MEMBERS,
        numStandbyReplicas: 1,
        standbyKind: 'hot',
        sessionTimeoutMs,
        heartbeatIntervalMs,
        commitIntervalMs: COMMIT_INTERVAL_MS,
      },
    },
    cleanUps,
  );
  await cluster.untilAtWork();
  await sleep(UNDISTURBED_MS);

  const killed = await cluster.killBusiest();
  const resumedAtMs = await cluster.untilResumed(killed);

  refuseWrong(app, await cluster.finish());
  const detectedAtMs = cluster.deathOf(killed).atMs;
  return { killToResumedMs: resumedAtMs - killed.atMs, detectedToResumedMs: resumedAtMs - detectedAtMs };
}

async function runKafkaStreams(scene: Scene, app: string, cleanUps: (() => Promise<unknown>)[]): Promise<Run> {
  const { brokers, partitions, rate, stateKeys, sessionTimeoutMs, heartbeatIntervalMs, classPath } = scene;
  const open = async () => {
    const log = await openLog(brokers);
    cleanUps.push(() => log.close());
    return log;
  };
  const log = await open();
  const [input, output] = [`${app}-events`, `${app}-totals`];
  for (const name of [input, output]) await log.createTopic({ name, partitions, config: {} });
  const feed = new LiveFeed({ log, topic: input, partitions, ratePerPartition: rate / partitions });
  const watch = new OutputWatch(await open(), output, partitions);
  cleanUps.push(() => watch.stop());
  const times = { sessionTimeoutMs, heartbeatIntervalMs, commitIntervalMs: COMMIT_INTERVAL_MS };
  const cluster = await KafkaStreamsCluster.start(
    { applicationId: app, brokers, classPath, input, output, members: MEMBERS, partitions, standbys: 1, ...times },
    cleanUps,
  );
  // Both are up with half of the tasks each before there is state: who joins later would be given warm-ups first.
  await cluster.untilSettled();
  await feed.load(stateKeys, STATE_VALUE_BYTES);
  await waitFor('the state to be counted', async () => watch.keys >= stateKeys, RESUMED_WITHIN_MS);
  feed.start();
  cleanUps.push(() => feed.stop());
  await sleep(UNDISTURBED_MS);
  await cluster.untilSettled();

  const killed = cluster.kill();
  const firsts = () => killed.partitions.flatMap((partition) => watch.firstOf(partition, killed.atMs) ?? []);
  await waitFor('the tasks to resume', async () => firsts().length === killed.partitions.length, RESUMED_WITHIN_MS);
  const resumedAtMs = Math.max(...firsts());

  await feed.stop();
  refuseWrong(app, await watch.compare(feed.sent));
  const detectedAtMs = cluster.detectedAfter(killed.atMs);
  return { killToResumedMs: resumedAtMs - killed.atMs, detectedToResumedMs: resumedAtMs - detectedAtMs };
}

/** A side that is fast and wrong is not fast. */
function refuseWrong(app: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(`${app}: ${wrong.length} counts are wrong, such as ${wrong[0]}`);
}

/** Gone before the next side runs: what the broker still does with them would be on its time. */
async function deleteTopics(brokers: readonly string[], app: string): Promise<void> {
  const log = await openLog(brokers);
  for (const topic of await log.listTopics()) if (topic.startsWith(`${app}-`)) await log.deleteTopic(topic);
  await log.close();
}

function summary(runs: Record<SideName, readonly Run[]>) {
  const each = (of: (run: Run) => number): Record<SideName, Spread> => ({
    failureEvent: spread(runs.failureEvent.map(of)),
    sessionTimeout: spread(runs.sessionTimeout.map(of)),
    kafkaStreams: spread(runs.kafkaStreams.map(of)),
  });
  const ratio = (side: SideName, of: (run: Run) => number): number =>
    median(runs[side].map((run, index) => of(runs.kafkaStreams[index] as Run) / of(run)));
  const killed = ({ killToResumedMs }: Run) => killToResumedMs;
  const detected = ({ detectedToResumedMs }: Run) => detectedToResumedMs;
  return {
    ratios: {
      kafkaStreamsVsFailureEvent: ratio('failureEvent', killed),
      kafkaStreamsVsSessionTimeout: ratio('sessionTimeout', killed),
      kafkaStreamsVsSessionTimeoutFromDetection: ratio('sessionTimeout', detected),
    },
    killToResumedMs: each(killed),
    detectedToResumedMs: each(detected),
  };
}
