/** One history of the stressed deployment, from a seed to a list of what is wrong with its end. */
import { isCaughtUp } from '../../../lib/local/caught-up.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import type { Settings, SettingsInput } from '../../../lib/model/settings.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { loadStore } from '../../../lib/runtime/load-store.js';
import { loadTaskDirectory } from '../../../lib/runtime/task-directory.js';
import { createMemorySnapshotStore } from '../../../lib/snapshots/memory/memory-snapshot-store.js';
import { defaultPartition } from '../../../lib/topology/default-partitioner.js';
import { contentOf } from '../restored-store.js';
import { differences, readCounts } from '../word-count-reader.js';
import type { FaultRates } from './faulty-ports.js';
import { OTHER_PARTITIONS, SINK_TOPICS, stressApp, WORD_PARTITIONS } from './stress-app.js';
import { StressWorld } from './stress-world.js';

export interface StressOptions {
  readonly seed: number;
  readonly guarantee: Settings['processingGuarantee'];
  readonly cacheMaxBytes: number;
  readonly standbys: number;
  readonly deadlines: boolean;
  /** 0: members are resident. */
  readonly idleTimeoutMs: number;
  /** Rounds of input and trouble. */
  readonly rounds: number;
}

const QUICK: SettingsInput = {
  commitIntervalMs: 20,
  pollMs: 20,
  heartbeatIntervalMs: 100,
  sessionTimeoutMs: 1_000,
  tickIntervalMs: 200,
  transactionTimeoutMs: 1_000,
  repartitionPurgeIntervalMs: 300,
  snapshotMinRecords: 20,
  snapshotIntervalMs: 300,
  restoreStallTimeoutMs: 5_000,
};
const RATES: FaultRates = {
  delay: 0.05,
  delayMostMs: 40,
  failBefore: 0.004,
  failAfter: 0.004,
  freeze: 0.0006,
  freezeMostMs: 3_000,
  crash: 0.0004,
};
const TICK_MS = 250;
const WORDS = 25;
const NAMES = 15;
const CITIES = 4;
const MEMBER_COUNTS = [1, 2, 3, 8];
/** Virtual time within which all must be counted once nothing goes wrong any more, and be quiet after that. */
const SETTLE_MOST_MS = 120_000;
const QUIET_MS = 5_000;

/** @returns what is wrong; empty: nothing */
export async function runStress(options: StressOptions): Promise<readonly string[]> {
  const { seed, guarantee, cacheMaxBytes, standbys, deadlines, idleTimeoutMs } = options;
  const settings: SettingsInput = {
    ...QUICK,
    processingGuarantee: guarantee,
    statestoreCacheMaxBytes: cacheMaxBytes,
    numStandbyReplicas: standbys,
    idleTimeoutMs,
  };
  const world = await StressWorld.create({ seed, app: stressApp(settings, TICK_MS), rates: RATES, deadlines });
  return world.time.run(new StressRun(world, options).run());
}

class StressRun {
  private readonly world: StressWorld;
  private readonly options: StressOptions;
  private readonly problems: string[] = [];
  private readonly words = new Map<string, number>();
  private readonly events = new Map<string, number>();
  private readonly cityOf = new Map<string, string>();

  constructor(world: StressWorld, options: StressOptions) {
    this.world = world;
    this.options = options;
  }

  async run(): Promise<readonly string[]> {
    const { world } = this;
    world.start();
    for (let round = 0; round < this.options.rounds; round += 1) await this.trouble();
    world.rates = null;
    world.wanted = 1 + Math.floor(world.random() * 3);
    await this.feed();
    if (await this.until('all input is processed', () => isCaughtUp(world.app, world.log))) {
      await this.until('every lease is held by a living member', () => this.leasesAreAlive());
      await this.checkQuiet();
    }
    await world.end();
    await this.checkEnd();
    return [...this.problems, ...world.broken];
  }

  private async trouble(): Promise<void> {
    const { world } = this;
    const { random } = world;
    await this.feed();
    if (random() < 0.2) world.wanted = MEMBER_COUNTS[Math.floor(random() * MEMBER_COUNTS.length)] ?? 1;
    if (random() < 0.08) world.crashOne();
    if (random() < 0.08) world.ring('lines', Math.floor(random() * WORD_PARTITIONS));
    await world.time.clock.sleep(random() * 400);
  }

