/** The word count on a broker of its own, with every member in a process of its own, and what can be done to them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import wordCount from '../../../examples/wordcount/word-count.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { defineApp } from '../../../lib/index.js';
import { LocalStreams, type Log, RecordSetBuilder } from '../../../lib/local/index.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { Settings } from '../../../lib/model/settings.js';
import { type KafkaCluster, startKafka } from '../kafka/kafka-cluster.js';
import { type LoggedEvent, listeningLogger } from '../listening-logger.js';
import { waitFor } from '../wait-for.js';
import { type ForkedMember, ForkedMembers } from './forked-members.js';

export const PARTITIONS = 4;
const CHUNK_LINES = 1_000;
const CAUGHT_UP_MS = 120_000;

const SETTINGS = {
  members: 3,
  statestoreCacheMaxBytes: 0,
  commitIntervalMs: 100,
  heartbeatIntervalMs: 500,
  sessionTimeoutMs: 8_000,
  tickIntervalMs: 200,
  idleTimeoutMs: 0,
};

export class WordCountProcesses {
  readonly kafka: KafkaCluster;
  readonly log: Log;
  /** What the system and its members log. */
  readonly events: readonly LoggedEvent[];
  private readonly streams: LocalStreams;
  private readonly members: ForkedMembers;

  private constructor(
    parts: Pick<WordCountProcesses, 'kafka' | 'log' | 'events'>,
    streams: LocalStreams,
    members: ForkedMembers,
  ) {
    this.kafka = parts.kafka;
    this.log = parts.log;
    this.events = parts.events;
    this.streams = streams;
    this.members = members;
  }

  /** @param cleanUps gets what has to be called at the end, in reverse order, also if the start fails half-way */
  static async start(
    processingGuarantee: Settings['processingGuarantee'],
    cleanUps: (() => Promise<unknown>)[],
  ): Promise<WordCountProcesses> {
    const settings = { ...SETTINGS, processingGuarantee };
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
    return new WordCountProcesses({ kafka, log, events }, streams, members);
  }

  async feed(lines: readonly string[]): Promise<void> {
    for (let from = 0; from < lines.length; from += CHUNK_LINES) {
      const builder = new RecordSetBuilder();
      for (const line of lines.slice(from, from + CHUNK_LINES)) builder.append(null, Buffer.from(line), Date.now());
      await this.log.append({ topic: 'lines', partition: (from / CHUNK_LINES) % PARTITIONS }, builder.build());
    }
  }

  untilCaughtUp(): Promise<unknown> {
    return waitFor('all to be counted', () => this.streams.isCaughtUp(), CAUGHT_UP_MS);
  }

  /** Kills a process that runs tasks, while another one does too. */
  async killOne(random: () => number): Promise<void> {
    const busy = await waitFor('processes to kill', async () => {
      const found = await this.busyMembers();
      return found.length >= 2 && found;
    });
    this.members.crash((busy[Math.floor(random() * busy.length)] ?? busy[0])?.memberId ?? 'member-1');
  }

  /** Stops a process between the records and the commit of a transaction. */
  stopInMidTransaction(): Promise<ForkedMember> {
    return waitFor('a process to stop in a commit', async () => {
      const [member] = await this.busyMembers();
      return member !== undefined && (await this.members.stopInCommit(member)) && member;
    });
  }

  untilRunByOthers(stopped: ForkedMember): Promise<unknown> {
    return waitFor('the tasks of the stopped process to be run by others', async () => this.isRunByOthers(stopped));
  }

  /** Lets a stopped process go on: the first thing that it does is to ask for the commit. @returns the event of its rejection */
  async continueIntoRejection(stopped: ForkedMember): Promise<LoggedEvent> {
    stopped.child.kill('SIGCONT');
    return waitFor('the rejection of its commit', async () =>
      this.events.find((line) => line.event === 'commit-rejected' && isOf(stopped, line)),
    );
  }

  /** Processes that have claimed their slot and run tasks. */
  private async busyMembers(): Promise<readonly ForkedMember[]> {
    const { members: slots } = await this.streams.state();
    return slots.flatMap(({ id, incarnation, tasks }) => {
      const member = this.members.of(id);
      return member?.incarnation === incarnation && tasks.length > 0 ? [member] : [];
    });
  }

  private isRunByOthers(stopped: ForkedMember): boolean {
    const takes = this.events.filter(({ event }) => event === 'task-taken');
    const lost = new Set(takes.filter((take) => isOf(stopped, take)).map(({ fields }) => fields.taskId));
    return [...lost].every((taskId) => {
      const last = takes.findLast(({ fields }) => fields.taskId === taskId);
      return last !== undefined && !isOf(stopped, last);
    });
  }
}

function isOf({ memberId, incarnation }: ForkedMember, { fields }: LoggedEvent): boolean {
  return fields.memberId === memberId && fields.incarnation === incarnation;
}
