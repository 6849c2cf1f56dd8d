/** A cloud in which nothing runs but what a test does, watched by one checker: to show it a broken world. */
import type { Incarnation } from '../../../lib/leases/records.js';
import type { RecordSet } from '../../../lib/model/record-set.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { resolveSettings } from '../../../lib/model/settings.js';
import type { TaskId } from '../../../lib/model/task-id.js';
import { parseTopicPartitionKey } from '../../../lib/model/topic-partition.js';
import type { Checker, WatchedRun } from '../../../lib/testing/simulation/checkers/checker.js';
import { Cloud } from '../../../lib/testing/simulation/cloud.js';
import { QUICK_SETTINGS } from '../../../lib/testing/simulation/generate-scenario.js';
import type { Reference } from '../../../lib/testing/simulation/reference.js';
import type { Scenario } from '../../../lib/testing/simulation/scenario.js';
import type { PortCall, ProducerTag } from '../../../lib/testing/simulation/simulated-ports.js';
import { SimulatedProcess } from '../../../lib/testing/simulation/simulated-process.js';
import type { Subject } from '../../../lib/testing/simulation/subject.js';
import { Witness } from '../../../lib/testing/simulation/witness.js';
import { standardPlan } from './standard-plan.js';

/** Two members, no input, no faults. */
const SCENARIO: Scenario = {
  seed: 1,
  members: 2,
  settings: QUICK_SETTINGS,
  taskTimeoutMs: 60_000,
  inputs: [],
  faults: [],
  calmAtMs: 0,
};

const FIRST: Incarnation = { memberId: 'member-1', incarnation: 1 };

export interface SceneOptions {
  readonly checker: Checker;
  readonly scenario?: Partial<Scenario>;
  readonly subject?: Partial<Subject>;
}

/** @returns what the checker said */
export async function wrongIn(
  options: SceneOptions,
  play: (scene: Scene) => Promise<void>,
): Promise<readonly string[]> {
  const scenario = { ...SCENARIO, ...options.scenario };
  const given: Subject = { ...standardPlan(1).subject, ...options.subject };
  const settings = resolveSettings({ ...given.app.settings, ...scenario.settings });
  const subject = { ...given, app: { ...given.app, settings } };
  const cloud = await Cloud.create({ scenario, app: subject.app, topics: subject.topics });
  const scene = new Scene(cloud, subject, options.checker);
  await cloud.time.run(play(scene));
  return scene.wrong;
}

export class Scene {
  readonly cloud: Cloud;
  readonly witness: Witness;
  readonly watched: WatchedRun;
  readonly wrong: string[] = [];
  private readonly processes = new Map<string, SimulatedProcess>();

  constructor(cloud: Cloud, subject: Subject, checker: Checker) {
    this.cloud = cloud;
    this.witness = new Witness(cloud, subject);
    const wrong = (what: string) => this.wrong.push(what);
    this.watched = checker.watch({ cloud, subject, witness: this.witness, wrong });
  }

  /** Appends a record of the subject's input. */
  async input(topic: string, partition: number, key: string | null, value: string | null): Promise<void> {
    const bytes = (text: string | null) => (text === null ? null : Buffer.from(text));
    const timestampMs = this.cloud.host.clock.now();
    await this.cloud.append({ topic, partition, key: bytes(key), value: bytes(value), atMs: 0, timestampMs });
  }

  async createInternalTopics(): Promise<void> {
    const { internalTopics, partitionCounts } = this.witness.map;
    for (const name of internalTopics)
      await this.cloud.log.createTopic({
        name,
        partitions: partitionCounts.get(name) ?? 1,
        config: name.endsWith('-changelog') ? { 'cleanup.policy': 'compact' } : {},
      });
  }

  /** Writes what the reference has written, as an application without faults would, changed by `change`. */
  async writeReference(change: (topic: string, set: RecordSet) => RecordSet = (_, set) => set): Promise<Reference> {
    await this.createInternalTopics();
    const reference = await this.witness.reference();
    for (const [key, sets] of reference.records)
      for (const set of sets) {
        const at = parseTopicPartitionKey(key);
        await this.cloud.log.append(at, change(at.topic, set));
      }
    await this.witness.settle();
    return reference;
  }

  async write(topic: string, partition: number, key: string, value: Uint8Array | null): Promise<void> {
    const records = new RecordSetBuilder();
    records.append(Buffer.from(key), value, this.cloud.host.clock.now());
    await this.cloud.log.append({ topic, partition }, records.build());
  }

  /** The effect of a call that a process has made. */
  effect(
    process: string,
    call: Pick<PortCall, 'port' | 'method' | 'args'>,
    answer: unknown,
    producer?: ProducerTag,
  ): void {
    const reads = /^(read|list)/.test(call.method);
    const sentAtMs = this.cloud.time.nowMs;
    const made = { ...call, process: this.process(process), sentAtMs, reads, producer: producer ?? null };
    this.cloud.effect({ ...made, ok: true, answer });
  }

  take(process: string, taskId: string, epoch: number, owner: Incarnation = FIRST): void {
    const item = { taskId: taskId as TaskId, epoch, owner, offsets: null };
    this.effect(
      process,
      { port: 'leases', method: 'takeLease', args: [{ ...item, expected: null }] },
      { applied: true, item },
    );
  }

  /** Initialises a producer of a task. */
  initialise(process: string, taskId: string, epoch: number): ProducerTag {
    const transactionalId = `${this.cloud.app.applicationId}-${taskId}`;
    const tag = { transactionalId, producerId: 1, epoch };
    this.effect(
      process,
      { port: 'log', method: 'initProducer', args: [{ transactionalId, transactionTimeoutMs: 1 }] },
      tag,
    );
    return tag;
  }

  /** Commits offsets, so that there is a transaction. */
  commit(process: string, producer: ProducerTag, offsets: Readonly<Record<string, number>> = { 'lines-0': 1 }): void {
    const map = new Map(Object.entries(offsets).map(([key, nextOffset]) => [key, { nextOffset, metadata: '' }]));
    this.effect(process, { port: 'producer', method: 'sendOffsets', args: ['stress', map] }, undefined, producer);
    this.effect(process, { port: 'producer', method: 'commit', args: [] }, undefined, producer);
  }

  /** Lets time pass, with a sample every half second. */
  async pass(ms: number): Promise<void> {
    const { cloud } = this;
    const endMs = cloud.time.nowMs + ms;
    while (cloud.time.nowMs < endMs) {
      await cloud.until(cloud.time.nowMs + 500);
      await this.witness.sample();
      await this.watched.sample?.();
    }
  }

  /** Makes the platform say that these processes run. */
  run(...names: readonly string[]): void {
    const running = names.map((name) => this.process(name));
    Object.defineProperty(this.cloud.platform, 'running', { get: () => running });
  }

  process(name: string): SimulatedProcess {
    const known = this.processes.get(name);
    if (known !== undefined) return known;
    const runs = name.startsWith('scheduler') ? 'scheduler' : 'task';
    const made = new SimulatedProcess(name, runs, this.cloud.time);
    this.processes.set(name, made);
    return made;
  }
}

/** A long as its serde writes it. */
export function long(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}
