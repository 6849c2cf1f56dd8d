/**
 * Word count, exactly once, while members die at random points and a zombie comes back after its tasks have moved.
 */
import { afterEach, expect, it } from 'vitest';
import wordCount from '../../examples/wordcount/word-count.js';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { defineApp } from '../../lib/index.js';
import { LocalStreams, RecordSetBuilder } from '../../lib/local/index.js';
import { FreezablePorts } from '../support/freezable-ports.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { seededRandom, textOfWords } from '../support/text-of-words.js';
import { sleep, waitFor } from '../support/wait-for.js';
import { differences, readCounts } from '../support/word-count-reader.js';

const LINES = 100_000;
const PARTITIONS = 4;
const CRASHES = 50;
const ZOMBIE_AFTER_CRASHES = 25;
const SEED = 20_260_329;
const CHUNK_LINES = 250;
/** Lines and words between two crashes, at most. */
const RECORDS_BETWEEN_CRASHES = 12_000;
const JITTER_MS = 25;

const settings = {
  members: 3,
  statestoreCacheMaxBytes: 0,
  commitIntervalMs: 20,
  heartbeatIntervalMs: 50,
  sessionTimeoutMs: 600,
  tickIntervalMs: 50,
  idleTimeoutMs: 0,
};

interface Zombie {
  readonly memberId: string;
  readonly incarnation: number;
  readonly tasks: readonly string[];
  readonly process: FreezablePorts;
}

let open: World | undefined;
afterEach(async () => {
  await open?.close();
});

it('counts are exactly 1 to n for every word over 50 crashes and a zombie', async () => {
  const random = seededRandom(SEED);
  const text = textOfWords(LINES, SEED);
  const world = await World.start(text.lines);
  open = world;

  let zombie: Zombie | undefined;
  for (let crashes = 0; crashes < CRASHES; crashes += 1) {
    if (crashes === ZOMBIE_AFTER_CRASHES) zombie = await world.makeZombie();
    await world.feedTo((crashes + 1) / CRASHES);
    await world.processSome(random() * RECORDS_BETWEEN_CRASHES);
    await sleep(random() * JITTER_MS);
    await world.crashOne(random, zombie?.memberId);
  }
  if (zombie === undefined) throw new Error('no zombie was made');
  await world.taskMovedAway(zombie);
  zombie.process.thaw();
  const rejection = await world.rejectionOf(zombie);
  await world.feedTo(1);
  await waitFor('all to be counted', () => world.streams.isCaughtUp(), 60_000);

  const counts = await readCounts(world.streams.log, 'counts', PARTITIONS);
  expect(differences(counts, text.counts)).toEqual([]);
  expect(rejection.fields.code).toBe('STREAMS_PRODUCER_FENCED');
  expect(world.crashes).toBe(CRASHES);
}, 180_000);

class World {
  crashes = 0;
  readonly streams: LocalStreams;
  private readonly lines: readonly string[];
  private readonly events: readonly LoggedEvent[];
  private readonly processes: ReadonlyMap<string, FreezablePorts>;
  private fed = 0;

  private constructor(
    streams: LocalStreams,
    lines: readonly string[],
    events: readonly LoggedEvent[],
    processes: ReadonlyMap<string, FreezablePorts>,
  ) {
    this.streams = streams;
    this.lines = lines;
    this.events = events;
    this.processes = processes;
  }

  static async start(lines: readonly string[]): Promise<World> {
    const events: LoggedEvent[] = [];
    const processes = new Map<string, FreezablePorts>();
    const streams = await LocalStreams.start({
      app: defineApp({ applicationId: wordCount.applicationId, topology: wordCount.topology, settings }),
      host: createNodeHost({ logger: listeningLogger(events) }),
      topics: ['lines', 'counts'].map((name) => ({ name, partitions: PARTITIONS, config: {} })),
      portsOf: ({ memberId, incarnation }, ports) => {
        const process = new FreezablePorts(ports);
        processes.set(`${memberId}/${incarnation}`, process);
        return process.ports;
      },
    });
    return new World(streams, lines, events, processes);
  }

  async close(): Promise<void> {
    for (const process of this.processes.values()) process.thaw();
    await this.streams.close();
  }

  /** Waits for that many records more, or until there is nothing left to process. */
  async processSome(records: number): Promise<void> {
    const target = this.streams.recordsProcessed + records;
    await waitFor(
      'records to be processed',
      async () => this.streams.recordsProcessed >= target || (await this.streams.isCaughtUp()),
    );
  }

  /** Appends lines until this part (0 to 1) of the text is in the topic. */
  async feedTo(part: number): Promise<void> {
    const target = Math.min(this.lines.length, Math.ceil(part * this.lines.length));
    while (this.fed < target) {
      const builder = new RecordSetBuilder();
      const chunk = this.lines.slice(this.fed, this.fed + CHUNK_LINES);
      for (const line of chunk) builder.append(null, Buffer.from(line), Date.now());
      const partition = Math.floor(this.fed / CHUNK_LINES) % PARTITIONS;
      await this.streams.log.append({ topic: 'lines', partition }, builder.build());
      this.fed += chunk.length;
    }
  }

  /** Ends one member at random, at whatever it is doing. */
  async crashOne(random: () => number, spared: string | undefined): Promise<void> {
    const victim = await waitFor('a member to crash', async () => {
      const members = (await this.running()).filter(({ id, tasks }) => id !== spared && tasks.length > 0);
      return members[Math.floor(random() * members.length)];
    });
    if (this.streams.crash(victim.id)) this.crashes += 1;
  }

  /** Freezes a member between the records and the end of a transaction. */
  async makeZombie(): Promise<Zombie> {
    return waitFor('a member that freezes in its commit', async () => {
      for (const { id, incarnation, tasks } of await this.running()) {
        const process = this.processes.get(`${id}/${incarnation}`);
        if (process === undefined || tasks.length === 0) continue;
        process.freezeAtNextCommit = true;
        await this.feedTo((this.fed + PARTITIONS * CHUNK_LINES) / this.lines.length);
        await sleep(200);
        process.freezeAtNextCommit = false;
        if (process.isFrozen) return { memberId: id, incarnation, tasks, process };
      }
      return undefined;
    });
  }

  /** Waits until all tasks of the zombie are run by others, and have committed there. */
  async taskMovedAway({ memberId, incarnation, tasks }: Zombie): Promise<void> {
    const isOther = ({ fields }: LoggedEvent) => fields.memberId !== memberId || fields.incarnation !== incarnation;
    const takenAgain = (taskId: string) => {
      const takes = this.events.filter(({ event, fields }) => event === 'task-taken' && fields.taskId === taskId);
      const last = takes.at(-1);
      return last !== undefined && isOther(last);
    };
    await waitFor('the zombie’s tasks to be taken by others', async () => tasks.every(takenAgain));
    await waitFor('what there is to be counted by others', () => this.streams.isCaughtUp(), 60_000);
  }

  async rejectionOf({ tasks }: Zombie): Promise<LoggedEvent> {
    const isRejection = ({ event, fields }: LoggedEvent) =>
      event === 'commit-rejected' && tasks.includes(String(fields.taskId));
    return waitFor('the rejection of the zombie’s commit', async () => this.events.find(isRejection));
  }

  private async running() {
    return (await this.streams.state()).members.filter((member) => member.running);
  }
}
