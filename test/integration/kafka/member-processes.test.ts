/**
 * Word count on a real broker with every member in a process of its own: killed, stopped and continued, and the broker killed
 * under them. The counts are read by the Java client.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import wordCount from '../../../functions/app.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp } from '../../../lib/index.js';
import { LocalStreams, type Log, RecordSetBuilder } from '../../../lib/local/index.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import { runJavaTool } from '../../support/kafka/java-tool.js';
import { startKafka } from '../../support/kafka/kafka-cluster.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { ForkedMembers } from '../../support/processes/forked-members.js';
import { seededRandom, textOfWords } from '../../support/text-of-words.js';
import { sleep, waitFor } from '../../support/wait-for.js';

const LINES = 200_000;
const PARTITIONS = 4;
const SEED = 4_101;
const CHUNK_LINES = 1_000;
const CAUGHT_UP_MS = 120_000;

const settings = {
  members: 3,
  statestoreCacheMaxBytes: 0,
  heartbeatIntervalMs: 500,
  sessionTimeoutMs: 8_000,
  tickIntervalMs: 200,
  idleTimeoutMs: 0,
};

const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

it('counts are exactly 1 to n over killed, stopped and continued processes and a killed broker', async () => {
  const random = seededRandom(SEED);
  const text = textOfWords(LINES, SEED);
  const { kafka, log, streams, members, events } = await start();
  const feeding = feed(log, text.lines);
  cleanUps.push(() => feeding.catch(() => undefined));

  for (let kills = 0; kills < 3; kills += 1) {
    await sleep(500 + random() * 1_500);
    await killOne(streams, members, random);
  }
  const stopped = await stopInMidTransaction(streams, members);
  await waitFor('the tasks of the stopped process to be run by others', async () => isRunByOthers(events, stopped));
  await feeding;
  await waitFor('all to be counted while it is stopped', () => streams.isCaughtUp(), CAUGHT_UP_MS);
  stopped.child.kill('SIGCONT');
  const rejection = await waitFor('the rejection of its commit', async () =>
    events.find(
      ({ event, fields }) =>
        event === 'commit-rejected' &&
        fields.memberId === stopped.memberId &&
        fields.incarnation === stopped.incarnation,
    ),
  );
  const more = feed(log, text.lines);
  await sleep(300);
  await kafka.kill(1);
  await kafka.restart(1);
  await more;
  await waitFor('all to be counted', () => streams.isCaughtUp(), CAUGHT_UP_MS);

  const seen = await runJavaTool('CheckCounts', ['counts'], { brokers: kafka.brokers });
  const wanted = [...text.counts].map(([word, count]) => `${word} ${2 * count}`);
  expect(seen.trim().split('\n').sort()).toEqual(wanted.sort());
  expect(rejection.fields.code).toBe('STREAMS_PRODUCER_FENCED');
}, 400_000);

async function start() {
  const kafka = await startKafka({ brokers: 1 });
  cleanUps.push(() => kafka.stop());
  const snapshotFolder = await mkdtemp(join(tmpdir(), 'millrace-snapshots-'));
  cleanUps.push(() => rm(snapshotFolder, { recursive: true, force: true }));
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createKafkaLog({ brokers: [...kafka.brokers], host });
  cleanUps.push(() => log.close());
  let members: ForkedMembers | undefined;
  const streams = await LocalStreams.start({
    app: defineApp({ applicationId: wordCount.applicationId, topology: wordCount.topology, settings }),
    host,
    log,
    topics: ['lines', 'counts'].map((name) => ({ name, partitions: PARTITIONS, config: {} })),
    processes: (init) => {
      members = new ForkedMembers({ brokers: kafka.brokers, snapshotFolder, events, settings }, init);
      return members;
    },
  });
  cleanUps.push(() => streams.close());
  if (members === undefined) throw new Error('the members were not made');
  return { kafka, log, streams, members, events };
}

async function feed(log: Log, lines: readonly string[]): Promise<void> {
  for (let from = 0; from < lines.length; from += CHUNK_LINES) {
    const builder = new RecordSetBuilder();
    for (const line of lines.slice(from, from + CHUNK_LINES)) builder.append(null, Buffer.from(line), Date.now());
    await log.append({ topic: 'lines', partition: (from / CHUNK_LINES) % PARTITIONS }, builder.build());
  }
}

/** Processes that have claimed their slot and run tasks. */
async function busyMembers(streams: LocalStreams, members: ForkedMembers) {
  const { members: slots } = await streams.state();
  return slots.flatMap(({ id, incarnation, tasks }) => {
    const member = members.of(id);
    return member?.incarnation === incarnation && tasks.length > 0 ? [member] : [];
  });
}

async function killOne(streams: LocalStreams, members: ForkedMembers, random: () => number): Promise<void> {
  const busy = await waitFor('processes to kill', async () => {
    const found = await busyMembers(streams, members);
    return found.length >= 2 && found;
  });
  members.crash((busy[Math.floor(random() * busy.length)] ?? busy[0])?.memberId ?? 'member-1');
}

async function stopInMidTransaction(streams: LocalStreams, members: ForkedMembers) {
  return waitFor('a process to stop in a commit', async () => {
    const [member] = await busyMembers(streams, members);
    return member !== undefined && (await members.stopInCommit(member)) && member;
  });
}

function isRunByOthers(
  events: readonly LoggedEvent[],
  stopped: { readonly memberId: string; readonly incarnation: number },
) {
  const isStopped = ({ fields }: LoggedEvent) =>
    fields.memberId === stopped.memberId && fields.incarnation === stopped.incarnation;
  const takes = events.filter(({ event }) => event === 'task-taken');
  const lost = new Set(takes.filter(isStopped).map(({ fields }) => fields.taskId));
  return [...lost].every((taskId) => {
    const last = takes.filter(({ fields }) => fields.taskId === taskId).at(-1);
    return last !== undefined && !isStopped(last);
  });
}