  private async feed(): Promise<void> {
    const { random } = this.world;
    const pick = (prefix: string, count: number) => `${prefix}${Math.floor(random() * count)}`;
    for (let line = Math.floor(random() * 20); line > 0; line -= 1) {
      const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick('w', WORDS));
      for (const word of words) this.words.set(word, (this.words.get(word) ?? 0) + 1);
      await this.append('lines', null, words.join(' '), Math.floor(random() * WORD_PARTITIONS));
    }
    for (let event = Math.floor(random() * 10); event > 0; event -= 1) {
      const key = pick('e', NAMES);
      this.events.set(key, (this.events.get(key) ?? 0) + 1);
      await this.append('events', key, 'happened');
    }
    for (let change = Math.floor(random() * 4); change > 0; change -= 1) {
      const name = pick('n', NAMES);
      const city = random() < 0.2 ? null : pick('c', CITIES);
      if (city === null) this.cityOf.delete(name);
      else this.cityOf.set(name, city);
      await this.append('profiles', name, city);
    }
  }

  private async append(topic: string, key: string | null, value: string | null, at?: number): Promise<void> {
    const keyBytes = key === null ? null : Buffer.from(key);
    const records = new RecordSetBuilder();
    records.append(keyBytes, value === null ? null : Buffer.from(value), this.world.time.clock.now());
    const partition = at ?? defaultPartition(keyBytes, null, OTHER_PARTITIONS);
    await this.world.log.append({ topic, partition }, records.build());
  }

  private async until(what: string, look: () => Promise<boolean>): Promise<boolean> {
    const { time } = this.world;
    const deadlineMs = time.nowMs + SETTLE_MOST_MS;
    while (time.nowMs < deadlineMs) {
      if (await look()) return true;
      await time.clock.sleep(50);
    }
    this.problems.push(`not within ${SETTLE_MOST_MS} ms: ${what}; ${await this.picture()}`);
    return false;
  }

  private async leasesAreAlive(): Promise<boolean> {
    const { leases } = this.world.ports;
    const members = await leases.listMembers();
    const alive = [...this.world.processes].map(({ claimed }) => claimed.self);
    const tasks = (await loadTaskDirectory(this.world.app, this.world.log, {})).tasks;
    const held = await leases.listLeases();
    return (
      held.length === tasks.size &&
      held.every(({ owner }) => {
        if (owner === null) return this.options.idleTimeoutMs > 0; // its slot may sleep
        const member = members.find(({ memberId }) => memberId === owner.memberId);
        const isCurrent = member?.incarnation === owner.incarnation && member.status === 'claimed';
        return (
          isCurrent && alive.some((self) => self?.memberId === owner.memberId && self.incarnation === owner.incarnation)
        );
      })
    );
  }

  private async checkQuiet(): Promise<void> {
    const { time, ports } = this.world;
    await time.clock.sleep(QUIET_MS);
    const before = await ports.leases.readPlan();
    await time.clock.sleep(QUIET_MS);
    const after = await ports.leases.readPlan();
    if (before?.number !== after?.number) this.problems.push(`plans do not fall quiet: ${after?.reason}`);
  }

  private async checkEnd(): Promise<void> {
    const { ports } = this.world;
    for (const { taskId, owner } of await ports.leases.listLeases())
      if (owner !== null) this.problems.push(`${taskId} is still held by ${owner.memberId}/${owner.incarnation}`);
    await this.checkNothingOpen();
    await this.checkStores();
    await this.checkOutputs();
  }

  private async checkNothingOpen(): Promise<void> {
    const { log } = this.world;
    const topics = await log.describeTopics(await log.listTopics());
    const all = [...topics.values()].flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition })),
    );
    const stable = await log.listOffsets(all, 'lastStable');
    for (const [key, end] of await log.listOffsets(all, 'highWatermark'))
      if (stable.get(key) !== end) this.problems.push(`${key}: open at ${stable.get(key)} of ${end}`);
  }

  /** Snapshot and tail must be what the whole log is. */
  private async checkStores(): Promise<void> {
    const { app, ports, log } = this.world;
    const { tasks } = await loadTaskDirectory(app, log, {});
    for (const task of tasks.values()) {
      for (const { store: storeName, topic, partition } of task.changelogs) {
        const changelog = { topic, partition };
        const target =
          (await log.listOffsets([changelog], 'highWatermark')).get(topicPartitionKey(changelog)) ?? offset(0);
        const contents = [];
        for (const snapshots of [ports.snapshots, createMemorySnapshotStore()]) {
          const { store } = await loadStore({
            app,
            ports: { ...ports, snapshots },
            logger: ports.host.logger,
            taskId: task.taskId,
            storeName,
            changelog,
            target,
            stallTimeoutMs: 100,
          });
          contents.push(JSON.stringify(contentOf(store)));
        }
        if (contents[0] !== contents[1])
          this.problems.push(`${task.taskId} ${storeName}: snapshot and tail differ from the log`);
        if (contents[1]?.includes('(closed)')) this.problems.push(`${task.taskId} ${storeName}: written while closing`);
      }
    }
  }

  private async checkOutputs(): Promise<void> {
    const { log } = this.world;
    const isExact = this.options.guarantee === 'exactly_once_v2';
    const read = (topic: keyof typeof SINK_TOPICS) => readCounts(log, topic, SINK_TOPICS[topic]);
    const counts = await read('counts');
    const numbered = await read('numbered');
    const ticks = await read('ticks');
    const lengths = (seen: ReadonlyMap<string, readonly number[]>) =>
      new Map([...seen].map(([key, numbers]) => [key, numbers.length]));
    this.problems.push(...differences(ticks, lengths(ticks)).map((wrong) => `ticks: ${wrong}`));
    this.problems.push(
      ...differences(numbered, isExact ? this.events : lengths(numbered)).map((wrong) => `numbered: ${wrong}`),
    );
    this.checkReached('numbered', numbered, this.events);
    this.checkReached('counts', counts, this.words);
    if (isExact && this.options.cacheMaxBytes === 0)
      this.problems.push(...differences(counts, this.words).map((wrong) => `counts: ${wrong}`));
    if (isExact) {
      for (const [word, count] of this.words)
        if (counts.get(word)?.at(-1) !== count)
          this.problems.push(`counts: ${word} ends at ${counts.get(word)?.at(-1)}, not ${count}`);
      const cities = await read('cities');
      const wanted = new Map<string, number>();
      for (const city of this.cityOf.values()) wanted.set(city, (wanted.get(city) ?? 0) + 1);
      for (const city of new Set([...wanted.keys(), ...cities.keys()])) {
        const last = cities.get(city)?.at(-1) ?? 0;
        if (last !== (wanted.get(city) ?? 0))
          this.problems.push(`cities: ${city} ends at ${last}, not ${wanted.get(city) ?? 0}`);
      }
    }
  }

  /** Nothing is lost, whatever the guarantee. */
  private checkReached(
    topic: string,
    seen: ReadonlyMap<string, readonly number[]>,
    wanted: ReadonlyMap<string, number>,
  ): void {
    for (const [key, count] of wanted) {
      const most = Math.max(0, ...(seen.get(key) ?? []));
      if (most < count) this.problems.push(`${topic}: ${key} reached ${most} of ${count}`);
    }
  }

  private async picture(): Promise<string> {
    const { leases } = this.world.ports;
    const plan = await leases.readPlan();
    return JSON.stringify({
      plan: plan && { number: plan.number, reason: plan.reason, assignment: plan.assignment, dead: plan.dead },
      members: (await leases.listMembers()).map(({ memberId, incarnation, status, planNumber }) => [
        memberId,
        incarnation,
        status,
        planNumber,
      ]),
      leases: (await leases.listLeases()).map(({ taskId, owner, epoch }) => [taskId, owner, epoch]),
      processes: [...this.world.processes].map(({ claimed }) => claimed.self),
      last: this.world.events
        .slice(-12)
        .map(({ event, fields }) => [event, fields.taskId, fields.memberId, fields.code, fields.message]),
    });
  }
}

/** Options that differ from seed to seed, so that a row of seeds tries all of them. */
export function optionsOf(seed: number, rounds: number): StressOptions {
  return {
    seed,
    guarantee: seed % 3 === 0 ? 'at_least_once' : 'exactly_once_v2',
    cacheMaxBytes: seed % 2 === 0 ? 100_000 : 0,
    standbys: seed % 5 === 0 ? 1 : 0,
    deadlines: seed % 4 === 1,
    idleTimeoutMs: seed % 7 >= 4 ? 400 : 0,
    rounds,
  };
}
