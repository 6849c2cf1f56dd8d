/**
 * An application that counts by key on a broker, with every member in a process of its own, under an even load, watched by a
 * read-committed reader of its output: to kill, to grow and to renew its members, and to time what users would notice.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJsonLinesLogger } from '../../../lib/host/node/json-lines-logger.js';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import type { LeaseStore } from '../../../lib/leases/lease-store.js';
import type { Lease, MemberAssignment, MemberId, Plan } from '../../../lib/leases/records.js';
import { LocalStreams, type Log } from '../../../lib/local/index.js';
import { createKafkaLog } from '../../../lib/log/kafka/kafka-log.js';
import type { SettingsInput } from '../../../lib/model/settings.js';
import type { TaskId } from '../../../lib/model/task-id.js';
import { newName } from '../kafka/log-kit.js';
import type { LoggedEvent } from '../listening-logger.js';
import { waitFor } from '../wait-for.js';
import { eventOf, ForkedMembers, type ForkedMembersOptions } from './forked-members.js';
import { LiveFeed } from './live-feed.js';
import { OutputWatch } from './output-watch.js';
import { keyedCountTopics, processApp } from './process-apps.js';
import { atMsOf } from './timings.js';

const SETTLED_WITHIN_MS = 90_000;
/** A task is at work if something of it was seen so recently. */
const AT_WORK_MS = 500;
/** What a copy may lack under load and still count as current. */
const NEARLY_RECORDS = 1_000;

const SETTINGS: SettingsInput = {
  statestoreCacheMaxBytes: 0,
  commitIntervalMs: 100,
  idleTimeoutMs: 0,
};

export interface ProcessClusterOptions
  extends Pick<ForkedMembersOptions, 'brokers' | 'program' | 'tables' | 'lifetimeMs' | 'reportsDeaths'> {
  /** Over those of this file. */
  readonly settings: SettingsInput;
  readonly partitions: number;
  /** Records a second to each partition. */
  readonly ratePerPartition: number;
  /** Keys that are there before the load begins, each once. Default: none. */
  readonly stateKeys?: number;
  /** What the members reach by `tables`; both or none. */
  readonly leases?: LeaseStore;
  /** Default: a new one. */
  readonly applicationId?: string;
}

/** A member that was killed. */
export interface Killed {
  readonly memberId: MemberId;
  readonly incarnation: number;
  readonly atMs: number;
  /** Partitions of the tasks that it ran. */
  readonly partitions: readonly number[];
}

export class ProcessCluster {
  readonly feed: LiveFeed;
  readonly output: OutputWatch;
  /** What the system and its members log, each with `at`. */
  readonly events: readonly LoggedEvent[];
  readonly streams: LocalStreams;
  private readonly members: ForkedMembers;
  private readonly leases: LeaseStore;
  private readonly partitions: number;

  private constructor(
    parts: Pick<ProcessCluster, 'feed' | 'output' | 'events' | 'streams'> & {
      readonly members: ForkedMembers;
      readonly leases: LeaseStore;
      readonly partitions: number;
    },
  ) {
    this.feed = parts.feed;
    this.output = parts.output;
    this.events = parts.events;
    this.streams = parts.streams;
    this.members = parts.members;
    this.leases = parts.leases;
    this.partitions = parts.partitions;
  }

  /** @param cleanUps gets what has to be called at the end, in reverse order, also if the start fails half-way */
  static async start(options: ProcessClusterOptions, cleanUps: (() => Promise<unknown>)[]): Promise<ProcessCluster> {
    const { brokers, partitions, ratePerPartition, leases } = options;
    const applicationId = options.applicationId ?? newName('cluster');
    const settings = { ...SETTINGS, ...options.settings };
    const dir = await mkdtemp(join(tmpdir(), 'millrace-cluster-'));
    cleanUps.push(() => rm(dir, { recursive: true, force: true }));
    const events: LoggedEvent[] = [];
    const logger = createJsonLinesLogger({ sink: { write: (line) => events.push(eventOf(line)) } });
    const host = createNodeHost({ logger });
    const open = async (): Promise<Log> => {
      const log = await createKafkaLog({ brokers: [...brokers], host });
      cleanUps.push(() => log.close());
      return log;
    };
    const log = await open();
    const { input, output } = keyedCountTopics(applicationId);
    for (const name of [input, output]) await log.createTopic({ name, partitions, config: {} });
    const feed = new LiveFeed({ log: await open(), topic: input, partitions, ratePerPartition });
    await feed.load(options.stateKeys ?? 0, 100);
    const watch = new OutputWatch(await open(), output, partitions);
    cleanUps.push(() => watch.stop());
    let made: { readonly members: ForkedMembers; readonly leases: LeaseStore } | undefined;
    const streams = await LocalStreams.start({
      app: processApp('keyed-count', applicationId, settings),
      host,
      log,
      dir,
      ...(leases === undefined ? {} : { leases }),
      processes: (init) => {
        const snapshotFolder = join(dir, 'snapshots');
        const members = new ForkedMembers(
          { ...options, topology: 'keyed-count', snapshotFolder, events, settings },
          init,
        );
        made = { members, leases: init.portsOf({ memberId: 'member-1', incarnation: 0 }).leases };
        return members;
      },
    });
    cleanUps.push(() => streams.close());
    if (made === undefined) throw new Error('the members were not made');
    cleanUps.push(() => feed.stop());
    return new ProcessCluster({ feed, output: watch, events, streams, partitions, ...made });
  }

  /** Begins the load, and waits until every task works under it, and every copy that the plan lists is current. */
  async untilAtWork(): Promise<void> {
    this.feed.start();
    await waitFor('all tasks to work', () => this.isAtWork(), SETTLED_WITHIN_MS);
  }

  /** Changes the number of members, and waits until each has its share of the tasks, and all work. */
  async growTo(members: number): Promise<void> {
    await this.streams.setMembers(members);
    const least = Math.floor(this.partitions / members);
    const isSettled = async () => {
      const shares = Object.values((await this.plan()).assignment);
      return (
        shares.length === members && shares.every(({ active }) => active.length >= least) && (await this.isAtWork())
      );
    };
    await waitFor(`all to be settled on ${members} members`, isSettled, SETTLED_WITHIN_MS);
  }

  /** Waits until every slot is run by a process of this incarnation or a later one, and all work. */
  async untilRenewed(incarnation: number): Promise<void> {
    const isRenewed = async () => {
      const { members } = await this.streams.state();
      if (!members.every((one) => one.incarnation >= incarnation && one.status === 'claimed')) return false;
      // A slot is its successor's before the tasks are: the process before works on for a while.
      const leases = await this.leases.listLeases();
      return leases.every(({ owner }) => (owner?.incarnation ?? 0) >= incarnation) && (await this.isAtWork());
    };
    await waitFor('all slots to be renewed', isRenewed, SETTLED_WITHIN_MS);
  }

  async plan(): Promise<Plan> {
    const plan = await this.leases.readPlan();
    if (plan === null) throw new Error('there is no plan yet');
    return plan;
  }

  /** Kills the process (SIGKILL) that runs most tasks. */
  async killBusiest(): Promise<Killed> {
    const { members: slots } = await this.streams.state();
    const [busiest] = [...slots].sort((a, b) => b.tasks.length - a.tasks.length);
    const member = busiest === undefined ? undefined : this.members.of(busiest.id);
    const pid = member?.child.pid;
    if (busiest === undefined || member === undefined || pid === undefined) throw new Error('no process runs tasks');
    const partitions = busiest.tasks.map(partitionOf);
    const atMs = Date.now();
    process.kill(pid, 'SIGKILL');
    return { memberId: busiest.id, incarnation: member.incarnation, atMs, partitions };
  }

  /** Waits until the output shows that every task of a killed member is at work again. @returns the wall clock of the last */
  async untilResumed({ partitions, atMs }: Killed): Promise<number> {
    const firsts = () => partitions.flatMap((partition) => this.output.firstOf(partition, atMs) ?? []);
    await waitFor('the tasks to be taken over', async () => firsts().length === partitions.length, SETTLED_WITHIN_MS);
    return Math.max(...firsts());
  }

  /** When the scheduler had decided upon a death; and because of what. */
  deathOf({ memberId, incarnation }: Killed): { readonly atMs: number; readonly because: unknown } {
    const death = this.events.find(
      ({ event, fields }) =>
        event === 'member-declared-dead' && fields.memberId === memberId && fields.incarnation === incarnation,
    );
    if (death === undefined) throw new Error(`${memberId} was not declared dead`);
    return { atMs: atMsOf(death.fields), because: death.fields.because };
  }

  /** The lines that say how the tasks of a killed member came to process, the first of each. */
  resumptionsAfter({ atMs, partitions }: Killed): readonly LoggedEvent['fields'][] {
    const resumed = this.events.filter(({ event, fields }) => event === 'task-resumed' && atMsOf(fields) > atMs);
    return partitions.flatMap((partition) => {
      const first = resumed.find(({ fields }) => partitionOf(fields.taskId as TaskId) === partition);
      return first === undefined ? [] : [first.fields];
    });
  }

  /** Ends the load and compares what was sent with what the reader saw. @returns what was wrong; empty: nothing */
  async finish(): Promise<readonly string[]> {
    await this.feed.stop();
    return this.output.compare(this.feed.sent);
  }

  private async isAtWork(): Promise<boolean> {
    const nowMs = Date.now();
    const { assignment, followUp } = await this.plan();
    if (followUp === true) return false;
    for (let partition = 0; partition < this.partitions; partition += 1)
      if (this.output.firstOf(partition, nowMs - AT_WORK_MS) === undefined) return false;
    const leases = await this.leases.listLeases();
    if (!leases.every((lease) => this.hasResumed(lease))) return false;
    for (const [id, held] of Object.entries(assignment) as [MemberId, MemberAssignment][]) {
      const owned = leases.filter(({ owner }) => owner?.memberId === id).map(({ taskId }) => taskId);
      if (held.active.some((taskId) => !owned.includes(taskId)) || owned.length !== held.active.length) return false;
      if (!(await this.areCurrent(id, [...held.standby, ...held.warmup]))) return false;
    }
    return true;
  }

  /** Whether the owner of a lease has made its first commit, and said so: what is seen of a task may be of the owner before. */
  private hasResumed({ taskId, owner }: Lease): boolean {
    return this.events.some(
      ({ event, fields }) =>
        event === 'task-resumed' &&
        fields.taskId === taskId &&
        fields.memberId === owner?.memberId &&
        fields.incarnation === owner?.incarnation,
    );
  }

  /** Whether a member has reported copies of these tasks that it had read to their end, or nearly. */
  private async areCurrent(id: MemberId, copies: readonly TaskId[]): Promise<boolean> {
    if (copies.length === 0) return true;
    const positions = (await this.leases.readMember(id))?.report.positions ?? [];
    return copies.every((taskId) =>
      positions.some(
        (at) => at.taskId === taskId && at.nextOffset > 0 && at.endOffset - at.nextOffset < NEARLY_RECORDS,
      ),
    );
  }
}

function partitionOf(taskId: TaskId): number {
  return Number(taskId.slice(taskId.indexOf('_') + 1));
}
